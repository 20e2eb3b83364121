import { defined } from '../defined.ts';
import { entriesOf, type Layout, wordsOf } from '../statistic/layout.ts';
import { type RingVector, ringAddInto } from '../statistic/ring.ts';
import { addPart } from './add-part.ts';
import type { Collector, PartyAnswer } from './aggregation.ts';
import { type Grouping, groupName } from './grouping.ts';

const together: Grouping = { groups: 1, groupOf: () => 0 };

/**
 * Adds masked numbers, group by group. They are a total only together with the sum of the masks of each group, which another
 * party or the sites tell.
 */
export function maskedCollector(
  layout: Layout,
  keep: 'total' | 'sites',
  { groups, groupOf }: Grouping = together,
): Collector {
  const words = wordsOf(layout);
  const length = entriesOf(layout) * words;
  const sums = Array.from({ length: groups }, () => new Uint32Array(length));
  const counts = new Array<number>(groups).fill(0);
  return {
    add(site, share) {
      if (!('values' in share)) throw new RangeError('a sealed share cannot be added');
      const group = groupOf(site);
      addPart(sums[group], share, words);
      if ((share.first ?? 0) === 0) counts[group] += 1;
    },
    finish(answers = []) {
      const wrong = mismatch(answers, counts, length);
      if (wrong !== undefined) return wrong;
      const total = new Uint32Array(length);
      const opened = sums.map((sum, group) => {
        const values = sum.slice();
        ringAddInto(values, answers[group].values, words);
        ringAddInto(total, values, words);
        return values;
      });
      const parts = keep === 'sites' && groups > 1 ? partsOf(layout, opened) : undefined;
      const contributions = counts.reduce((sum, count) => sum + count, 0);
      return { total: { layout, values: total }, contributions, ...defined({ parts }) };
    },
  };
}

function partsOf(layout: Layout, opened: readonly RingVector[]) {
  return opened.map((values, group) => ({
    site: groupName(group),
    statistic: { layout, values },
  }));
}

function mismatch(answers: readonly PartyAnswer[], counts: readonly number[], length: number) {
  if (answers.length !== counts.length) {
    return {
      problem: 'the sum of the masks is not known yet',
      remedy: 'ask the party that knows it',
    };
  }
  const wrong = answers.findIndex(
    ({ contributions, values }, group) =>
      contributions !== counts[group] || values.length !== length,
  );
  if (wrong < 0) return undefined;
  return {
    problem: `the masks of ${answers[wrong].contributions} contributions were added, and ${counts[wrong]} contributions`,
    remedy: 'ask about the same contributions',
  };
}
