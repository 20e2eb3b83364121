import { defaultAudit } from '../attack/default-audit.ts';
import { type Exposure, exposureOf } from '../attack/exposure.ts';
import type { Audit, RuleOutcome } from '../disclosure/rule.ts';
import { agreement } from '../federate.ts';
import { seededWords } from '../random/seeded-words.ts';
import { completeRows } from '../statistic/complete-rows.ts';
import type { Codebook, Column } from '../study/codebook.ts';
import { parseFormula } from '../study/formula.ts';
import type { Study } from '../study/study.ts';
import type { Block } from '../table/columns.ts';
import { DataError } from '../table/data-error.ts';
import { draftFor } from './draft.ts';
import { type FitRequest, type FitWatcher, prepareFit } from './fit.ts';
import { createPool, type Pool } from './pool.ts';
import { columnsToRead, readTable } from './read-rows.ts';
import { openTable, type TableFile } from './table-file.ts';

/** Which file to attack, and which columns a study would ask of it. */
export interface AttackRequest
  extends Pick<FitRequest, 'codebook' | 'encoding' | 'decimal' | 'missingMarkers' | 'threads'> {
  readonly path: string;
  readonly formula?: string;
  /** Columns instead of a formula; all of them where neither is given. */
  readonly columns?: readonly string[];
}

/** What came of the attacks on a file: counts, names of columns and numbers of rows, and no value of a row. */
export interface Attacked extends Exposure {
  readonly formula: string;
  /** Columns that were left out because no study could ask for them as they are. */
  readonly leftOut: readonly string[];
  /** Rows left out for a missing cell, and rows behind the last one that was looked at. */
  readonly dropped: number;
  readonly unread: number;
  /** What the rules a site has by default say of the statistic. */
  readonly audit: Pick<Audit, 'outcome'> & {
    readonly rules: readonly Pick<RuleOutcome, 'rule' | 'title' | 'outcome'>[];
  };
}

/** Cells held in memory at most: 128 MB. */
const MOST_CELLS = 2 ** 24;
/** The attacks draw rows; the same ones every time. */
const SEED = 5;

/** Watches an enumeration: how many of how many patterns. */
export interface AttackWatcher {
  readonly reading: FitWatcher;
  patterns(tried: number, all: number): void;
}

/** Reads a site's own file, and attacks the plain statistic it would send. */
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
      'choose columns that are filled in with --columns',
    );
  }
  const { design, layout } = agreed;
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
  readonly study: Study;
  readonly file: TableFile;
  readonly leftOut: readonly string[];
}

async function attackedStudy(
  request: AttackRequest,
  pool: Pool,
  watch: FitWatcher,
): Promise<AttackedStudy> {
  const { formula, path, encoding, codebook } = request;
  if (formula !== undefined) {
    const prepared = await prepareFit(
      { ...request, ...plain, formula, paths: [path] },
      pool,
      watch,
    );
    return { study: prepared.study, file: prepared.files[0], leftOut: [] };
  }
  const named = request.columns ?? Object.keys(codebook ?? {});
  const file = await openTable(path, named, encoding);
  const described = codebook === undefined ? await draftAll(request, file, pool, watch) : codebook;
  const wanted = named.length > 0 ? named : file.header;
  const known = wanted.filter((name) => isUsable(described[name]));
  const kept = Object.fromEntries(known.map((name) => [name, described[name]]));
  return {
    study: studyOver(kept, path),
    file,
    leftOut: wanted.filter((name) => !known.includes(name)),
  };
}

/** Reads the rows; texts that name most of them are left out where nobody asked for them, since no study would. */
async function withoutNames(
  { formula, columns, codebook }: AttackRequest,
  asked: AttackedStudy,
): Promise<AttackedStudy & { readonly rows: CompleteRows }> {
  const rows = await readRows(asked.study, asked.file);
  if (formula !== undefined || columns !== undefined || codebook !== undefined) {
    return { ...asked, rows };
  }
  const { path } = asked.file;
  const entries = Object.entries(asked.study.codebook);
  const kept = entries.filter(
    ([, column]) => column.type === 'number' || 2 * (column.levels?.length ?? 0) <= rows.block.rows,
  );
  if (kept.length === entries.length) return { ...asked, rows };
  const study = studyOver(Object.fromEntries(kept), path);
  const names = entries.filter((entry) => !kept.includes(entry)).map(([name]) => name);
  return {
    ...asked,
    study,
    leftOut: [...asked.leftOut, ...names],
    rows: await readRows(study, asked.file),
  };
}

const plain = {
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  missing: 'drop',
} as const;

/** Drafts every column; where none was named, those that cannot be drafted are left out. */
async function draftAll(
  request: AttackRequest,
  file: TableFile,
  pool: Pool,
  watch: FitWatcher,
): Promise<Codebook> {
  let wanted = [...new Set(request.columns ?? file.header)];
  while (wanted.length > 0) {
    try {
      const formula = parseFormula(`${quoted(wanted[0])} ~ .`);
      return await draftFor({ ...request, formula, wanted, files: [file] }, pool, watch);
    } catch (failure) {
      const column = failure instanceof DataError ? failure.place.column : undefined;
      if (column === undefined || request.columns !== undefined) throw failure;
      wanted = wanted.filter((name) => name !== column);
    }
  }
  throw new DataError(
    'no column can be used',
    { file: file.path },
    'name columns of numbers or categories with --columns',
  );
}

function isUsable(column: Column | undefined): boolean {
  if (column === undefined || column.type === 'id') return false;
  return column.type === 'number' || column.levels.length > 1;
}

/** All columns in one study; the last column of numbers, or else the last one, is what is explained. */
function studyOver(codebook: Codebook, path: string): Study {
  const names = Object.keys(codebook);
  if (names.length === 0) {
    throw new DataError('no column can be used', { file: path }, 'name some with --columns');
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

async function readRows(study: Study, file: TableFile): Promise<CompleteRows> {
  const columns = columnsToRead(agreement(study));
  const most = Math.floor(MOST_CELLS / columns.length);
  const parts: Block[] = [];
  const rowOf: number[] = [];
  let dropped = 0;
  let unread = 0;
  const take = (lent: Block, firstRow: number) => {
    if (rowOf.length >= most) {
      unread += lent.rows;
      return;
    }
    const { block, origin } = completeRows(lent, () => {});
    dropped += lent.rows - block.rows;
    parts.push({
      rows: block.rows,
      columns: block.columns.map((values) => values.slice(0, block.rows)),
    });
    for (let r = 0; r < block.rows; r++) rowOf.push(firstRow + (origin?.[r] ?? r));
  };
  await readTable({ study, file }, columns, take, () => {});
  const joined = columns.map((_, k) => {
    const values = new Float64Array(rowOf.length);
    let at = 0;
    for (const part of parts) {
      values.set(part.columns[k], at);
      at += part.rows;
    }
    return values;
  });
  return { block: { rows: rowOf.length, columns: joined }, rowOf, dropped, unread };
}
