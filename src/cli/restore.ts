import type { Command } from 'commander';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { contentLines } from './backup.ts';
import { type Io, pathIn } from './io.ts';

interface RestoreFlags {
  readonly data: string;
  readonly json?: boolean;
}

/** `suffice restore`: a data folder from a backup. */
export function addRestoreCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  program
    .command('restore')
    .description('make a data folder from a backup, after checking it; overwrites nothing')
    .argument('<file>', 'what suffice backup wrote', asPath)
    .requiredOption('--data <folder>', 'folder for the store; must have none', asPath)
    .option('--json', 'print JSON')
    .action((file, flags) => runRestore(file, flags, io));
}

async function runRestore(file: string, flags: RestoreFlags, io: Io): Promise<void> {
  const { restore } = await import('../node/operate/restore.ts');
  const restored = await restore(file, flags.data);
  if (flags.json === true) {
    const answer = { schema: 'suffice/restored@1', file, ...restored };
    io.stdout.write(`${visibleJson(JSON.stringify(answer, null, 2))}\n`);
    return;
  }
  const { contents, madeAt, token, releases } = restored;
  const tokenLine = {
    restored: `The operator’s token is in ${flags.data}/admin-token again.`,
    kept: `The operator’s token in ${flags.data}/admin-token is left as it was.`,
    absent:
      'The backup has no operator’s token: start with --admin-token-file for the old or a new one.',
  }[token];
  const releaseLine =
    releases.count > 0
      ? `The record of releases is left as it is: ${releases.file}, ${releases.count} ${releases.count === 1 ? 'line' : 'lines'}.`
      : `There is no record of releases at ${releases.file}. If private studies may have published since the backup, bring it from the old machine before you start.`;
  io.stdout.write(
    [
      `${flags.data} is restored from ${file}${madeAt === undefined ? '' : `, made ${visibleText(madeAt)}`}`,
      ...contentLines(contents),
      '',
      tokenLine,
      releaseLine,
      '',
    ].join('\n'),
  );
}
