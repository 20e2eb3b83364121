import { DataError } from '../data-error.ts';
import { columnInterval } from '../features/reference.ts';
import type { Agreement } from '../federate.ts';
import { parseDecimal } from '../numeric/decimal.ts';
import {
  type CategoryColumn,
  defaultMissing,
  type NumberColumn,
  SITE_COLUMN,
} from '../study/codebook.ts';
import { trimBlanks } from '../table/cell-text.ts';
import { LARGEST_MAGNITUDE } from '../table/csv-fields.ts';
import { isMissingWord } from '../table/missing-words.ts';
import type { SqlDialect, SqlType } from './dialect.ts';
import { around, joinSql, type Layers, type Named, type Sql, sql } from './layers.ts';

/** What is known about the table beside its name. */
export interface TableTraits {
  /** The types of its columns, where the database was asked; without them each number is read by its text where that matters. */
  readonly types?: Readonly<Record<string, SqlType>>;
  /** The name of the site, for studies with an effect of the site. */
  readonly site?: string;
  /** Whether a condition of the query leaves only the rows that are used; else each value asks for itself. */
  readonly filtered?: boolean;
}

/** A column that the study reads, in SQL. */
export interface SqlCell {
  readonly name: string;
  /** 1 where the cell is missing, and 1 where the codebook does not allow it; else 0. */
  readonly missing: Named;
  readonly misfit: Named;
}

/** The cells of a table as the codebook reads them. */
export interface SqlCells {
  readonly read: readonly SqlCell[];
  /** 1 where all cells are there and fit. */
  readonly complete: Named;
  /** The same, and the weight is not zero, where rows have weights: the row is used. */
  readonly used: Named;
  /** The value of a column: a float64, or the index of a level. In rows that are not used it is some value of the column. */
  valueOf(name: string): Sql;
  /** A value in rows that are used, and another in the rest. */
  ifUsed(value: Sql, otherwise: string): Sql;
  /** A condition that holds only in rows that are used. */
  andUsed(condition: Sql): Sql;
}

/** The cells of the study's columns. */
export function sqlCells(
  { columns }: Pick<Agreement, 'columns'>,
  dialect: SqlDialect,
  { name }: Layers,
  traits: TableTraits,
  weights?: string,
): SqlCells {
  const found = columns.flatMap((wanted) => {
    const { column } = wanted;
    if (wanted.name === SITE_COLUMN || column.type === 'id') return [];
    const type = traits.types?.[wanted.name];
    return column.type === 'number'
      ? [{ name: wanted.name, ...numberCell(wanted.name, column, dialect, name, type) }]
      : [{ name: wanted.name, ...categoryCell(wanted.name, column, dialect, name, type) }];
  });
  const flags = found.flatMap(({ missing, misfit }) => [missing, misfit]);
  const complete = name(sql`case when ${joinSql(flags, ' + ')} = 0 then 1 else 0 end`);
  const weight = found.find((one) => one.name === weights)?.raw;
  const used =
    weight === undefined
      ? complete
      : name(
          sql`case when ${complete} = 1 and ${weight} <> ${dialect.double(0)} then 1 else 0 end`,
        );
  const { filtered = false } = traits;
  const ifUsed = (value: Sql, otherwise: string) =>
    filtered ? value : sql`case when ${used} = 1 then ${value} else ${otherwise} end`;
  const values = new Map(
    found.map(({ name: column, raw, spare }) => [column, name(ifUsed(raw, spare))]),
  );
  return {
    read: found,
    complete,
    used,
    ifUsed,
    andUsed: (condition) => (filtered ? condition : sql`${used} = 1 and ${condition}`),
    valueOf(column) {
      if (column === SITE_COLUMN) return siteLevel(columns, traits);
      return values.get(column)!;
    },
  };
}

interface CellParts {
  readonly missing: Named;
  readonly misfit: Named;
  readonly raw: Named;
  /** Any value that the column may have. */
  readonly spare: string;
}

