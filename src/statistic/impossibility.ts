import { impossibleEstimate } from './estimate.ts';
import { isLinear, type SegmentLayout, wordsOf } from './layout.ts';
import {
  fractionBitsOf,
  type LinearLayout,
  linearShape,
  type PrivateLayout,
  packedIndex,
  predictorsOf,
  triangleEntries,
} from './linear-layout.ts';
import { ringDoubleDoubles, ringEntry } from './ring.ts';
import { entriesIn, findSegment } from './segments.ts';
import { impossibleColumn } from './semidefinite.ts';
import type { LinearStatistic, Statistic } from './statistic.ts';
import { isSurelyDefinite } from './surely-definite.ts';

/** Most rows of a contribution; a site with more can send them in several. */
const MOST_ROWS = 2n ** 32n;

/**
 * Why no rows can give this statistic, if so: a fractional count or more than 2³² rows, a diagonal that is
 * negative or larger than n·max(u²), an entry that breaks Cauchy–Schwarz, or products that are not positive semidefinite.
 * Compact entries are float64 sums of n products of at most 1, off by up to n²·2⁻⁵³, and rounded one by one; the
 * inequalities allow for that. In Fisher information the response is a linear predictor, which has
 * no range, and its products were rounded separately.
 */
export function impossibility(statistic: LinearStatistic): string | undefined {
  const { layout, values } = statistic;
  if (layout.privacy !== undefined) return privateImpossibility(statistic, layout.privacy);
  if (layout.estimate !== undefined) return impossibleEstimate(statistic);
  const words = wordsOf(layout);
  const { columns } = layout;
  const at = (i: number, j: number) => ringEntry(values, words, packedIndex(columns.length, i, j));
  const { rows, unit } = rowsIn(statistic);
  const counted = impossibleRows(rows, unit);
  if (counted !== undefined) return counted;
  const slack = layout.arithmetic === 'compact' ? 2n + (((rows / unit) ** 2n) >> 21n) : 0n;
  const squares = columns.map((_, i) => at(i, i));
  const framed = framedColumns(layout);
  for (let i = 0; i < columns.length; i++) {
    if (squares[i] < 0n) return `the square of ${columns[i]} is negative`;
    if (i < framed && squares[i] > rows + slack) {
      return `the square of ${columns[i]} exceeds what its range allows`;
    }
  }
  const exactly = layout.family === undefined ? columns.length : columns.length - 1;
  // Definite products break no inequality: most contributions need no longer look.
  const broken = isSurelyDefinite(statistic, exactly)
    ? undefined
    : (brokenProduct(statistic, squares, exactly, slack) ??
      brokenSquares(statistic, exactly, Number(rows / unit)));
  if (broken !== undefined || layout.family === undefined) return broken;
  return impossibleResponse(statistic, rows, slack);
}

/** Why no rows can give this statistic of a site, if so. */
export function impossibleSums(statistic: Statistic): string | undefined {
  const { layout, values } = statistic;
  return isLinear(layout)
    ? impossibility({ layout, values })
    : segmentImpossibility({ layout, values });
}

/**
 * Why no rows of any sites can give this total, if so. Exact sums obey the same laws as those of one site. Sums that each site
 * has rounded need not, so only their number of rows is checked.
 */
export function impossibleTotal(statistic: Statistic): string | undefined {
  const { layout, values } = statistic;
  if (!isLinear(layout)) return segmentImpossibility({ layout, values });
  if (layout.estimate !== undefined) return undefined;
  if (layout.arithmetic === 'exact' && layout.family === undefined) {
    return impossibility({ layout, values });
  }
  const { rows, unit } = rowsIn({ layout, values });
  return impossibleRows(rows, unit);
}

/** The number of rows, and how one row counts; not in a private study. */
function rowsIn({ layout, values }: LinearStatistic): { rows: bigint; unit: bigint } {
  const place = layout.weightScale === null ? 0 : triangleEntries(layout);
  return {
    rows: ringEntry(values, wordsOf(layout), place),
    unit: 1n << BigInt(fractionBitsOf(layout)),
  };
}

/** A product of two of the first `exactly` columns that is larger than their squares allow. */
function brokenProduct(
  { layout, values }: LinearStatistic,
  squares: readonly bigint[],
  exactly: number,
  slack: bigint,
): string | undefined {
  const { columns } = layout;
  const words = wordsOf(layout);
  const bits = fractionBitsOf(layout);
  const lengths = squares.map((square) => Math.sqrt(Number(square) * 2 ** -bits));
  const row = { hi: new Float64Array(columns.length), lo: new Float64Array(columns.length) };
  for (let i = 0, index = 0; i < columns.length; i++) {
    ringDoubleDoubles(values, words, index, columns.length - i, bits, row, i);
    for (let j = i; j < columns.length; j++, index++) {
      // Float64 decides the clear cases, long integers the others.
      const entry = Math.abs(row.hi[j]);
      if (i === j || j >= exactly || entry < lengths[i] * lengths[j] * (1 - 1e-9)) continue;
      const exact = ringEntry(values, words, index);
      const magnitude = (exact < 0n ? -exact : exact) - slack;
      if (magnitude > 0n && magnitude ** 2n > (squares[i] + slack) * (squares[j] + slack)) {
        return `${columns[i]} × ${columns[j]} breaks Cauchy–Schwarz`;
      }
    }
  }
  return undefined;
}

/** Parts of a contribution in compact arithmetic, each rounded to 32 bits; more than any site has threads. */
const MOST_PARTS = 64;

