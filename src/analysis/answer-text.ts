import type { Failure } from '../failure.ts';
import { listed } from '../text/number-text.ts';
import { type Ink, plainInk } from '../text/text-table.ts';
import type { Answer, Answered, Declined, Question } from './question.ts';
import type { Topic } from './topic.ts';
import { topics } from './topics.ts';

/** Answers in the order of their questions; questions without an answer last. */
export function answersText(answers: readonly Answered[], ink: Ink = plainInk): string[] {
  const declined = answers.flatMap((answer) => ('problem' in answer ? [answer] : []));
  return [
    ...answers.flatMap((answer) => ('problem' in answer ? [] : [answerText(answer, ink)])),
    ...(declined.length === 0 ? [] : [unansweredText(declined, ink)]),
  ];
}

/** An answer as a statistician would lay it out, under the name of its response where there are several. */
export function answerText(answer: Answered, ink: Ink = plainInk): string {
  if ('problem' in answer) return unansweredText([answer], ink);
  const heading = answer.response === undefined ? [] : [ink.bold(`Response ${answer.response}`)];
  const topic: Topic<Answer, Question> = topics[answer.about];
  return [...heading, topic.text(answer, ink)].join('\n');
}

/** Questions that have no answer for the same reason. */
export interface DeclinedGroup extends Pick<Failure, 'problem' | 'remedy'> {
  readonly topics: readonly string[];
  /** Empty where the formula has one response. */
  readonly responses: readonly string[];
}

/** Questions without an answer, grouped by reason, in their order. */
export function declinedGroups(declined: readonly Declined[]): DeclinedGroup[] {
  const groups = new Map<string, Declined[]>();
  for (const one of declined) {
    const key = `${reasonOf(one)}\n${one.advice}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((group) => ({
    topics: [...new Set(group.map(({ about }) => about))],
    responses: [...new Set(group.flatMap(({ response }) => response ?? []))],
    problem: reasonOf(group[0]),
    remedy: group[0].advice,
  }));
}

/** What is not available, why, and what to do instead. */
export function unansweredText(declined: readonly Declined[], ink: Ink): string {
  return declinedGroups(declined)
    .map(({ topics, responses, problem, remedy }) => {
      const whose = responses.length === 0 ? '' : ` (${listed(responses)})`;
      const title = ink.bold(`Not available: ${listed(topics, 20)}${whose}`);
      return `${title}\n${problem}\n  → ${remedy}`;
    })
    .join('\n\n');
}

/** The problem without the topic that it may begin with. */
function reasonOf({ about, problem }: Declined): string {
  return problem.startsWith(`${about} `) ? problem.slice(about.length + 1) : problem;
}
