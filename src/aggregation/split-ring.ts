import type { Design } from '../features/design.ts';
import { columnOwners, isZeroOne } from '../features/split-design.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { ColumnsAt } from './aggregation.ts';

/** A column of z as the parties multiply it: a value is an integer of at most 2^bits in size, times 2^shift grid steps. */
export interface SplitColumn {
  /** The party that has it; undefined for the constant, which every party has. */
  readonly owner: string | undefined;
  readonly bits: number;
  readonly shift: number;
}

/** The columns of a layout with their owners and bounds, which follow from the study alone. */
export function splitColumns(
  { grid, columns }: LinearLayout,
  design: Design,
  { parties }: Pick<ColumnsAt, 'parties'>,
): readonly SplitColumn[] {
  const owners = columnOwners(design, parties);
  const constant: SplitColumn = { owner: undefined, bits: 0, shift: grid };
  const others = design.columns.flatMap(({ origin }, index): SplitColumn[] => {
    if (origin === 'intercept') return [];
    const owner = owners[index];
    return isZeroOne(design, index)
      ? [{ owner, bits: 0, shift: grid }]
      : [{ owner, bits: grid, shift: 0 }];
  });
  const all = [constant, ...others];
  if (all.length !== columns.length) throw new RangeError('layout and design do not match');
  return all;
}

/**
 * Bytes of an integer that holds the sum of `rows` products of two columns: |Σ ab| ≤ n·2^(bits + bits), and one bit for the sign.
 * The bit length of n, not ⌈log₂ n⌉: four rows of ones sum to 4, which needs three bits and a sign.
 */
export function productBytes(
  rows: number,
  a: Pick<SplitColumn, 'bits'>,
  b: Pick<SplitColumn, 'bits'>,
): number {
  const bitLength = Math.floor(Math.log2(Math.max(1, rows))) + 1;
  return Math.ceil((bitLength + a.bits + b.bits + 1) / 8);
}
