import type { Answered, Question } from '../../src/analysis/question.ts';
import { findings } from '../../src/conclude.ts';
import { agreement } from '../../src/federate.ts';
import type { StudyClient } from '../../src/protocol/client.ts';
import type { Resolution } from '../../src/protocol/messages.ts';
import { Refusal } from '../../src/protocol/refusal.ts';

/** What else the sums tell that a model was made of; or why they cannot be asked. */
export interface ModelAnswers {
  readonly answers: readonly Answered[];
  readonly why?: string;
}

const questions: readonly Question[] = [
  { about: 'covariance' },
  { about: 'description' },
  { about: 'discriminant' },
];

/** Asks the total in the tab, for who runs the study; of a method that looks at each site, the coordinator. */
export async function askTotal(
  client: StudyClient,
  { number, study, report, contributions }: Resolution,
): Promise<ModelAnswers> {
  try {
    const agreed = agreement(study);
    if (agreed.method.needsParts) {
      const asked = await client.analyse({ questions });
      if (asked.resolution === number) return { answers: asked.answers };
      return { answers: [], why: 'Intervals are there for the newest resolution only.' };
    }
    const total = await client.total(number);
    const sent = { total, contributions: contributions.flatMap(({ digests }) => digests).length };
    const found = findings(agreed, sent, report.sites, { questions });
    if (!('problem' in found)) return { answers: found.answers };
    return { answers: [], why: `No interval: ${found.problem}.` };
  } catch (failure) {
    if (!(failure instanceof Refusal)) throw failure;
    return { answers: [], why: `No interval: ${failure.message}.` };
  }
}
