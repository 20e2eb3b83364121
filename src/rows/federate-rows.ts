import type { ZodError } from 'zod';
import { type ConclusionTerms, conclude, type NoResult, type Result } from '../conclude.ts';
import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { FailureError } from '../failure.ts';
import { withAllowedRange } from '../features/reference.ts';
import {
  type Agreement,
  agreement,
  codebookIn,
  collect,
  contribution,
  openly,
  reduction,
} from '../federate.ts';
import { parseStudy } from '../fusion/study-schema.ts';
import type { Summary } from '../statistic/cross-product.ts';
import type { Contribution } from '../statistic/envelope.ts';
import type { Statistic } from '../statistic/statistic.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import type { Study, TableStudy } from '../study/study.ts';
import { type CellValue, inMemoryBlock } from '../table/in-memory.ts';
import { arrangement, columnsToRead, misfitsIn } from './read-rows.ts';

/** What a study needs at least. The rest is least squares, in exact arithmetic, under the default disclosure rules. */
export interface StudyOutline
  extends Pick<TableStudy, 'formula' | 'codebook'>,
    Partial<Omit<TableStudy, 'formula' | 'codebook'>> {}

/** The rows of a site in memory: one object a row, or one array a column. Other columns than the study's are ignored. */
export type InMemoryRows =
  | readonly Readonly<Record<string, CellValue>>[]
  | Readonly<Record<string, ArrayLike<CellValue>>>;

/** Choices that a study leaves open. */
export interface FederateOptions extends Partial<Omit<ConclusionTerms, 'sites'>> {
  /** Leave out rows with a missing cell (the default), or refuse them. */
  readonly missing?: 'drop' | 'refuse';
}

/** What came of a study whose sites are all in memory. */
export interface Federated extends Result {
  readonly study: Study;
  /** What each site sent, in the order of the sites. */
  readonly contributions: readonly Contribution[];
  /** Their sum. Absent in a private study: only the sum with noise may be published. */
  readonly total?: Statistic;
}

/**
 * A whole study in one process: every site reduces its rows and contributes once, the contributions are added, the model
 * is made. The steps, the numbers and the disclosure rules of the total are those of a coordinator; the audit that a site
 * runs before it sends is not repeated. Throws a `FailureError` that names the problem and the remedy.
 */
export function federate(
  study: Study | StudyOutline,
  sites: Readonly<Record<string, InMemoryRows>>,
  { missing = 'drop', ...terms }: FederateOptions = {},
): Federated {
  const agreed = openly(agreement(checkedStudy(study)));
  const reduced = sitesOf(agreed, sites).map(([name, rows]) => ({
    name,
    summary: reducedRows(agreed, name, rows, missing),
  }));
  const contributions = reduced.map(({ name, summary }) => contribution(agreed, name, summary));
  const collected = collect(agreed, contributions);
  if ('problem' in collected) throw failed(collected);
  const lines = reduced.map(({ name, summary }) => ({
    name,
    n: summary.rows,
    dropped: summary.dropped,
  }));
  const result = conclude(agreed, collected, { audience: 'analyst', ...terms, sites: lines });
  if ('problem' in result) throw failed(result);
  const isPrivate = agreed.method.noise !== undefined;
  const total = isPrivate ? undefined : collected.total;
  return { study: agreed.study, ...result, contributions, ...defined({ total }) };
}

function failed({ withheld, ...failure }: NoResult): FailureError {
  return new FailureError(withheld === true ? 'policy' : 'data', failure);
}

const leastSquares = {
  schema: 'suffice/study@1',
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
} as const;

/** The study with what its outline left out; refuses what is no study, by key. */
function checkedStudy(study: Study | StudyOutline): Study {
  try {
    return parseStudy({ ...leastSquares, ...study });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ZodError') throw error;
    const [issue] = (error as ZodError).issues;
    throw new DataError(
      `the study’s ${issue.path.join('.') || 'keys'}: ${issue.message}`,
      {},
      'correct the study: it needs a formula and a codebook with every column of the formula',
    );
  }
}

/** The sites by name; refuses a study without sites, and a site whose effect the study does not know. */
function sitesOf(
  agreed: Agreement,
  sites: Readonly<Record<string, InMemoryRows>>,
): [name: string, rows: InMemoryRows][] {
  const given = isRecord(sites) ? Object.entries(sites) : [];
  if (given.length === 0) {
    throw new DataError(
      'there are no sites',
      {},
      'give the rows of each site under its name: { north: rows, south: rows }',
    );
  }
  if (!agreed.columns.some(({ name }) => name === SITE_COLUMN)) return given;
  const known = codebookIn(agreed)[SITE_COLUMN]?.levels ?? [];
  const unknown = given.find(([name]) => !known.includes(name));
  if (unknown === undefined) return given;
  throw new DataError(
    `the study has no effect for a site named ${unknown[0]}`,
    { column: SITE_COLUMN },
    `its sites are ${known.join(', ')}: rename the site, or add it to the levels of ${SITE_COLUMN} in the codebook`,
  );
}

function reducedRows(
  agreed: Agreement,
  site: string,
  rows: InMemoryRows,
  missing: 'drop' | 'refuse',
): Summary {
  const names = columnsToRead(agreed);
  const codebook = codebookIn(agreed);
  const misfits = misfitsIn(agreed);
  const wanted = names.map((name) => ({
    name,
    column: withAllowedRange(codebook[name]),
    misfits,
  }));
  const block = inMemoryBlock(wanted, columnsOf(site, rows, names), site);
  if (block.rows === 0) {
    throw new DataError('no rows', { file: site }, 'give its rows, or leave the site out');
  }
  const reducing = reduction(agreed, { file: site, missing });
  reducing.add(arrangement(agreed, names)(block, site), (r) => r + 1);
  return reducing.finish();
}

/** Rows as columns by name; a column that no row has is left out. */
function columnsOf(
  site: string,
  rows: InMemoryRows,
  names: readonly string[],
): Readonly<Record<string, ArrayLike<CellValue>>> {
  if (isRows(rows)) {
    const present =
      rows.length === 0 ? names : names.filter((name) => rows.some((row) => name in row));
    return Object.fromEntries(present.map((name) => [name, rows.map((row) => row[name])]));
  }
  if (isRecord(rows)) return rows;
  throw new DataError(
    'these are no rows',
    { file: site },
    'give one object a row, [{ x: 1, y: 2 }, …], or one array a column, { x: [1, …], y: [2, …] }',
  );
}

function isRows(rows: InMemoryRows): rows is readonly Readonly<Record<string, CellValue>>[] {
  return Array.isArray(rows) && rows.every(isRecord);
}

function isRecord(value: unknown): value is Readonly<Record<string, never>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
