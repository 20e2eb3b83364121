import { type Agreement, agreement } from '../federate.ts';
import type { StartingPoint } from '../fusion/method.ts';
import type { SealedResolution } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { studyId } from '../protocol/study-part.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import type { ResolutionName } from '../study/study.ts';
import type { CoordinatorContext } from './coordinator-context.ts';

/**
 * Refuses a study whose coefficients or layers are not those of the resolution it names. Sites rely on this: if made up,
 * they can give one row nearly all the weight, or a column of its own.
 */
export async function requireTrueStart(
  context: CoordinatorContext,
  { method: { start } }: Agreement,
): Promise<void> {
  if (start?.from === undefined) return;
  const resolution = await namedResolution(context, start.from);
  if (resolution === undefined) {
    throw new Refusal(
      'unprocessable',
      'the study starts from a resolution that this coordinator has not published',
      `create it where the round before was run, or leave out "from": sites then treat the ${start.noun} as made up`,
    );
  }
  if (canonicalJson(startAfter(resolution)?.at ?? {}) === canonicalJson(start.at)) return;
  throw new Refusal(
    'unprocessable',
    `the ${start.noun} of the study are not those of the resolution it names`,
    'make the next round anew from that resolution, with the same formula',
  );
}

async function namedResolution(
  { store: { db } }: CoordinatorContext,
  { study, total }: ResolutionName,
): Promise<SealedResolution | undefined> {
  const rows = await db
    .selectFrom('resolutions')
    .innerJoin('studies', 'studies.id', 'resolutions.study')
    .select('resolutions.document')
    .where('resolutions.study', '=', studyId(study))
    .where('studies.digest', '=', study)
    .execute();
  return rows
    .map(({ document }): SealedResolution => JSON.parse(document))
    .find(({ report }) => report.digest === total);
}

/** Where the round after a resolution starts. */
function startAfter({ study, report }: SealedResolution): StartingPoint | undefined {
  const next = agreement(study).method.rounds?.next(report);
  return next === undefined || 'problem' in next ? undefined : agreement(next).method.start;
}
