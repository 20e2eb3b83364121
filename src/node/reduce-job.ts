import { withAllowedRange } from '../features/reference.ts';
import { type Agreement, agreement, reduction } from '../federate.ts';
import { createKernels } from '../numeric/kernels.ts';
import type { Summary } from '../statistic/cross-product.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import type { Study } from '../study/study.ts';
import type { Block, BlockSink } from '../table/columns.ts';
import { csvReader } from '../table/csv.ts';
import { DataError } from '../table/data-error.ts';
import { type Description, describer } from '../table/describe.ts';
import { type Blas, findBlas } from './blas.ts';
import {
  csvPart,
  type Edges,
  type FilePart,
  pumpCsv,
  type TableFile,
  withFile,
} from './table-file.ts';

/** Reduce a table file, or a part of it, to the statistics of its sites. Plain data: workers get it by message. */
export interface ReduceJob {
  readonly kind: 'reduce';
  readonly study: Study;
  readonly file: TableFile;
  readonly part?: FilePart;
  readonly missing: 'drop' | 'refuse';
  /** The site of all rows, or the column that names each row's site. */
  readonly site: { readonly name: string } | { readonly column: string };
  /** Describe the columns on the way, where all rows belong to one site. */
  readonly describe?: true;
}

export interface ReduceResult {
  readonly sites: readonly {
    readonly name: string;
    readonly summary: Summary;
    readonly description?: Description;
  }[];
  /** Where in the file the first record began and the last one ended, for a part of a CSV file. */
  readonly edges?: Edges;
}

/** Whether a site's rows must be reduced together: a regression of its own is one of all of them. */
export function needsAllRows({ study: { fusion } }: ReduceJob): boolean {
  return fusion.kind === 'fisher';
}

/** From this many columns on the system's BLAS, where there is one, beats the WASM kernels. */
export const WORTH_BLAS = 200;

export type JobProgress = (bytes: number, rows: number) => void;

export async function reduce(job: ReduceJob, progress: JobProgress): Promise<ReduceResult> {
  const agreed = agreement(job.study);
  const wide = agreed.layout.columns.length >= WORTH_BLAS ? await findBlas() : undefined;
  const router = siteRouter(agreed, job, wide);
  const edges = await readTable(job, router.columns, router.sink, progress);
  return { sites: router.finish(), ...(edges === undefined ? {} : { edges }) };
}

/** Reads the wanted columns of a file or a part of it, block by block. */
async function readTable(
  { file, part, study }: ReduceJob,
  names: readonly string[],
  sink: BlockSink,
  progress: JobProgress,
): Promise<Edges | undefined> {
  const columns = names.map((name) => ({ name, column: withAllowedRange(study.codebook[name]) }));
  if (file.format.kind === 'parquet') {
    const { readParquet } = await import('../table/parquet.ts');
    const { path, bytes, format } = file;
    const groups = part ?? { from: 0, to: format.groups.length };
    const all = format.groups.reduce((sum, group) => sum + group.rows, 0);
    let rows = 0;
    await withFile(path, (buffer) =>
      readParquet(
        buffer,
        { file: path, columns },
        (block, firstRow) => {
          sink(block, firstRow);
          rows += block.rows;
          progress((bytes * rows) / all, rows);
        },
        { fromGroup: groups.from, toGroup: groups.to },
      ),
    );
    return undefined;
  }
  const { dialect } = file.format;
  const plan = { file: file.path, dialect, header: file.header, columns };
  const { start, range } = csvPart(part);
  return pumpCsv(file.path, file.format, start, csvReader(plan, sink, range), progress);
}

interface SiteRouter {
  /** Columns to read, each once. */
  readonly columns: readonly string[];
  readonly sink: BlockSink;
  finish(): ReduceResult['sites'];
}

/** Sends each row to the reduction of its site. */
function siteRouter(agreed: Agreement, job: ReduceJob, blas: Blas | undefined): SiteRouter {
  const names = agreed.columns.map((column) => column.name);
  const options = {
    file: job.file.path,
    missing: job.missing,
    kernels: createKernels(),
    ...(blas === undefined ? {} : { grams: blas }),
  };
  const columns = [...new Set(names)].filter((name) => name !== SITE_COLUMN);
  const position = new Map(columns.map((name, k) => [name, k]));
  const siteColumn = job.study.codebook[SITE_COLUMN];
  const siteLevels = siteColumn?.type === 'category' ? siteColumn.levels : [];

  /** The columns a reduction wants, from those that were read. */
  const arrange = (block: Block, site: string): Block => ({
    rows: block.rows,
    columns: names.map((name) =>
      name === SITE_COLUMN
        ? new Float64Array(block.rows).fill(siteLevels.indexOf(site))
        : block.columns[position.get(name)!],
    ),
  });

  if ('name' in job.site) {
    const { name } = job.site;
    const one = reduction(agreed, options);
    const add: BlockSink = (block, firstRow) => one.add(arrange(block, name), (r) => firstRow + r);
    if (job.describe === undefined) {
      return { columns, sink: add, finish: () => [{ name, summary: one.finish() }] };
    }
    const { codebook } = job.study;
    const seen = describer(columns.map((column) => ({ name: column, column: codebook[column] })));
    return {
      columns,
      sink(block, firstRow) {
        seen.add(block);
        add(block, firstRow);
      },
      finish: () => [{ name, summary: one.finish(), description: seen.finish() }],
    };
  }

  const { column } = job.site;
  const naming = job.study.codebook[column];
  const levels = naming?.type === 'category' ? naming.levels : [];
  if (!position.has(column)) {
    position.set(column, columns.length);
    columns.push(column);
  }
  const reductions = levels.map(() => reduction(agreed, { ...options, fewRows: true }));
  return {
    columns,
    sink(block, firstRow) {
      const codes = block.columns[position.get(column)!];
      const nowhere = codes.subarray(0, block.rows).findIndex(Number.isNaN);
      if (nowhere >= 0) {
        throw new DataError(
          'the row belongs to no site',
          { file: job.file.path, row: firstRow + nowhere, column },
          'fill in the column that names the site, or leave the row out of the file',
        );
      }
      levels.forEach((level, code) => {
        const picked: number[] = [];
        for (let r = 0; r < block.rows; r++) if (codes[r] === code) picked.push(r);
        if (picked.length === 0) return;
        const rows = {
          rows: picked.length,
          columns: block.columns.map((values) => Float64Array.from(picked, (r) => values[r])),
        };
        reductions[code].add(arrange(rows, level), (r) => firstRow + picked[r]);
      });
    },
    finish: () => levels.map((name, code) => ({ name, summary: reductions[code].finish() })),
  };
}
