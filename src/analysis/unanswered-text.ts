import { listed } from '../model/list-text.ts';
import type { Ink } from '../model/text-table.ts';
import type { Declined } from './question.ts';

/** Questions that have no answer for one and the same reason. */
export interface DeclinedGroup extends Pick<Declined, 'problem' | 'advice'> {
  readonly topics: readonly string[];
  /** Empty where the formula has one. */
  readonly responses: readonly string[];
}

/** Questions without an answer by their reasons, in the order they were asked. */
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
    advice: group[0].advice,
  }));
}

/** What cannot be told, why, and what to do instead. */
export function unansweredText(declined: readonly Declined[], ink: Ink): string {
  return declinedGroups(declined)
    .map(({ topics, responses, problem, advice }) => {
      const whose = responses.length === 0 ? '' : ` (${listed(responses)})`;
      const title = ink.bold(`Not available: ${listed(topics, 20)}${whose}`);
      return `${title}\n${problem}\n  → ${advice}`;
    })
    .join('\n\n');
}

/** What is wrong, without the topic that a problem may begin with. */
function reasonOf({ about, problem }: Declined): string {
  return problem.startsWith(`${about} `) ? problem.slice(about.length + 1) : problem;
}
