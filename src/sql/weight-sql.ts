import type { Reference } from '../features/reference.ts';
import type { SqlCells } from './cells.ts';
import type { SqlDialect } from './dialect.ts';
import type { SqlArithmetic, SqlDouble } from './double-double-sql.ts';
import { around, type Layers, type Named, type Sql, sql } from './layers.ts';
import { logarithmRange, logarithmSql, type SqlLogarithm } from './logarithm-sql.ts';
import type { Pushable } from './pushable.ts';

/** How the rows of a weighted study count, in SQL. */
export interface SqlWeight {
  /** The weight of a row: 1 in rows that are not used, and where it is too small to compute with. */
  readonly value: Named;
  readonly logarithm: SqlLogarithm;
  /** √w·(v − centre)/scale of a column, over the scale of the weights, as `statistic/cross-product.ts` has it. */
  weighted(value: SqlDouble, reference: Reference): SqlDouble;
  /** The same of a column that is 1 where a condition holds. */
  indicated(condition: Sql): SqlDouble;
}

/** The weight of each row; undefined where all rows count alike. */
export function sqlWeight(
  { study, layout }: Pushable,
  cells: SqlCells,
  arithmetic: SqlArithmetic,
  layers: Layers,
  dialect: SqlDialect,
): SqlWeight | undefined {
  const { weightScale, grid } = layout;
  const { squareRoot } = dialect;
  if (weightScale === null || study.weights === undefined || squareRoot === undefined) {
    return undefined;
  }
  const { name } = layers;
  const double = (value: number) => dialect.double(value);
  const column = study.codebook[study.weights]!;
  const [low, high] = (column.type === 'number' && column.range) || logarithmRange;
  const own = cells.valueOf(study.weights);
  const [least, most] = logarithmRange;
  const isUsable = sql`${cells.used} = 1 and ${own} >= ${double(least)} and ${own} < ${double(most)}`;
  const value = name(sql`case when ${isUsable} then ${own} else ${double(1)} end`);
  const tooFar = name(sql`case when ${cells.used} = 1 and not (${isUsable}) then 1 else 0 end`);
  const found = logarithmSql(value, [low, high], layers, dialect);

  /** `ddSqrt`. */
  const x = name(sql`(${double(1)} / ${around(squareRoot, value)})`);
  const y = name(sql`(${value} * ${x})`);
  const left = arithmetic.add(
    { hi: value },
    arithmetic.negate(arithmetic.multiply({ hi: y }, { hi: y })),
  );
  const step = name(sql`(${left.hi} * (${x} * ${double(0.5)}))`);
  const root = scaled(arithmetic.add({ hi: y }, { hi: step }), 1 / weightScale);

  function scaled({ hi, lo }: SqlDouble, by: number): SqlDouble {
    if (by === 1) return lo === undefined ? { hi } : { hi, lo };
    const times = (part: Sql) => name(sql`(${part} * ${double(by)})`);
    return { hi: times(hi), ...(lo === undefined ? {} : { lo: times(lo) }) };
  }

  function centred({ hi, lo }: SqlDouble, center: number): SqlDouble {
    if (center === 0) return lo === undefined ? { hi } : { hi, lo };
    const difference = arithmetic.add({ hi }, arithmetic.constant(-center));
    return lo === undefined ? difference : arithmetic.add(difference, { hi: lo });
  }

  return {
    value,
    logarithm: { ...found, unsure: name(sql`(${found.unsure} + ${tooFar})`) },
    weighted({ hi, lo }, { center, scale }) {
      // A coarse grid takes no second part of a value.
      const whole: SqlDouble = lo === undefined || grid <= 44 ? { hi } : { hi, lo };
      return arithmetic.multiply(scaled(centred(whole, center), 1 / scale), root);
    },
    indicated: (condition) => {
      const masked = (part: Sql) =>
        name(sql`case when ${condition} then ${part} else ${double(0)} end`);
      return { hi: masked(root.hi), ...(root.lo && { lo: masked(root.lo) }) };
    },
  };
}
