import { impossibleSums } from '../statistic/impossibility.ts';
import { entriesOf, type Layout, wordsOf } from '../statistic/layout.ts';
import { type RingVector, ringAddInto } from '../statistic/ring.ts';
import type { PlainAggregation } from '../study/study.ts';
import { addPart } from './add-part.ts';
import type { Aggregation, AggregationEntry, Collector } from './aggregation.ts';

/** Sites send their statistic to the coordinator unchanged. */
const aggregation: Aggregation = {
  sees: 'sites',
  parties: ['coordinator'],
  split: ({ values }) => [{ values }],
  implausible(share, layout) {
    if (!('values' in share)) return 'the numbers are sealed';
    const { values } = share;
    if (values.length !== entriesOf(layout) * wordsOf(layout))
      return 'the number of entries is wrong';
    return impossibleSums({ layout, values });
  },
  collector: plainCollector,
};

function plainCollector(layout: Layout, keep: 'total' | 'sites'): Collector {
  const words = wordsOf(layout);
  const total = new Uint32Array(entriesOf(layout) * words);
  const bySite = new Map<string, RingVector>();
  let contributions = 0;
  return {
    add(site, share) {
      if (!('values' in share)) throw new RangeError('a sealed share cannot be added');
      // The first one is the sum so far: copied, not added to nothing.
      if (contributions === 0 && share.values.length === total.length) total.set(share.values);
      else addPart(total, share, words);
      if ((share.first ?? 0) === 0) contributions += 1;
      if (keep === 'total') return;
      const before = bySite.get(site);
      if (before === undefined) {
        bySite.set(site, share.values);
        return;
      }
      // The statistic of a site that sends once, as most do, is not copied.
      const sum = before.slice();
      ringAddInto(sum, share.values, words);
      bySite.set(site, sum);
    },
    finish() {
      const sum = { total: { layout, values: total }, contributions };
      if (keep === 'total') return sum;
      const parts = Array.from(bySite, ([site, values]) => ({
        site,
        statistic: { layout, values },
      }));
      return { ...sum, parts };
    },
  };
}

/** The coordinator sees each site's statistic. */
export const plain: AggregationEntry<PlainAggregation> = {
  schema: (z) =>
    z.strictObject({
      kind: z.literal('plain'),
      minimumSites: z.int().min(2).max(65_536).optional(),
    }),
  aggregation: ({ minimumSites }) =>
    minimumSites === undefined ? aggregation : { ...aggregation, minimumSites },
};
