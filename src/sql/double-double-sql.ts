import type { SqlDialect } from './dialect.ts';
import { type Layers, type Sql, sql } from './layers.ts';

/** A value hi + lo of each row, as `numeric/double-double.ts` has it; an absent lo is 0 in every row. */
export interface SqlDouble {
  readonly hi: Sql;
  readonly lo?: Sql;
}

/** Double-double arithmetic in SQL: the operations of `numeric/double-double.ts`, one by one, so that every bit is the same. */
export interface SqlArithmetic {
  constant(value: number): SqlDouble;
  add(a: SqlDouble, b: SqlDouble): SqlDouble;
  negate(a: SqlDouble): SqlDouble;
  multiply(a: SqlDouble, b: SqlDouble): SqlDouble;
  power(a: SqlDouble, exponent: number): SqlDouble;
  absolute(a: SqlDouble): SqlDouble;
}

const SPLITTER = 134217729; // 2²⁷ + 1

export function sqlArithmetic(layers: Layers, dialect: SqlDialect): SqlArithmetic {
  const name = (definition: Sql) => layers.name(definition);

  /** `twoSum`. */
  const twoSum = (a: Sql, b: Sql) => {
    const hi = name(sql`(${a} + ${b})`);
    const z = name(sql`(${hi} - ${a})`);
    return { hi, lo: name(sql`((${a} - (${hi} - ${z})) + (${b} - ${z}))`) };
  };

  /** `quickTwoSum`. */
  const quickTwoSum = (a: Sql, b: Sql) => {
    const hi = name(sql`(${a} + ${b})`);
    return { hi, lo: name(sql`(${b} - (${hi} - ${a}))`) };
  };

  const split = (a: Sql) => {
    const t = name(sql`(${dialect.double(SPLITTER)} * ${a})`);
    const high = name(sql`(${t} - (${t} - ${a}))`);
    return { high, low: name(sql`(${a} - ${high})`) };
  };

  /** `twoProduct`; ranges are narrow enough for its first two tests to be false. */
  const twoProduct = (a: Sql, b: Sql) => {
    const hi = name(sql`(${a} * ${b})`);
    const [x, y] = [split(a), split(b)];
    const lo = sql`((((${x.high} * ${y.high} - ${hi}) + ${x.high} * ${y.low}) + ${x.low} * ${y.high}) + ${x.low} * ${y.low})`;
    return { hi, lo: name(lo) };
  };

  const multiply = (a: SqlDouble, b: SqlDouble): SqlDouble => {
    const p = twoProduct(a.hi, b.hi);
    // Products with a lo of 0 are 0, so what they are added to stays as it is.
    const cross = [
      ...(b.lo === undefined ? [] : [sql`${a.hi} * ${b.lo}`]),
      ...(a.lo === undefined ? [] : [sql`${a.lo} * ${b.hi}`]),
    ];
    const [first, second] = cross;
    if (first === undefined) return p;
    const both = second === undefined ? sql`(${first})` : sql`(${first} + ${second})`;
    return quickTwoSum(p.hi, name(sql`(${p.lo} + ${both})`));
  };

  return {
    constant: (value) => ({ hi: sql`${dialect.double(value)}` }),
    add(a, b) {
      const s = twoSum(a.hi, b.hi);
      if (a.lo === undefined && b.lo === undefined) return s;
      const t =
        a.lo !== undefined && b.lo !== undefined
          ? twoSum(a.lo, b.lo)
          : { hi: (a.lo ?? b.lo)!, lo: undefined };
      const u = quickTwoSum(s.hi, name(sql`(${s.lo} + ${t.hi})`));
      return quickTwoSum(u.hi, t.lo === undefined ? u.lo : name(sql`(${u.lo} + ${t.lo})`));
    },
    negate: ({ hi, lo }) => ({
      hi: name(sql`(-${hi})`),
      ...(lo === undefined ? {} : { lo: name(sql`(-${lo})`) }),
    }),
    multiply,
    power(a, exponent) {
      // As `ddPower`; its first product is with 1, which changes nothing.
      let result: SqlDouble | undefined;
      for (let base = a, rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
        if (rest % 2 === 1) result = result === undefined ? base : multiply(result, base);
        if (rest > 1) base = multiply(base, base);
      }
      return result ?? this.constant(1);
    },
    absolute({ hi, lo }) {
      const sized = (part: Sql) => name(sql`case when ${hi} < 0 then (-${part}) else ${part} end`);
      return { hi: sized(hi), ...(lo === undefined ? {} : { lo: sized(lo) }) };
    },
  };
}
