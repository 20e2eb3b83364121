import type { Command } from 'commander';
import { defined } from '../defined.ts';
import { readCodebook } from '../node/files/json-file.ts';
import { type AttackRequest, attackFile } from '../node/run/attack.ts';
import { shareProgress } from '../node/run/progress.ts';
import { finiteJson } from '../text/finite-json.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { attackText } from './attack-text.ts';
import { withDatabase } from './database-flags.ts';
import { decimalFlag, repeatedFlag, watcher } from './flags.ts';
import { type Io, pathIn } from './io.ts';
import { splitList, unquoted } from './split-list.ts';
import { inkFor } from './terminal-text.ts';

interface AttackFlags {
  readonly formula?: string;
  readonly columns?: string;
  readonly codebook?: string;
  readonly missingMarker: readonly string[];
  readonly encoding?: string;
  readonly decimal?: '.' | ',';
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `suffice attack`: what a plain statistic of a site's own file would give away. */
export function addAttackCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  const attack = program
    .command('attack')
    .description('show on your own file what a plain statistic of it would give away')
    .argument('<file>', 'CSV or Parquet file; nothing of it leaves this machine', asPath)
    .option('--formula <formula>', 'what a study would ask; all columns unless given')
    .option('--columns <list>', 'columns a study would ask for, separated by commas')
    .option('--codebook <file>', 'JSON codebook; drafted from the file when absent', asPath)
    .option(
      '--missing-marker <text>',
      'one more text that means missing (repeatable)',
      repeatedFlag,
      [],
    )
    .option('--encoding <name>', 'encoding of a text file, such as latin1')
    .addOption(decimalFlag())
    .option('--json', 'print the findings as JSON')
    .option('--quiet', 'no progress bar');
  withDatabase(attack, io).action((path: string, flags: AttackFlags) => runAttack(path, flags, io));
}

async function runAttack(path: string, flags: AttackFlags, io: Io): Promise<void> {
  const { formula, columns, encoding, decimal } = flags;
  if (formula !== undefined && columns !== undefined) {
    throw new UsageError(
      '--formula and --columns both say which columns are asked for',
      'leave one of them out',
    );
  }
  const request: AttackRequest = {
    path,
    missingMarkers: flags.missingMarker,
    ...defined({ formula }),
    ...(columns === undefined ? {} : { columns: splitList(columns, '--columns').map(unquoted) }),
    ...defined({ encoding, decimal }),
    ...(flags.codebook === undefined ? {} : { codebook: await readCodebook(flags.codebook) }),
  };
  const watched = flags.quiet !== true && io.stderr.isTTY;
  const bar = watched ? shareProgress(io.stderr) : undefined;
  const reading = watcher(flags.quiet === true, io);
  const patterns = (tried: number, all: number) => bar?.update(tried / all, 'trying rows');
  const attacked = await attackFile(request, { reading, patterns });
  bar?.done();
  if (flags.json === true) {
    io.stdout.write(
      `${visibleJson(finiteJson({ schema: 'suffice/attack@1', file: path, ...attacked }))}\n`,
    );
  } else {
    io.stdout.write(`\n${attackText(path, attacked, inkFor(io))}\n`);
  }
}