/** A combination of the first `exactly` columns whose square is negative, beyond the rounding of n rows. */
function brokenSquares(
  statistic: LinearStatistic,
  exactly: number,
  rows: number,
): string | undefined {
  const compact = statistic.layout.arithmetic === 'compact';
  const error = compact
    ? { relative: (rows + 4) * 2 ** -52, absolute: MOST_PARTS * 2 ** -33 }
    : { relative: 0, absolute: 0 };
  const column = impossibleColumn(statistic, exactly, error);
  return column === undefined
    ? undefined
    : `the products of ${column} with the other columns are not those of any rows`;
}

function impossibleRows(rows: bigint, unit: bigint): string | undefined {
  if (rows < 0n || rows % unit !== 0n) return 'the number of rows is not a whole number';
  return rows > MOST_ROWS * unit ? 'there are more than 2³² rows' : undefined;
}

/** How many of the first columns have squares of at most n; expected counts may exceed the response's range. */
function framedColumns({ columns, family }: LinearLayout): number {
  if (family === undefined) return columns.length;
  return family === 'binomial' ? columns.length - 1 : 0;
}

/** A sum of the response outside 0 … n·max(y), or a fractional one for 0/1 responses. */
function impossibleResponse(
  { layout, values }: LinearStatistic,
  rows: bigint,
  slack: bigint,
): string | undefined {
  const sum = ringEntry(values, wordsOf(layout), triangleEntries(layout) + 2);
  if (sum < 0n || sum > rows + slack) return 'the sum of the response is outside its range';
  const whole = sum % (1n << BigInt(fractionBitsOf(layout))) === 0n;
  if (layout.priorWeights === true) {
    const { start } = findSegment(linearShape(layout), 'sum of the weights')!;
    const weights = ringEntry(values, wordsOf(layout), start);
    if (weights < 0n || weights > rows + slack)
      return 'the sum of the weights is outside its range';
    if (layout.family === 'binomial' && sum > weights + slack + (weights >> 40n)) {
      return 'the weights of the cases add up to more than all weights';
    }
  } else if (layout.family !== 'poisson' && !whole) {
    return 'the number of cases is not a whole number';
  }
  return layout.remainder === 'expected' ? impossibleDirections({ layout, values }) : undefined;
}

/** A number of independent columns, or of sites that bound a coefficient, that is no count. */
function impossibleDirections({ layout, values }: LinearStatistic): string | undefined {
  const unit = 1n << BigInt(fractionBitsOf(layout));
  const words = wordsOf(layout);
  const isCount = (name: string) => {
    const { segment, start } = findSegment(linearShape(layout), name)!;
    const entries = Array.from({ length: entriesIn(segment) }, (_, k) => start + k);
    return entries.every((k) => {
      const value = ringEntry(values, words, k);
      return value >= 0n && value % unit === 0n;
    });
  };
  return isCount('directions') && isCount('sites that bound it')
    ? undefined
    : 'the number of independent columns, or of bounded coefficients, is no count';
}

/** Larger sums of residuals times rows would need more rows than there are people. */
const LARGEST_GRADIENT = 1n << 62n;

/**
 * Why no scaled rows can give this statistic: a fractional count, rows longer than 1, responses beyond the bound, an entry
 * that breaks Cauchy–Schwarz or that must be 0 without an intercept. Sums with noise cannot be checked.
 */
function privateImpossibility(
  statistic: LinearStatistic,
  { kind, bound, noise }: PrivateLayout,
): string | undefined {
  const { layout, values } = statistic;
  const { columns, intercept } = layout;
  if (noise === 'at-sites') return undefined;
  const entry = (k: number) => ringEntry(values, wordsOf(layout), k);
  const constant = kind === 'gradient' ? [0] : columns.keys();
  for (const j of constant) {
    if (!intercept && entry(j) !== 0n) return `there is no intercept, and ${columns[0]} has sums`;
  }
  if (kind === 'gradient') {
    const large = columns.findIndex((_, j) => {
      return j < predictorsOf(layout) && magnitude(entry(j)) >= LARGEST_GRADIENT;
    });
    return large < 0 ? undefined : `the sum of ${columns[large]} is too large`;
  }
  const rows = entry(triangleEntries(layout));
  const unit = 1n << BigInt(fractionBitsOf(layout));
  const counted = impossibleRows(rows, unit);
  if (counted !== undefined) return counted;
  const squares = columns.map((_, i) => entry(packedIndex(columns.length, i, i)));
  const negative = squares.findIndex((square) => square < 0n);
  if (negative >= 0) return `the square of ${columns[negative]} is negative`;
  const length = squares.slice(0, predictorsOf(layout)).reduce((sum, square) => sum + square, 0n);
  if (length > rows) return 'the squares add up to more than rows of length 1 can';
  const last = columns.length - 1;
  if (squares[last] > (rows / unit) * BigInt(bound) ** 2n) {
    return `the square of ${columns[last]} exceeds what its bound allows`;
  }
  return (
    brokenProduct(statistic, squares, columns.length, 0n) ??
    brokenSquares(statistic, columns.length, Number(rows / unit))
  );
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Why no rows can give these segments: the only check is that `rows` is a whole number from 0 to 2³². */
export function segmentImpossibility({
  layout,
  values,
}: Statistic<SegmentLayout>): string | undefined {
  const rows = findSegment(layout, 'rows');
  if (rows === undefined) return undefined;
  const count = ringEntry(values, wordsOf(layout), rows.start);
  const unit = 1n << BigInt(rows.segment.fractionBits);
  return impossibleRows(count, unit);
}
