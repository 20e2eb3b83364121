import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { agreement, nextRound } from '../federate.ts';
import { studyDigest } from '../study/study.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type ConnectionFlags, clientOptions, withConnection } from './connection.ts';
import { refuseUnwritable } from './flags.ts';
import { type Io, pathIn } from './io.ts';
import { connectRound, roundNumber } from './round-connection.ts';
import { studyText } from './study-file-text.ts';

interface RefineFlags extends ConnectionFlags {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `suffice study refine`: the next round of a logistic or Poisson regression, or of a private study that plans one. */
export function addStudyRefine(study: Command, io: Io): void {
  const asPath = pathIn(io);
  const refine = study
    .command('refine')
    .description(
      'ask the sites of a logistic, Poisson or private study, or one of networks or residual layers, for one more round',
    )
    .argument(
      '<link>',
      'file with the analyst’s link; or a model of suffice report --out or suffice fit --save-model',
    )
    .option('--out <file>', 'with a model: where to write the study (study-refined.json)', asPath)
    .option('--force', 'with a model: overwrite the file')
    .option('--json', 'print JSON; with a model, the study');
  withConnection(refine).action(async (argument, flags) => {
    if (argument === '-' || (await holdsLink(argument, io))) {
      return openNextRound(argument, flags, io);
    }
    return writeNextRound(asPath(argument), flags, io);
  });
}

/** Whether the argument is a link, or a file that holds one. */
async function holdsLink(argument: string, io: Io): Promise<boolean> {
  const { looksLikeLink } = await import('../node/files/link-file.ts');
  if (looksLikeLink(argument)) return true;
  const path = pathIn(io)(argument);
  return existsSync(path) && looksLikeLink(readFileSync(path, 'utf8').slice(0, LONGEST_ADDRESS));
}

const LONGEST_ADDRESS = 2000;

/** Opens the next round on the coordinator; shows the newest one if it has no model yet. */
async function openNextRound(argument: string, flags: RefineFlags, io: Io): Promise<void> {
  if (flags.out !== undefined) {
    throw new UsageError('with a link there is no study to write', 'leave out --out');
  }
  const { link, client, view, rounds } = await connectRound(argument, flags, io, 'study');
  const isUnderWay = rounds.length > 1 && view.resolution === undefined;
  if (!isUnderWay) await client.openRound();
  const { followRounds } = await import('../protocol/follow-rounds.ts');
  const newest = (await followRounds(link, clientOptions(flags, io))).at(-1)!.view;
  const { id, digest, state, sites } = newest;
  const round = roundNumber(newest);
  const names = sites.map(({ name }) => name);
  const answer = { schema: 'suffice/round@1', round, id, digest, state, sites: names };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(answer, null, 2))}\n`
      : [
          `round ${round} is ${state}: ${agreement(newest.study).method.rounds?.text}.`,
          `Each site joins it with the invitation it has (${visibleText(names.join(', '))}):`,
          '  suffice join INVITATION FILE',
          'The model of this round, when all have:',
          '  suffice report LINK --wait',
          '',
        ].join('\n'),
  );
}

async function writeNextRound(
  path: string,
  { force, json, ...flags }: RefineFlags,
  io: Io,
): Promise<void> {
  const out = flags.out ?? pathIn(io)('study-refined.json');
  if (force !== true && existsSync(out)) {
    throw new UsageError(`${out} is there already`, 'name another with --out, or add --force');
  }
  refuseUnwritable('--out', out);
  const { readModel } = await import('../node/files/model-file.ts');
  const { study, report, key } = await readModel(path);
  // Only a coordinator's seal says that the model is what the sites' contributions gave.
  const from = key === undefined ? undefined : { study: studyDigest(study), total: report.digest };
  const next = nextRound(study, report, from);
  if ('problem' in next) throw new UsageError(next.problem, next.remedy, next.option);
  writeFileSync(out, studyText(next));
  const answer = { schema: 'suffice/study-refined@1', out, digest: studyDigest(next), study: next };
  io.stdout.write(
    json === true
      ? `${visibleJson(JSON.stringify(answer, null, 2))}\n`
      : [
          `${out} holds the next round: ${agreement(next).method.rounds?.text}.`,
          'The sites are asked once more, as a study of its own with new invitations:',
          `  suffice study create ${out} --coordinator URL --site NAME --site NAME`,
          '',
        ].join('\n'),
  );
}
