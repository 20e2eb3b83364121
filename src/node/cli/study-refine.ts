import { existsSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { refine } from '../../fusion/refine.ts';
import { nextPrivateRound } from '../../fusion/refine-private.ts';
import type { Report } from '../../model/report.ts';
import { isGlm, type Study, studyDigest } from '../../study/study.ts';
import { UsageError } from '../usage-error.ts';
import { studyText } from './study-text.ts';
import { refuseUnwritable } from './writable.ts';

interface RefineFlags {
  readonly out: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `suffice study refine`: the next round of a logistic or Poisson regression, or of a private study that plans one. */
export function addStudyRefine(study: Command): void {
  study
    .command('refine')
    .description(
      'make the next round of a logistic, Poisson or private study from the model it gave',
    )
    .argument('<model>', 'what suffice report --out or suffice fit --save-model wrote')
    .option('--out <file>', 'where to write the study', 'study-refined.json')
    .option('--force', 'overwrite the file')
    .option('--json', 'print the study as JSON')
    .action(runRefine);
}

async function runRefine(path: string, { out, force, json }: RefineFlags): Promise<void> {
  if (force !== true && existsSync(out)) {
    throw new UsageError(`${out} is there already`, 'name another with --out, or add --force');
  }
  refuseUnwritable('--out', out);
  const { readModel } = await import('../model-file.ts');
  const { study, report } = await readModel(path);
  const next = nextRound(study, report);
  writeFileSync(out, studyText(next));
  const answer = { schema: 'suffice/study-refined@1', out, digest: studyDigest(next), study: next };
  process.stdout.write(
    json === true
      ? `${JSON.stringify(answer, null, 2)}\n`
      : [
          `${out} holds the next round: ${roundWords(next)}.`,
          'The sites are asked once more:',
          `  suffice study create ${out} --coordinator URL --site NAME --site NAME`,
          '',
        ].join('\n'),
  );
}

function nextRound(study: Study, report: Report): Study {
  if (study.privacy) {
    const next = nextPrivateRound(study, report);
    if ('problem' in next) throw new UsageError(next.problem, next.remedy, next.option);
    return next;
  }
  if (!isGlm(study.fusion)) {
    throw new UsageError(
      'the model is exact: another round would change nothing',
      'only logistic and Poisson regressions (--family) and private studies have a next round',
    );
  }
  const terms = report.terms ?? [];
  return refine(study, Object.fromEntries(terms.map(({ term, estimate }) => [term, estimate])));
}

function roundWords({ privacy }: Study): string {
  const round = privacy?.refinement?.round;
  return round === undefined
    ? 'one Newton step from these coefficients, exactly additive'
    : `gradient step ${round} of ${privacy?.rounds} from these coefficients, within the budget agreed on`;
}
