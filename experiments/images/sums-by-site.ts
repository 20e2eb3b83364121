import { defined } from '../../src/defined.ts';
import type { Design } from '../../src/features/design.ts';
import { type Agreement, regressionOf } from '../../src/federate.ts';
import type { Kernels } from '../../src/numeric/kernels.ts';
import {
  type SummarizerOptions,
  type Summary,
  summarizer,
} from '../../src/statistic/cross-product.ts';
import type { MappedImages } from './mapped-images.ts';

/** Rows that are added together. */
const BATCH = 512;

/** Puts the values of some rows into a buffer that is used again. */
function picked(
  values: ArrayLike<number>,
  rows: readonly number[],
  buffer: Float64Array,
): Float64Array {
  const own = buffer.subarray(0, rows.length);
  for (let k = 0; k < rows.length; k++) own[k] = values[rows[k]!]!;
  return own;
}

/**
 * The sums of each site's rows, site by site: the kernels and the numbers are those of `reduction`, only the map is not
 * repeated. Yields the share done.
 */
export function* sumsBySite(
  agreed: Agreement,
  images: MappedImages,
  siteOf: Uint8Array,
  sites: number,
  { kernels, grams }: Pick<SummarizerOptions, 'grams'> & { readonly kernels: Kernels },
): Generator<number, Summary[], void> {
  const { design, layout } = regressionOf(agreed);
  const asMapped: Design = {
    ...design,
    variables: design.columns.map(({ name }) => name),
    evaluate: ({ columns }, _, hi) => {
      hi.forEach((values, k) => {
        values.set(columns[k]!);
      });
    },
  };
  const buffers = images.columns.map(() => new Float64Array(BATCH));
  const summaries: Summary[] = [];
  let done = 0;
  for (let site = 0; site < sites; site++) {
    const own: number[] = [];
    siteOf.forEach((one, r) => {
      if (one === site) own.push(r);
    });
    const options = { file: `site ${site + 1}`, missing: 'refuse', kernels } as const;
    summaries.push(
      kernels.scoped(() => {
        const sums = summarizer(asMapped, layout, { ...options, ...defined({ grams }) });
        for (let from = 0; from < own.length; from += BATCH) {
          const rows = own.slice(from, from + BATCH);
          const columns = images.columns.map((values, k) => picked(values, rows, buffers[k]!));
          sums.add({ rows: rows.length, columns, complete: true }, (r) => rows[r]! + 1);
        }
        return sums.finish();
      }),
    );
    done += own.length;
    yield done / siteOf.length;
  }
  return summaries;
}
