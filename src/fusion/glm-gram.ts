import { DataError } from '../data-error.ts';
import { unitReference } from '../features/reference.ts';
import { exactGram, type Slices } from '../numeric/exact-gram.ts';
import { BLOCK_ROWS, floatGram, type GramAccumulator } from '../numeric/gram.ts';
import { createKernels, type Kernels } from '../numeric/kernels.ts';
import type { Grams, SummarizerOptions } from '../statistic/cross-product.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { setRingEntry } from '../statistic/ring.ts';
import type { GlmRows } from './glm-rows.ts';

/** The kernels and Gram functions that multiply. */
export interface Multiplier {
  readonly kernels: Kernels;
  readonly grams: Grams;
  /** Number of rows multiplied at a time. */
  readonly capacity: number;
}

export function multiplierFor(options: SummarizerOptions): Multiplier {
  return {
    kernels: options.kernels ?? createKernels(),
    grams: options.grams ?? { exactGram, floatGram },
    capacity: options.fewRows ? BLOCK_ROWS : 4 * BLOCK_ROWS,
  };
}

/** A running Σ w u uᵀ / weightScale² over the constant and the predictors, as a packed upper triangle. */
export interface WeightedGram<T> {
  add(rows: GlmRows, weights: Float64Array): void;
  total(): T;
}

/** Most copies a row is split into; above this the expected counts do not fit the data. */
const MOST_COPIES = 4096;

/** The heaviest row that can be added: above it, expected counts are far beyond the response's range. */
export function heaviestRow({ weightScale }: LinearLayout): number {
  return MOST_COPIES * (weightScale ?? 1) ** 2;
}

/** In float64: for the iterations at a site. */
export function floatInformation(
  multiplier: Multiplier,
  layout: LinearLayout,
): WeightedGram<Float64Array> {
  return weightedGram(multiplier, layout, (columns) =>
    multiplier.grams.floatGram(multiplier.kernels, columns, multiplier.capacity),
  );
}

/** In the ring of the study's arithmetic: for the sent statistic. */
export function ringInformation(
  multiplier: Multiplier,
  layout: LinearLayout,
): WeightedGram<Uint32Array> {
  if (layout.arithmetic === 'exact') {
    const slices = (layout.grid / 22) as Slices;
    return weightedGram(multiplier, layout, (columns) =>
      multiplier.grams.exactGram(multiplier.kernels, columns, multiplier.capacity, slices),
    );
  }
  const float = floatInformation(multiplier, layout);
  return {
    add: float.add,
    total() {
      const sums = float.total();
      const words = new Uint32Array(2 * sums.length);
      sums.forEach((sum, k) => {
        setRingEntry(words, 2, k, BigInt(Math.round(sum * 2 ** 32)));
      });
      return words;
    },
  };
}

function weightedGram<T>(
  { kernels, capacity }: Multiplier,
  layout: LinearLayout,
  make: (columns: Parameters<Grams['floatGram']>[1]) => GramAccumulator<T>,
): WeightedGram<T> {
  const width = layout.columns.length - 1;
  const square = (layout.weightScale ?? 1) ** 2;
  const columns = Array.from({ length: width }, () => ({
    hi: kernels.allocate(capacity * 8),
    lo: 0,
    ...unitReference,
  }));
  const gram = make(columns);
  const root = new Float64Array(capacity);
  return {
    add(rows, weights) {
      for (let from = 0; from < rows.rows; from += capacity) {
        const count = Math.min(capacity, rows.rows - from);
        let largest = 0;
        for (let r = 0; r < count; r++) largest = Math.max(largest, weights[from + r]);
        // The Gram takes values of at most 1; a heavier row counts as several lighter ones.
        const copies = Math.max(1, Math.ceil(largest / square));
        if (!(copies <= MOST_COPIES)) throw farBeyond();
        for (let r = 0; r < count; r++) root[r] = Math.sqrt(weights[from + r] / copies / square);
        rows.columns.forEach((values, j) => {
          const buffer = kernels.f64(columns[j].hi, count);
          for (let r = 0; r < count; r++) buffer[r] = root[r] * values[from + r];
        });
        for (let copy = 0; copy < copies; copy++) gram.add(count);
      }
    },
    total: () => gram.total(),
  };
}

function farBeyond(): DataError {
  return new DataError(
    'the coefficients to start from expect counts far beyond the range of the response',
    {},
    'start from coefficients of a fit to these data',
  );
}
