import { floatGram, type GramColumn, packedLength } from '../numeric/gram.ts';
import type { Kernels } from '../numeric/kernels.ts';
import type { Grams } from '../statistic/cross-product.ts';
import { entriesOf, wordsOf } from '../statistic/layout.ts';
import { type LinearLayout, predictorsOf, triangleEntries } from '../statistic/linear-layout.ts';
import { type RingVector, setRingEntry } from '../statistic/ring.ts';
import { STEPS } from './private-rows.ts';

/** Exact sums over rows of whole numbers, in kernel memory. */
export interface PrivateSums {
  /** Columns of z, constant first, response last. */
  readonly columns: readonly GramColumn[];
  add(rows: number): void;
  /** The statistic's 32-bit words; takes the number of rows. */
  total(rows: number): RingVector;
}

/** Sums of the products of all columns; in a gradient step, of the predictors with the residual. */
export function privateSums(
  layout: LinearLayout,
  kernels: Kernels,
  capacity: number,
  grams: Pick<Grams, 'floatGram'> = { floatGram },
): PrivateSums {
  const columns = layout.columns.map(() => {
    return { hi: kernels.allocate(capacity * 8), lo: 0, center: 0, scale: 1 };
  });
  return layout.privacy?.kind === 'gradient'
    ? gradientSums(layout, kernels, columns)
    : productSums(layout, columns, () => grams.floatGram(kernels, columns, capacity));
}

function productSums(
  layout: LinearLayout,
  columns: readonly GramColumn[],
  fresh: () => ReturnType<typeof floatGram>,
): PrivateSums {
  const { bound } = layout.privacy!;
  const sums = new Array<bigint>(packedLength(columns.length)).fill(0n);
  // Sums of this many products are whole numbers below 2⁵³, which float64 adds exactly in any order.
  const most = Math.floor(2 ** 53 / Math.max(STEPS ** 2, bound ** 2));
  let gram = fresh();
  let held = 0;
  const flush = () => {
    gram.total().forEach((sum, k) => {
      sums[k] += BigInt(sum);
    });
    gram = fresh();
    held = 0;
  };
  return {
    columns,
    add(rows) {
      if (held + rows > most) flush();
      gram.add(rows);
      held += rows;
    },
    total(rows) {
      flush();
      const values = new Uint32Array(entriesOf(layout) * wordsOf(layout));
      const write = (k: number, sum: bigint) => setRingEntry(values, wordsOf(layout), k, sum);
      sums.forEach((sum, k) => {
        write(k, sum);
      });
      write(triangleEntries(layout), BigInt(rows) * BigInt(STEPS ** 2));
      return values;
    },
  };
}

function gradientSums(
  layout: LinearLayout,
  kernels: Kernels,
  columns: readonly GramColumn[],
): PrivateSums {
  const sums = new Array<bigint>(predictorsOf(layout)).fill(0n);
  return {
    columns,
    add(rows) {
      const residuals = kernels.f64(columns[columns.length - 1].hi, rows);
      for (let j = 0; j < sums.length; j++) {
        const values = kernels.f64(columns[j].hi, rows);
        let sum = 0;
        for (let r = 0; r < rows; r++) sum += values[r] * residuals[r];
        sums[j] += BigInt(sum);
      }
    },
    total() {
      const values = new Uint32Array(entriesOf(layout) * wordsOf(layout));
      sums.forEach((sum, j) => {
        setRingEntry(values, wordsOf(layout), j, sum);
      });
      return values;
    },
  };
}
