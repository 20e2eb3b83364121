import type { Reference } from '../features/reference.ts';
import type { SqlCells } from './cells.ts';
import type { SqlDialect } from './dialect.ts';
import type { SqlDouble } from './double-double-sql.ts';
import { around, type Layers, type Named, type Sql, sql } from './layers.ts';

/** An int64 of each row that stands for value·2^shift of a column; its size is at most `bound`. */
export interface Slice {
  readonly value: Named;
  readonly shift: number;
  readonly bound: bigint;
}

/** A column of the model as integers on the study's grid: one int64 if it fits, and slices whose products fit. */
export interface GridColumn {
  readonly whole?: Slice;
  readonly slices: readonly Slice[];
}

const BITS = 22;
const SLICE = 2 ** BITS;

/**
 * Adding and subtracting 1.5·2⁵² rounds a float64 below 2⁵¹ to the nearest integer, ties to even: IEEE 754 has no other way to
 * add. ROUND() differs between engines.
 */
const ROUNDER = 1.5 * 2 ** 52;

/** Rounds columns to the grid as `numeric/exact-gram.ts` does. */
export function gridSlices(
  layers: Layers,
  dialect: SqlDialect,
  cells: Pick<SqlCells, 'ifUsed' | 'andUsed'>,
  grid: number,
) {
  const { name } = layers;
  const double = (value: number) => dialect.double(value);
  const nearest = (value: Sql) => sql`((${value} + ${double(ROUNDER)}) - ${double(ROUNDER)})`;
  const whole = (value: Sql) => name(around(dialect.whole, value));
  const ifUsed = (value: Sql) => cells.ifUsed(value, double(0));
  const slices = grid / BITS;

  /** One or two slices: value − center, times the grid over the scale, rounded. */
  const few = ({ hi }: SqlDouble, { center, scale }: Reference): GridColumn => {
    const factor = double(2 ** grid / scale);
    const centred = center === 0 ? hi : sql`(${hi} - ${double(center)})`;
    const rounded = name(ifUsed(nearest(sql`(${centred} * ${factor})`)));
    const all: Slice = { value: whole(rounded), shift: 0, bound: 1n << BigInt(grid) };
    if (slices === 1) return { whole: all, slices: [all] };
    const top = name(nearest(sql`(${rounded} * ${double(1 / SLICE)})`));
    const rest = name(sql`(${rounded} - ${top} * ${double(SLICE)})`);
    return { whole: all, slices: [slice(top, BITS), slice(rest, 0)] };
  };

  const slice = (value: Sql, shift: number): Slice => ({
    value: whole(value),
    shift,
    bound: 1n << BigInt(BITS),
  });

  /** The rounding error of a sum. */
  const errorOf = (a: Sql, b: Sql, sum: Sql): Named => {
    const z = name(sql`(${sum} - ${a})`);
    return name(sql`((${a} - (${sum} - ${z})) + (${b} - ${z}))`);
  };

  /** Three or four slices: `quantizeMany` of kernels/quantize.as.ts, step by step. */
  const many = ({ hi, lo }: SqlDouble, { center, scale }: Reference): GridColumn => {
    const factor = double(2 ** grid / scale);
    const value = name(hi);
    const difference = name(sql`(${value} + ${double(-center)})`);
    const lost = errorOf(value, sql`${double(-center)}`, difference);
    const error = lo === undefined ? lost : name(sql`(${lost} + ${lo})`);
    const a0 = name(ifUsed(sql`(${difference} * ${factor})`));
    const b0 = name(ifUsed(sql`(${error} * ${factor})`));
    let a = name(sql`(${a0} + ${b0})`);
    let b = errorOf(a0, b0, a);
    const found: Slice[] = [];
    for (let s = slices - 1; s > 0; s--) {
      const unit = 2 ** (BITS * s);
      const q = name(nearest(sql`(${a} * ${double(1 / unit)})`));
      found.push(slice(q, BITS * s));
      const rest = name(sql`(${a} - ${q} * ${double(unit)})`);
      a = name(sql`(${rest} + ${b})`);
      b = errorOf(rest, b, a);
    }
    const even = name(nearest(a));
    const last = sql`case when abs(${a} - ${even}) = ${double(0.5)} and ${b} > 0 then ${a} + ${double(0.5)} when abs(${a} - ${even}) = ${double(0.5)} and ${b} < 0 then ${a} - ${double(0.5)} else ${even} end`;
    return { slices: [...found, slice(name(last), 0)] };
  };

  return {
    number: (value: SqlDouble, reference: Reference): GridColumn =>
      slices <= 2 ? few(value, reference) : many(value, reference),
    /** 0 or 1, which are multiples of the whole grid. */
    indicator(condition: Sql): GridColumn {
      const flag = whole(sql`case when ${cells.andUsed(condition)} then 1 else 0 end`);
      const one: Slice = { value: flag, shift: grid, bound: 1n };
      return { whole: one, slices: [one] };
    },
  };
}
