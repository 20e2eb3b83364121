import { dd, ddLog } from '../numeric/double-double.ts';
import type { SqlDialect } from './dialect.ts';
import { around, type Layers, type Named, type Sql, sql } from './layers.ts';

/** Logarithms are sums of units of 2⁻⁴⁴, as `statistic/cross-product.ts` adds them. */
const UNIT = 2 ** 44;
/** Powers of two between which the logarithm of a weight is computed; 3e-20 to 9e18. */
const EXPONENTS = [-64, 63] as const;
/** Adding and subtracting 1.5·2⁵² rounds to the nearest integer (`grid-slices.ts`). */
const ROUNDER = 1.5 * 2 ** 52;
/** The denominators of the two factors that bring a number in [1, 2) to 1 ± 2⁻¹³. */
const COARSE = 2 ** 8;
const FINE = 2 ** 13;
const MOST_FINE = 33;
/** A number in [1, 2) times both factors is exact in two parts; the first has 24 bits. */
const FIRST_PART = 1.5 * 2 ** (52 - 23);
/** More than the error of the fraction, in units: that of z² is 2⁻³⁷, and all others are smaller. */
const ERROR = 2 ** -35;

/** The logarithm of each row's weight, in units of 2⁻⁴⁴, rounded as reading the rows rounds it. */
export interface SqlLogarithm {
  readonly units: Named;
  /** 1 where another number of units is as near as the arithmetic of a query can tell; else 0. */
  readonly unsure: Named;
}

/** The smallest and the largest weight whose logarithm is computed. */
export const logarithmRange: readonly [number, number] = [
  2 ** EXPONENTS[0],
  2 ** (EXPONENTS[1] + 1),
];

/**
 * ln w by + − × ÷ and comparisons alone, because engines have logarithms of different quality: w = 2ᵏ·m, and m·(r/2⁸)·(1 + j/2¹³) =
 * 1 + z with a small z, so ln w = k ln 2 − ln(r/2⁸) − ln(1 + j/2¹³) + z − z²/2 + …, with the three logarithms from tables. Whole
 * units are added apart from fractions, so the error is below 2⁻³⁵ units; where that could decide how it is rounded, the row is unsure.
 */
