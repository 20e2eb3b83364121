import type { Failure } from '../failure.ts';
import type { Agreement, Sent } from '../federate.ts';
import type { Method } from '../fusion/method.ts';
import { entriesOf, wordsOf } from '../statistic/layout.ts';
import { type RingVector, ringAddInto } from '../statistic/ring.ts';
import type { Counting } from './counting.ts';
import type { Store } from './store.ts';
import { addParts } from './total.ts';

/** Statistics of sites held in memory at once, where the method cannot do without them. */
const MOST_BYTES = 2 ** 30;

/** Adds what counts, and keeps the sites apart where the method or a question asks for it. */
export async function gatherSources(
  store: Store,
  id: string,
  agreed: Agreement,
  { bySite }: Counting,
  wanted: { readonly method: Pick<Method, 'needsParts'>; readonly across: boolean },
): Promise<Sent | Failure | undefined> {
  const { layout } = agreed;
  const bytes = bySite.size * entriesOf(layout) * wordsOf(layout) * 4;
  const needed = agreed.method.noise === undefined && (wanted.across || wanted.method.needsParts);
  if (needed && bytes > MOST_BYTES) {
    return {
      problem: `the statistics of ${bySite.size} sites take ${Math.ceil(bytes / 2 ** 20)} MB together, too much to look at one by one`,
      remedy: 'ask for a ridge by GCV, and for classical errors without site effects',
    };
  }
  const all = [...bySite.values()].flat();
  if (!needed) {
    const total = await addParts(store, id, agreed, all);
    return total === undefined ? undefined : { total, contributions: all.length };
  }
  const held = new Map<string, RingVector>();
  const total = await addParts(store, id, agreed, all, (site, values) => {
    const sum = held.get(site);
    if (sum === undefined) held.set(site, values);
    else ringAddInto(sum, values, wordsOf(layout));
  });
  if (total === undefined) return undefined;
  // In the order of the resolution: the store gives rows in any.
  const parts = Array.from(bySite.keys(), (site) => ({
    site,
    statistic: { layout, values: held.get(site) as RingVector },
  }));
  return { total, contributions: all.length, parts };
}
