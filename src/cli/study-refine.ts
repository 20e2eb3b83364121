import { existsSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { agreement, nextRound } from '../federate.ts';
import { studyDigest } from '../study/study.ts';
import { UsageError } from '../usage-error.ts';
import { refuseUnwritable } from './flags.ts';
import { type Io, pathIn } from './io.ts';
import { studyText } from './study-init.ts';

interface RefineFlags {
  readonly out: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `suffice study refine`: the next round of a logistic or Poisson regression, or of a private study that plans one. */
export function addStudyRefine(study: Command, io: Io): void {
  const asPath = pathIn(io);
  study
    .command('refine')
    .description(
      'make the next round of a logistic, Poisson or private study from the model it gave',
    )
    .argument('<model>', 'what suffice report --out or suffice fit --save-model wrote', asPath)
    .option('--out <file>', 'where to write the study', asPath, asPath('study-refined.json'))
    .option('--force', 'overwrite the file')
    .option('--json', 'print the study as JSON')
    .action((path, flags) => runRefine(path, flags, io));
}

async function runRefine(path: string, { out, force, json }: RefineFlags, io: Io): Promise<void> {
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
      ? `${JSON.stringify(answer, null, 2)}\n`
      : [
          `${out} holds the next round: ${agreement(next).method.rounds?.text}.`,
          'The sites are asked once more:',
          `  suffice study create ${out} --coordinator URL --site NAME --site NAME`,
          '',
        ].join('\n'),
  );
}