export function logarithmSql(
  weight: Named,
  [low, high]: readonly [number, number],
  { name }: Layers,
  dialect: SqlDialect,
): SqlLogarithm {
  const double = (value: number) => dialect.double(value);
  const nearest = (value: Sql, rounder = ROUNDER) =>
    sql`((${value} + ${double(rounder)}) - ${double(rounder)})`;
  const exponents = exponentsOf(low, high);
  const k = name(
    tree(
      weight,
      exponents.map((value) => ({ from: 2 ** value, value })),
      double,
    ),
  );
  const scales = exponents.map((exponent) => ({ from: exponent, value: 2 ** -exponent }));
  const m = name(sql`(${weight} * ${name(looker(k, scales, dialect))})`);
  const r = name(nearest(sql`(${double(COARSE)} / ${m})`));
  const near = name(sql`((${m} * ${r}) * ${double(1 / COARSE)} - ${double(1)})`);
  const j = name(sql`(${double(0)} - ${nearest(sql`(${near} * ${double(FINE)})`)})`);
  const factor = name(
    sql`((${r} * ${double(1 / COARSE)}) * (${double(1)} + ${j} * ${double(1 / FINE)}))`,
  );
  const first = name(nearest(sql`${m}`, FIRST_PART));
  const large = name(sql`(${first} * ${factor} - ${double(1)})`);
  const small = name(sql`((${m} - ${first}) * ${factor})`);
  const z = name(sql`(${large} + ${small})`);
  // In units from here on.
  const square = name(sql`((${large} * ${large}) * ${double(-UNIT / 2)})`);
  const cross = sql`((${large} + ${small} * ${double(0.5)}) * ${small}) * ${double(-UNIT)}`;
  const cube = sql`((${z} * ${z}) * ${z}) * (${double(UNIT / 3)} - ${z} * (${double(UNIT / 4)} - ${z} * (${double(UNIT / 5)} - ${z} * ${double(UNIT / 6)})))`;
  const ofCoarse = tableOf(range(COARSE / 2, COARSE).map((at) => ({ at, factor: at / COARSE })));
  const ofFine = tableOf(range(-MOST_FINE, MOST_FINE).map((at) => ({ at, factor: 1 + at / FINE })));
  const two = parts(2);
  const looked = (value: Named, table: readonly Entry[], part: 'whole' | 'fraction') => {
    const steps = table.map((entry) => ({ from: entry.at, value: 0 - entry[part] }));
    return name(looker(value, steps, dialect));
  };
  const exact = [large, small].map((part) => name(sql`(${part} * ${double(UNIT)})`));
  const halves = [...exact, square].map((value) => ({ value, whole: name(nearest(value)) }));
  const whole = name(
    sql`(${k} * ${double(two.whole)} + ${looked(r, ofCoarse, 'whole')} + ${looked(j, ofFine, 'whole')} + ${halves[0]!.whole} + ${halves[1]!.whole} + ${halves[2]!.whole})`,
  );
  const rests = halves.map((half) => name(sql`(${half.value} - ${half.whole})`));
  const fraction = name(
    sql`(${k} * ${double(two.fraction)} + ${looked(r, ofCoarse, 'fraction')} + ${looked(j, ofFine, 'fraction')} + ${rests[0]!} + ${rests[1]!} + ${rests[2]!} + ${cross} + ${cube})`,
  );
  /** Rounded to a float64 by the addition, then to units, halves up. */
  const rounded = (rest: Sql): Named => {
    const value = name(sql`(${whole} + ${rest})`);
    const even = name(nearest(value));
    return name(
      sql`case when ${value} - ${even} = ${double(0.5)} then ${even} + ${double(1)} else ${even} end`,
    );
  };
  const [least, most] = [-ERROR, ERROR].map((error) =>
    rounded(sql`(${fraction} + ${double(error)})`),
  );
  const isSure = sql`${least!} = ${most!} and abs(${z}) <= ${double(2 / FINE)}`;
  return {
    units: name(sql`case when ${isSure} then ${around(dialect.whole, least!)} else 0 end`),
    unsure: name(sql`case when ${isSure} then 0 else 1 end`),
  };
}

function exponentsOf(low: number, high: number): number[] {
  const exponentOf = (value: number) => {
    const near = Math.round(Math.log2(value));
    return 2 ** near > value ? near - 1 : near;
  };
  const [least, most] = EXPONENTS;
  return range(
    exponentOf(Math.max(low, 2 ** least)),
    Math.max(0, Math.min(most, exponentOf(high))),
  );
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, k) => from + k);
}

interface Entry {
  readonly at: number;
  /** The logarithm in whole units, and the rest. */
  readonly whole: number;
  readonly fraction: number;
}

function parts(value: number): Omit<Entry, 'at'> {
  const { hi, lo } = ddLog(dd(value));
  const whole = Math.round(hi * UNIT);
  return { whole, fraction: hi * UNIT - whole + lo * UNIT };
}

function tableOf(keys: readonly { readonly at: number; readonly factor: number }[]): Entry[] {
  return keys.map(({ at, factor }) => ({ at, ...parts(factor) }));
}

interface Step {
  /** From this value on, up to that of the next step. */
  readonly from: number;
  readonly value: number;
}

/** A value of a table with a step for each integer. */
function looker(value: Named, steps: readonly Step[], dialect: SqlDialect): Sql {
  const { element } = dialect;
  if (element === undefined) return tree(value, steps, (one) => dialect.double(one));
  const place = around(dialect.whole, sql`(${value} - ${dialect.double(steps[0]!.from - 1)})`);
  return around(
    (text) =>
      element(
        text,
        steps.map((step) => step.value),
      ),
    place,
  );
}

/** A function of steps, as a tree of comparisons. */
function tree(value: Named, steps: readonly Step[], double: (value: number) => string): Sql {
  if (steps.length === 1) return sql`${double(steps[0]!.value + 0)}`;
  const half = steps.length >> 1;
  const [below, above] = [steps.slice(0, half), steps.slice(half)].map((side) =>
    tree(value, side, double),
  );
  return sql`case when ${value} < ${double(steps[half]!.from)} then ${below!} else ${above!} end`;
}
