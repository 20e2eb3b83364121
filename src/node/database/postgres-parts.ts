import { doubleQuoted } from '../../sql/literals.ts';
import type { DatabaseColumn, RowsElsewhere } from './engine.ts';

/** The parts of a table of which other servers hold some: a foreign table, or the partitions of a parent. */
export interface ForeignParts {
  readonly names: readonly string[];
  /** A part that the role may read through its parent only. */
  readonly closed?: string;
}

type RowsOf = (sql: string, values?: readonly unknown[]) => Promise<string[][]>;

/** The parts of a table, quoted; undefined where this server holds all rows itself. */
export async function foreignParts(
  oid: string,
  kind: string,
  rowsOf: RowsOf,
): Promise<ForeignParts | undefined> {
  if (!'fp'.includes(kind)) return undefined;
  const [[version]] = await rowsOf("select current_setting('server_version_num')");
  if (kind === 'p' && Number(version) < 120_000) return undefined;
  const leaves = await rowsOf(
    kind === 'f'
      ? "select $1::regclass::text, 'f', true"
      : `select relid::regclass::text, relkind, has_any_column_privilege(relid, 'select')
         from pg_partition_tree($1) join pg_class on oid = relid where isleaf order by 1`,
    [oid],
  );
  if (!leaves.some(([, leaf]) => leaf === 'f')) return undefined;
  const closed = leaves.find(([, , may]) => may !== 't');
  return {
    names: leaves.map(([name]) => name!),
    ...(closed === undefined ? {} : { closed: closed[0]! }),
  };
}

/** The parts as queries use them; the plan of the server says what would travel. */
export function partsElsewhere({ names, closed }: ForeignParts, rowsOf: RowsOf): RowsElsewhere {
  return {
    parts: names,
    async whyFetched(sql) {
      if (closed !== undefined) return `the role may read ${closed} through its parent only`;
      const [[text]] = await rowsOf(`explain (verbose, costs off, format json) ${sql}`);
      const [{ Plan: plan }] = JSON.parse(text!) as [{ Plan: PlanNode }];
      const fetching = nodesIn(plan).find(
        ({ 'Node Type': type, Relations: relations }) =>
          type === 'Foreign Scan' && !relations?.startsWith('Aggregate on '),
      );
      return (
        fetching &&
        `the server of ${fetching['Relation Name'] ?? 'a part'} cannot be sent these sums (docs/databases.md)`
      );
    },
  };
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly Relations?: string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

function nodesIn(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesIn)];
}

/** The hash of a cell by its type: built-in functions, which postgres_fdw sends to the other server. */
const hashes: Readonly<Record<string, readonly [hash: string, inPlaceOfNull: string]>> = {
  'double precision': ['hashfloat8extended', "'0'::float8"],
  real: ['hashfloat4extended', "'0'::float4"],
  smallint: ['hashint2extended', '0::int2'],
  integer: ['hashint4extended', '0'],
  bigint: ['hashint8extended', '0::int8'],
  numeric: ['hash_numeric_extended', '0::numeric'],
  text: ['hashtextextended', "''::text"],
  'character varying': ['hashtextextended', "''::text"],
  boolean: ['hashint4extended', '0'],
  date: ['timestamp_hash_extended', "'2000-01-01'::timestamp"],
  uuid: ['uuid_hash_extended', "'00000000-0000-0000-0000-000000000000'::uuid"],
};

/** How the value of a type is handed to its hash, where that is not as it is. */
const handed: Readonly<Record<string, (cell: string) => string>> = {
  boolean: (cell) => `case when ${cell} then 1 else 0 end`,
  date: (cell) => `cast(${cell} as timestamp)`,
  'character varying': (cell) => `cast(${cell} as text)`,
};

/** A hash of a row that each server can compute of its own rows; undefined where a type has none. */
export function rowHash(columns: readonly DatabaseColumn[]): string | undefined {
  let hash = '0::int8';
  for (const { name, type } of columns) {
    const [call, zero] = hashes[type] ?? [];
    if (call === undefined) return undefined;
    const cell = doubleQuoted(name);
    const value = handed[type]?.(cell) ?? cell;
    // A hash is the seed of the next one, so the order of cells counts, and so does a missing one.
    hash = `${call}(case when ${cell} is null then ${zero} else ${value} end, (${hash}) # (case when ${cell} is null then 1::int8 else 2::int8 end))`;
  }
  return hash;
}

/** The number of rows and the sum of their hashes, each part by its own server. */
export function stateOfParts(parts: readonly string[], hash: string): string {
  const selects = parts.map((part) => `select count(*) as n, sum(${hash}) as s from ${part}`);
  return `select sum(n), sum(s) from (\n${selects.join('\nunion all\n')}\n) as parts`;
}
