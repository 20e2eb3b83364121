import type { Agreement } from '../federate.ts';
import type { TableTraits } from './cells.ts';
import type { SqlDialect } from './dialect.ts';
import { flat } from './flat.ts';
import { type Sql, sql } from './layers.ts';
import type { SqlQuery } from './sql-answer.ts';
import { type SqlOutput, sumsPlan } from './sums-plan.ts';
import { inParts, sourceOf } from './sums-query.ts';

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
  const sums = inParts(
    plan.outputs.filter((one) => !ofAllRows(one)),
    plan.common,
    dialect,
  ).map((group) => [used, common.get('row_check')!, ...group]);
  const wanted = [
    { outputs: counts, condition: undefined },
    ...sums.map((outputs) => ({ outputs, condition: usedRows })),
  ];
  const queries = wanted.map(({ outputs, condition }, k): SqlQuery | undefined => {
    const selects = inEachPart(outputs, condition, parts, dialect);
    if (selects === undefined) return undefined;
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
  const written = queries.filter((query) => query !== undefined);
  return written.length < queries.length ? undefined : written;
}

/** One select for each part, as one relation. */
function inEachPart(
  outputs: readonly SqlOutput[],
  condition: Sql | undefined,
  parts: readonly string[],
  dialect: SqlDialect,
): string | undefined {
  const values = outputs.map(({ value }) => value);
  const written = flat(condition === undefined ? values : [...values, condition], dialect);
  if (written === undefined) return undefined;
  const { named, columns } = written;
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
