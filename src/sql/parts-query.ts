import type { Agreement } from '../federate.ts';
import type { TableTraits } from './cells.ts';
import type { SqlDialect } from './dialect.ts';
import { flat, flatLengths } from './flat.ts';
import { type Sql, sql } from './layers.ts';
import type { SqlQuery } from './sql-answer.ts';
import { type SqlOutput, sumsPlan } from './sums-plan.ts';
import { inParts, sourceOf } from './sums-query.ts';

/**
 * Most characters of one aggregate, and of all in one select, with everything written out. ClickHouse 18.16 analyses half a million
 * elements, which are some two million characters; PostgreSQL computes each value again wherever it stands.
 */
const MOST = { aggregate: 100_000, select: 1_000_000 };

/** Columns of a table whose names the query gives to values of its own. */
const OWN_NAME = /^_[vo]\d+$/;

/**
 * The statistic of a study whose rows are on several servers, as queries of one row each. Each part is summed by one select that its
 * server computes, and the sums of the parts are added, so that sums travel between the servers, not rows. The answers are those of `sumsQuery`.
 * Undefined where the study is too long to be written without inner selects.
 */
export function partsQuery(
  agreed: Agreement,
  { elsewhere, ...own }: SqlDialect,
  parts: readonly string[],
  traits: TableTraits = {},
): readonly SqlQuery[] | undefined {
  const dialect: SqlDialect = { ...own, ...elsewhere };
  const plan = sumsPlan(agreed, dialect, { ...traits, filtered: true });
  if (plan.cells.read.some(({ name }) => OWN_NAME.test(name))) return undefined;
  const common = new Map(plan.common.map((one) => [one.name, one]));
  const ofAllRows = ({ name }: SqlOutput) => /^(missing|misfit|no_level)_/.test(name);
  // A condition leaves the rows that are used, so what is known of the others is a query of its own.
  const counts = [common.get('row_count')!, common.get('used')!, ...plan.outputs.filter(ofAllRows)];
  const used = { name: 'used', value: sql`count(*)` };
  const usedRows = sql`${plan.cells.used} = 1`;
  const sums = plan.outputs.filter((one) => !ofAllRows(one));
  const lengths = flatLengths(sums.map(({ value }) => value));
  if (lengths.some((length) => length > MOST.aggregate)) return undefined;
  // ClickHouse counts the elements of all selects of a query.
  const most = dialect.named === undefined ? MOST.select : MOST.select / parts.length;
  const groups = inParts(sums, plan.common, dialect).flatMap((group) =>
    bySum(group, (one) => lengths[sums.indexOf(one)]!, most),
  );
  const wanted = [
    { outputs: counts, condition: undefined },
    ...groups.map((group) => ({
      outputs: [used, common.get('row_check')!, ...group],
      condition: usedRows,
    })),
  ];
  return wanted.map(({ outputs, condition }, k) => {
    const selects = inEachPart(outputs, condition, parts, dialect);
    const name = `sums ${k + 1} of ${wanted.length}`;
    const columns = [
      `${dialect.text(agreed.digest)} as study`,
      `${dialect.text(dialect.name)} as engine`,
      ...outputs.map((one, c) => `${foldOf(one)}(_o${c}) as ${one.name}`),
    ];
    return {
      name,
      sql: `-- Suffice: the statistic of a study, ${name}, summed where the rows are. It only reads.
-- Study ${agreed.digest}
select
  ${columns.join(',\n  ')}
from (
${selects}
) as parts
`,
      columns: ['study', 'engine', ...outputs.map((one) => one.name)],
    };
  });
}

/** One select for each part, as one relation. */
function inEachPart(
  outputs: readonly SqlOutput[],
  condition: Sql | undefined,
  parts: readonly string[],
  dialect: SqlDialect,
): string {
  const values = outputs.map(({ value }) => value);
  const { named, columns } = flat(
    condition === undefined ? values : [...values, condition],
    dialect,
  );
  const list = named.length === 0 ? '' : `with ${named.join(',\n  ')}\n`;
  const aggregates = outputs.map((_, k) => `${columns[k]} as _o${k}`).join(',\n  ');
  const where = condition === undefined ? '' : `\nwhere ${columns.at(-1)}`;
  const selects = parts.map(
    (part) => `${list}select ${aggregates}\nfrom ${sourceOf(part)}${where}`,
  );
  return selects.join('\nunion all\n');
}

/** How the values of the parts become one. */
function foldOf({ name }: SqlOutput): 'min' | 'max' | 'sum' {
  if (name.startsWith('least_')) return 'min';
  return name.startsWith('most_') ? 'max' : 'sum';
}

/** Neighbours in groups whose sizes add up to at most a limit. */
function bySum<T>(all: readonly T[], sizeOf: (one: T) => number, most: number): T[][] {
  const groups: T[][] = [];
  let sum = Number.POSITIVE_INFINITY;
  for (const one of all) {
    sum += sizeOf(one);
    if (sum > most) {
      groups.push([]);
      sum = sizeOf(one);
    }
    groups.at(-1)!.push(one);
  }
  return groups;
}
