import { defaultAudit } from '../../attack/default-audit.ts';
import { type Exposure, exposureOf } from '../../attack/exposure.ts';
import { DataError } from '../../data-error.ts';
import type { Audit, RuleOutcome } from '../../disclosure/rule.ts';
import { agreement, regressionOf } from '../../federate.ts';
import { seededWords } from '../../random/seeded-words.ts';
import { draftFor } from '../../rows/draft.ts';
import type { Pool } from '../../rows/pool.ts';
import { type FitPlan, prepareFit } from '../../rows/prepare-fit.ts';
import { columnsToRead, readTable } from '../../rows/read-rows.ts';
import type { Source } from '../../rows/source.ts';
import { openSource } from '../../rows/sources.ts';
import type { Watch } from '../../rows/watch.ts';
import { completeRows } from '../../statistic/complete-rows.ts';
import type { Codebook, Column } from '../../study/codebook.ts';
import { parseFormula } from '../../study/formula.ts';
import { nearNames } from '../../study/near-names.ts';
import type { TableStudy } from '../../study/study.ts';
import type { Block } from '../../table/columns.ts';
import { listed } from '../../text/number-text.ts';
import { nodeHost } from '../compute/host.ts';
import { createPool } from '../compute/pool.ts';
import type { FitRequest } from './fit.ts';

/** The file to attack, and the columns that a study would use. */
export interface AttackRequest
  extends Pick<FitPlan, 'codebook' | 'encoding' | 'decimal' | 'missingMarkers'>,
    Pick<FitRequest, 'threads'> {
  readonly path: string;
  readonly formula?: string;
  /** Columns instead of a formula; all columns if neither is given. */
  readonly columns?: readonly string[];
}

/** The result of the attacks on a file: counts, column names and row numbers, but no value of a row. */
export interface Attacked extends Exposure {
  readonly formula: string;
  readonly leftOut: readonly LeftOut[];
  /** Number of rows with a missing cell, and of rows after the last one read. */
  readonly dropped: number;
  readonly unread: number;
  /** The audit of the statistic by the default rules of a site. */
  readonly audit: Pick<Audit, 'outcome'> & {
    readonly rules: readonly Pick<RuleOutcome, 'rule' | 'title' | 'outcome'>[];
  };
}

/** A column of the file that no study could use, and why. */
export interface LeftOut {
  readonly column: string;
  readonly reason: string;
}

/** Most cells in memory: 128 MB. */
const MOST_CELLS = 2 ** 24;
/** Seed of the random rows, so that every run attacks the same ones. */
const SEED = 5;

/** Progress of reading, and of the enumeration of patterns. */
export interface AttackWatcher {
  readonly reading: Watch;
  patterns(tried: number, all: number): void;
}

/** Reads a site's file, and attacks the plain statistic that the site would send. */
export async function attackFile(request: AttackRequest, watch: AttackWatcher): Promise<Attacked> {
  const pool = createPool(request.threads);
  const asked = await attackedStudy(request, pool, watch.reading).finally(() => pool.close());
  const { study, leftOut, rows } = await withoutNames(request, asked);
  const agreed = agreement(study);
  const { block, rowOf, dropped, unread } = rows;
  if (block.rows === 0) {
    throw new DataError(
      'no row has all of its cells',
      { file: request.path },
      'choose columns that are filled in',
      { name: 'columns' },
    );
  }
  const { design, layout } = regressionOf(agreed);
  const target = { design, layout, codebook: study.codebook, block, file: request.path };
  const exposure = exposureOf(target, seededWords(SEED), watch.patterns);
  const audit = defaultAudit(target);
  const { differencing } = exposure;
  return {
    ...exposure,
    differencing: { ...differencing, rows: differencing.rows.map((r) => rowOf[r]) },
    formula: study.formula,
    leftOut,
    dropped,
    unread,
    audit: {
      outcome: audit.outcome,
      rules: audit.rules.map(({ rule, title, outcome }) => ({ rule, title, outcome })),
    },
  };
}

interface AttackedStudy {
  readonly study: TableStudy;
  readonly source: Source;
  readonly leftOut: readonly LeftOut[];
}

async function attackedStudy(
  request: AttackRequest,
  pool: Pool,
  watch: Watch,
): Promise<AttackedStudy> {
  const { formula, path, encoding, codebook } = request;
  if (formula !== undefined) {
    const prepared = await prepareFit(
      { ...request, ...plain, formula, files: [{ path }] },
      pool,
      watch,
    );
    return { study: prepared.study, source: prepared.sources[0], leftOut: [] };
  }
  const { columns } = request;
  const source = await openSource(
    pool.host,
    { path },
    columns ? [] : Object.keys(codebook ?? {}),
    encoding,
  );
  if (columns !== undefined) refuseUnknown(columns, source);
  const failed: LeftOut[] = [];
  const described =
    codebook ?? (await draftAll(request, source, pool, watch, (left) => failed.push(left)));
  const wanted = columns ?? (codebook === undefined ? source.header : Object.keys(codebook));
  const kept: Record<string, Column> = {};
  const leftOut = wanted.flatMap((name): LeftOut[] => {
    const column = described[name];
    const reason = failed.find((left) => left.column === name)?.reason ?? uselessFor(column);
    if (reason !== undefined) return [{ column: name, reason }];
    kept[name] = column;
    return [];
  });
  return { study: studyOver(kept, path), source, leftOut };
}

