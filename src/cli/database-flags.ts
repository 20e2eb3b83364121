import { type Command, Option } from 'commander';
import { defined } from '../defined.ts';
import type { PushdownWhen } from '../node/database/pushdown.ts';
import { isDatabaseAddress } from '../rows/database-address.ts';
import { type Io, noticeOn, pathIn } from './io.ts';

interface DatabaseFlags {
  readonly passwordFile?: string;
  readonly pushdown?: PushdownWhen;
  readonly quiet?: boolean;
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

/** Adds the flag that says whether a database computes the sums itself. */
export function withPushdown(command: Command, io: Io): Command {
  const flag = new Option(
    '--pushdown <when>',
    'let a database compute the sums by a query: where that is quicker, always, or never (auto)',
  ).choices(['auto', 'always', 'never']);
  return command.addOption(flag).hook('preAction', async (_, called) => {
    if (
      !called.processedArgs.flat().some((one) => typeof one === 'string' && isDatabaseAddress(one))
    )
      return;
    const { pushdown: when = 'auto', quiet } = called.opts<DatabaseFlags>();
    const { usePushdown } = await import('../node/database/pushdown.ts');
    usePushdown({ when, explain: quiet === true ? () => {} : noticeOn(io) });
  });
}