function numberCell(
  column: string,
  rule: NumberColumn,
  dialect: SqlDialect,
  name: Layers['name'],
  type: SqlType | undefined,
): CellParts {
  const raw = name(sql`${dialect.number(dialect.quote(column), type)}`);
  const markers = (rule.missing ?? defaultMissing).map(trimBlanks);
  const numbers = markers.flatMap((marker) => parseDecimal(marker, rule.decimal) ?? []);
  const words = markers.includes('NA') || markers.some((one) => one.toLowerCase() === 'nan');
  const conditions = [
    sql`${raw} is null`,
    ...(words && isMissingWord('NaN') && dialect.isNaN ? [around(dialect.isNaN, raw)] : []),
    ...numbers.map((marker) => sql`${raw} = ${dialect.double(marker)}`),
  ];
  const missing = name(sql`case when ${joinSql(conditions, ' or ')} then 1 else 0 end`);
  const [low, high] = rule.range ?? [-LARGEST_MAGNITUDE, LARGEST_MAGNITUDE];
  const inside = sql`${raw} >= ${dialect.double(Math.max(low, -LARGEST_MAGNITUDE))} and ${raw} <= ${dialect.double(Math.min(high, LARGEST_MAGNITUDE))}`;
  const misfit = name(sql`case when ${missing} = 1 then 0 when ${inside} then 0 else 1 end`);
  return { missing, misfit, raw, spare: dialect.double(columnInterval(rule)?.low ?? 0) };
}

function categoryCell(
  column: string,
  { levels, missing: stated }: CategoryColumn,
  dialect: SqlDialect,
  name: Layers['name'],
  type: SqlType | undefined,
): CellParts {
  const label = name(sql`${dialect.label(dialect.quote(column), type)}`);
  const known = [...new Set(stated ?? defaultMissing.filter((one) => !levels.includes(one)))];
  const texts = (spellings: readonly string[]) =>
    [...new Set(spellings)].map((one) => dialect.labelText(one)).join(', ');
  const conditions = [
    sql`${label} is null`,
    ...(known.length === 0 ? [] : [sql`${label} in (${texts(known.map(trimBlanks))})`]),
  ];
  const missing = name(sql`case when ${joinSql(conditions, ' or ')} then 1 else 0 end`);
  const cases = spellingsOf(column, levels).map(
    (spellings, code) => sql`when ${label} in (${texts(spellings)}) then ${code}`,
  );
  const raw = name(sql`case ${joinSql(cases, ' ')} else -1 end`);
  const misfit = name(sql`case when ${missing} = 1 then 0 when ${raw} >= 0 then 0 else 1 end`);
  return { missing, misfit, raw, spare: '0' };
}

/** The texts of each level, without blanks around them: a logical word in any case, a whole number with a zero behind its point. */
function spellingsOf(column: string, levels: readonly string[]): readonly (readonly string[])[] {
  const trimmed = levels.map(trimBlanks);
  if (new Set(trimmed).size < levels.length) {
    throw new DataError(
      'two levels differ only in the blanks around them, which a query does not tell apart',
      { column },
      'let the rows be read instead: stream them, or export them to a file',
    );
  }
  const logical = trimmed.every((level) => /^(?:true|false)$/i.test(level));
  return trimmed.map((level) => {
    if (logical) {
      const yes = level.toLowerCase() === 'true';
      return yes
        ? [level, 'true', 'TRUE', 'True', 't', '1']
        : [level, 'false', 'FALSE', 'False', 'f', '0'];
    }
    return /^-?\d+$/.test(level) ? [level, `${level}.0`] : [level];
  });
}

function siteLevel(columns: Agreement['columns'], { site }: TableTraits): Sql {
  const { column } = columns.find(({ name }) => name === SITE_COLUMN)!;
  const level = site === undefined ? -1 : (column.levels ?? []).indexOf(site);
  if (level >= 0) return sql`${level}`;
  throw new DataError(
    site === undefined
      ? 'the study has an effect of the site, so the query depends on the site’s name'
      : `the study has no site named "${site}"`,
    { column: SITE_COLUMN },
    `name the site; its sites are ${(column.levels ?? []).join(', ')}`,
  );
}
