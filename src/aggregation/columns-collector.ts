import type { Failure } from '../failure.ts';
import type { Design } from '../features/design.ts';
import { entriesOf, isLinear, type Layout, wordsOf } from '../statistic/layout.ts';
import { type LinearLayout, packedIndex } from '../statistic/linear-layout.ts';
import { ringEntry, setRingEntry } from '../statistic/ring.ts';
import { addPart } from './add-part.ts';
import type { Collector, ColumnsAt } from './aggregation.ts';
import { productBytes, splitColumns } from './split-ring.ts';

/**
 * Adds the shares of parties that hold different columns. Products of two parties' columns are shared in a ring that is as narrow as
 * their bounds allow, so their sum is reduced to that ring before it is an entry of the total.
 */
export function columnsCollector(
  layout: Layout,
  columnsAt: ColumnsAt,
  design: Design | undefined,
): Collector {
  if (!isLinear(layout) || design === undefined) {
    throw new RangeError('parties with different columns need the layout of a regression');
  }
  const words = wordsOf(layout);
  const values = new Uint32Array(entriesOf(layout) * words);
  const parties = Object.keys(columnsAt.parties);
  const there = new Set<string>();
  let contributions = 0;
  return {
    add(site, share) {
      if (!('values' in share)) throw new RangeError('a sealed share cannot be added');
      addPart(values, share, words);
      if ((share.first ?? 0) === 0) contributions += 1;
      there.add(site);
    },
    finish() {
      const missing = parties.filter((party) => !there.has(party));
      if (missing.length > 0 || contributions !== parties.length) return incomplete(missing);
      const total = { layout, values: values.slice() };
      openProducts(total, design, columnsAt);
      return { total, contributions };
    },
  };
}

function incomplete(missing: readonly string[]): Failure {
  return {
    problem:
      missing.length > 0
        ? `the share of ${missing.join(', ')} is missing, and the total needs one of every party`
        : 'a party has sent more than one share',
    remedy: 'ask every party to contribute once',
  };
}

/** Turns the summed shares of products across parties into entries of the total. */
function openProducts(
  { layout, values }: { readonly layout: LinearLayout; readonly values: Uint32Array },
  design: Design,
  columnsAt: ColumnsAt,
): void {
  const words = wordsOf(layout);
  const columns = splitColumns(layout, design, columnsAt);
  const rows = Number(ringEntry(values, words, 0) >> BigInt(2 * layout.grid));
  if (rows < 1 || rows > 2 ** 32) return; // no rows: the total is refused as impossible
  columns.forEach((a, i) => {
    for (let j = i + 1; j < columns.length; j++) {
      const b = columns[j];
      if (a.owner === undefined || a.owner === b.owner) continue;
      const at = packedIndex(columns.length, i, j);
      const shared = BigInt.asIntN(8 * productBytes(rows, a, b), ringEntry(values, words, at));
      setRingEntry(values, words, at, shared << BigInt(a.shift + b.shift));
    }
  });
}
