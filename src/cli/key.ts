import type { Command } from 'commander';
import { openSiteFolder, siteFolder } from '../node/site/site-folder.ts';
import { type Io, noticeOn } from './io.ts';

interface KeyFlags {
  readonly home?: string;
  readonly json?: boolean;
}

/** `suffice key`: the public key of this site, for the roster of a study. */
export function addKeyCommand(program: Command, io: Io): void {
  program
    .command('key')
    .description('the public key of this site, for the roster of a secure study')
    .option('--home <folder>', 'the site’s own folder (SUFFICE_HOME, ~/.suffice)')
    .option('--json', 'print JSON')
    .action((flags) => runKey(flags, io));
}

async function runKey(flags: KeyFlags, io: Io): Promise<void> {
  const store = await openSiteFolder(siteFolder(flags.home, io), noticeOn(io));
  const { key } = await store.key();
  io.stdout.write(
    flags.json === true ? `${JSON.stringify({ schema: 'suffice/key@1', key })}\n` : `${key}\n`,
  );
}
