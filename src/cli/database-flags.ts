import type { Command } from 'commander';
import { defined } from '../defined.ts';
import { type Io, pathIn } from './io.ts';

interface DatabaseFlags {
  readonly passwordFile?: string;
}

/** Adds the flag for rows in a database, and says where its password comes from. */
export function withDatabase(command: Command, io: Io): Command {
  return command
    .option(
      '--password-file <file>',
      'the password of a database, alone in a file that only you can read (or SUFFICE_DB_PASSWORD)',
      pathIn(io),
    )
    .hook('preAction', async (_, called) => {
      const { passwordFile } = called.opts<DatabaseFlags>();
      const { useCredentials } = await import('../node/database/credentials.ts');
      useCredentials({ env: io.env, ...defined({ passwordFile }) });
    });
}
