import type { Collected } from '../aggregation/aggregation.ts';
import type { Failure } from '../failure.ts';
import type { Agreement } from '../federate.ts';
import type { Method } from '../fusion/method.ts';
import { bytesOf } from '../statistic/layout.ts';
import type { Counting } from './counting.ts';
import type { Store } from './store.ts';
import { addParts } from './total.ts';

/** Statistics of sites held in memory at once, where the method cannot do without them. */
const MOST_BYTES = 2 ** 30;

/** Adds what counts, and keeps the sites apart where the method or a question asks for it; undefined where it has changed meanwhile. */
export async function gatherSources(
  store: Store,
  id: string,
  agreed: Agreement,
  { bySite }: Counting,
  wanted: { readonly method: Pick<Method, 'needsParts'>; readonly across: boolean },
): Promise<Collected | Failure | undefined> {
  const { layout, method, aggregation } = agreed;
  const bytes = bySite.size * bytesOf(layout);
  const shown = method.noise === undefined && aggregation.sees === 'sites';
  const needed = shown && (wanted.across || wanted.method.needsParts);
  if (needed && bytes > MOST_BYTES) {
    return {
      problem: `the statistics of ${bySite.size} sites take ${Math.ceil(bytes / 2 ** 20)} MB together, too much to look at one by one`,
      remedy: 'ask for a ridge by GCV, and for classical errors without site effects',
    };
  }
  const all = [...bySite.values()].flat();
  const collector = aggregation.collector(layout, needed ? 'sites' : 'total');
  if (!(await addParts(store, id, agreed, all, collector))) return undefined;
  const collected = collector.finish();
  if ('problem' in collected || collected.parts === undefined) return collected;
  // In the order of the resolution: the store gives rows in any.
  const order = new Map(Array.from(bySite.keys(), (site, place) => [site, place]));
  const place = (site: string) => order.get(site) ?? 0;
  return { ...collected, parts: collected.parts.toSorted((a, b) => place(a.site) - place(b.site)) };
}
