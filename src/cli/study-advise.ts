import type { Command } from 'commander';
import { costsText, sentenceOf } from '../costs/costs-text.ts';
import { readStudy } from '../node/files/json-file.ts';
import { adviseOn } from '../node/run/advise.ts';
import type { DecimalMark } from '../table/notation.ts';
import { visibleJson, visibleLines } from '../text/visible-text.ts';
import { withDatabase } from './database-flags.ts';
import { decimalFlag, watcher, wholeNumber } from './flags.ts';
import { type Io, pathIn } from './io.ts';
import { inkFor } from './terminal-text.ts';

interface AdviseFlags {
  readonly sites?: string;
  readonly rows?: string;
  readonly encoding?: string;
  readonly decimal?: DecimalMark;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Sites where neither the study nor the analyst says how many. */
const USUAL_SITES = 3;

/** `suffice study advise`: what each way to send the sums would cost. */
export function addStudyAdvise(study: Command, io: Io): void {
  const asPath = pathIn(io);
  const advise = study
    .command('advise')
    .description(
      'say what each way to send the sums costs in bytes, seconds and error, by your own sample; nothing is sent',
    )
    .argument('<study>', 'JSON file of the study', asPath)
    .argument('<sample>', 'CSV or Parquet file with rows like those of the sites', asPath)
    .option('--sites <count>', 'sites that will contribute (the study’s quorum, or 3)')
    .option('--rows <count>', 'rows of each site (as many as the sample has)')
    .option('--encoding <name>', 'encoding of a text file, such as latin1')
    .addOption(decimalFlag())
    .option('--json', 'print JSON')
    .option('--quiet', 'no progress bar');
  withDatabase(advise, io).action((path, sample, flags) => runAdvise(path, sample, flags, io));
}

async function runAdvise(path: string, sample: string, flags: AdviseFlags, io: Io): Promise<void> {
  const { sites, rows, json, quiet, ...reading } = flags;
  const counts = {
    ...(sites === undefined ? {} : { sites: wholeNumber('--sites', sites) }),
    ...(rows === undefined ? {} : { rows: wholeNumber('--rows', rows) }),
  };
  const study = await readStudy(path);
  const request = { sites: study.quorum?.sites ?? USUAL_SITES, ...counts, ...reading };
  const costs = await adviseOn(study, sample, request, watcher(quiet === true, io));
  const printed = { schema: 'suffice/costs@1', sentence: sentenceOf(costs), ...costs };
  io.stdout.write(
    json === true
      ? `${visibleJson(JSON.stringify(printed, null, 2))}\n`
      : visibleLines(costsText(costs, inkFor(io))),
  );
}