function refuseUnknown(columns: readonly string[], { header, name }: Source): void {
  const unknown = columns.find((name) => !header.includes(name));
  if (unknown === undefined) return;
  const near = nearNames(unknown, header);
  throw new DataError(
    `no column "${unknown}" in the file`,
    { file: name },
    near.length > 0 ? `did you mean ${near.join(', ')}?` : `there are ${listed(header)}`,
  );
}

/** Reads the rows. If no columns were asked for, texts that differ in most rows are left out: no study would use them. */
async function withoutNames(
  { formula, columns, codebook }: AttackRequest,
  asked: AttackedStudy,
): Promise<AttackedStudy & { readonly rows: CompleteRows }> {
  const rows = await readRows(asked.study, asked.source);
  if (formula !== undefined || columns !== undefined || codebook !== undefined) {
    return { ...asked, rows };
  }
  const { name: path } = asked.source;
  const entries = Object.entries(asked.study.codebook);
  const kept = entries.filter(
    ([, column]) => column.type === 'number' || 2 * (column.levels?.length ?? 0) <= rows.block.rows,
  );
  if (kept.length === entries.length) return { ...asked, rows };
  const study = studyOver(Object.fromEntries(kept), path);
  const names = entries
    .filter((entry) => !kept.includes(entry))
    .map(([column]) => ({ column, reason: 'another text in most rows' }));
  return {
    ...asked,
    study,
    leftOut: [...asked.leftOut, ...names],
    rows: await readRows(study, asked.source),
  };
}

const plain = {
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  missing: 'drop',
} as const;

/** Drafts a codebook; if no columns were named, columns without a draft are left out. */
async function draftAll(
  request: AttackRequest,
  source: Source,
  pool: Pool,
  watch: Watch,
  leave: (left: LeftOut) => void,
): Promise<Codebook> {
  let wanted = [...new Set(request.columns ?? source.header)];
  while (wanted.length > 0) {
    try {
      const formula = parseFormula(`${quoted(wanted[0])} ~ .`);
      const drafting = { ...request, formula, wanted, optional: [], listed: wanted };
      const { codebook } = await draftFor({ ...drafting, sources: [source] }, pool, watch);
      return codebook;
    } catch (failure) {
      const column = failure instanceof DataError ? failure.place.column : undefined;
      if (column === undefined || request.columns !== undefined) throw failure;
      leave({ column, reason: (failure as DataError).problem.split(':')[0] });
      wanted = wanted.filter((name) => name !== column);
    }
  }
  throw new DataError(
    'no column can be used',
    { file: source.name },
    'name columns of numbers or categories',
    { name: 'columns' },
  );
}

/** Why no study can use a column; undefined if one can. */
function uselessFor(column: Column | undefined): string | undefined {
  if (column === undefined) return 'not in the codebook';
  if (column.type === 'id') return 'says whose row it is';
  return column.type === 'number' || column.levels.length > 1
    ? undefined
    : 'only one value in this file';
}

/** A study of all columns; its response is the last number column, or the last column. */
function studyOver(codebook: Codebook, path: string): TableStudy {
  const names = Object.keys(codebook);
  if (names.length === 0) {
    const remedy = 'name some of its columns';
    throw new DataError('no column can be used', { file: path }, remedy, { name: 'columns' });
  }
  const response = names.findLast((name) => codebook[name].type === 'number') ?? names.at(-1)!;
  return {
    schema: 'suffice/study@1',
    formula: `${quoted(response)} ~ ${names.length === 1 ? '1' : '.'}`,
    codebook,
    fusion: plain.fusion,
    arithmetic: plain.arithmetic,
  };
}

function quoted(name: string): string {
  return /^[A-Za-z][A-Za-z0-9_.]*$/.test(name) ? name : `\`${name}\``;
}

interface CompleteRows {
  readonly block: Block;
  /** The data row of the file, from 1, of each row of the block. */
  readonly rowOf: readonly number[];
  readonly dropped: number;
  readonly unread: number;
}

async function readRows(study: TableStudy, source: Source): Promise<CompleteRows> {
  const columns = columnsToRead(agreement(study));
  const most = Math.floor(MOST_CELLS / columns.length);
  const blocks: Block[] = [];
  const rowOf: number[] = [];
  let dropped = 0;
  let unread = 0;
  const take = (read: Block, firstRow: number) => {
    if (rowOf.length >= most) {
      unread += read.rows;
      return;
    }
    const { block, origin } = completeRows(read, () => {});
    dropped += read.rows - block.rows;
    blocks.push({
      rows: block.rows,
      columns: block.columns.map((values) => values.slice(0, block.rows)),
    });
    for (let r = 0; r < block.rows; r++) rowOf.push(firstRow + (origin?.[r] ?? r));
  };
  await readTable(nodeHost, { source }, study.codebook, columns, take, () => {});
  const joined = columns.map((_, k) => {
    const values = new Float64Array(rowOf.length);
    let at = 0;
    for (const block of blocks) {
      values.set(block.columns[k], at);
      at += block.rows;
    }
    return values;
  });
  return { block: { rows: rowOf.length, columns: joined }, rowOf, dropped, unread };
}
