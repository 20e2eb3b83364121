import type { Answered, Question } from '../../src/analysis/question.ts';
import { resultOf } from '../../src/conclude.ts';
import { agreement } from '../../src/federate.ts';
import type { Report } from '../../src/model/report.ts';
import type { StudyClient } from '../../src/protocol/client.ts';
import type { Resolution } from '../../src/protocol/messages.ts';
import { Refusal } from '../../src/protocol/refusal.ts';

/** Further answers from the sums behind a model, or why there are none. */
export interface ModelAnswers {
  readonly answers: readonly Answered[];
  readonly why?: string;
}

const questions: readonly Question[] = [{ about: 'covariance' }, { about: 'description' }];

/** Reports of earlier versions have no probabilities of their own. */
function questionsTo({ classes }: Report): readonly Question[] {
  return classes === undefined ? [...questions, { about: 'discriminant' }] : questions;
}

/** Answers from the total, for the analyst. If the method needs each site's sums, the coordinator answers. */
export async function totalAnswers(
  client: StudyClient,
  { number, study, report, contributions }: Resolution,
): Promise<ModelAnswers> {
  try {
    const agreed = agreement(study);
    if (agreed.method.needsSites) {
      const asked = await client.analyse({ questions: questionsTo(report) });
      if (asked.resolution === number) return { answers: asked.answers };
      return { answers: [], why: 'Intervals are available for the newest resolution only.' };
    }
    const total = await client.total(number);
    const sent = { total, contributions: contributions.flatMap(({ digests }) => digests).length };
    const found = resultOf(agreed, sent, report.sites, {
      questions: questionsTo(report),
    });
    if (!('problem' in found)) return { answers: found.answers };
    return { answers: [], why: `No interval: ${found.problem}.` };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { answers: [], why: `No interval: ${error.message}.` };
  }
}
