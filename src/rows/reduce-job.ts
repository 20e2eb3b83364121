import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { type Agreement, agreement, codebookIn, reduction } from '../federate.ts';
import type { KeptTraining } from '../network/training-progress.ts';
import { createKernels } from '../numeric/kernels.ts';
import type { Grams, Summary, TrainingWatch } from '../statistic/cross-product.ts';
import { columnsIn } from '../statistic/layout.ts';
import type { BlockSink } from '../table/columns.ts';
import type { GramSize, Host } from './host.ts';
import { type Inspection, type InspectionChoices, inspector } from './inspection.ts';
import { arrangement, columnsToRead, misfitsIn, type RowSource, readTable } from './read-rows.ts';
import type { JobProgress, SourceRange } from './source.ts';
import { readerOf } from './sources.ts';
import { isWorded } from './wording.ts';

/** Reduce a source, or a range of it, to the statistics of its sites. Plain data: workers get it by message. */
export interface ReduceJob extends RowSource {
  readonly kind: 'reduce';
  readonly missing: 'drop' | 'refuse';
  /** Whether one thread must read all rows, as the study's method says. */
  readonly wholeFile: boolean;
  /** The site of all rows, or the column that names each row's site. */
  readonly site: { readonly name: string } | { readonly column: string };
  /** An interrupted training of these rows, if there was one. */
  readonly resume?: KeptTraining;
  /** Inspect the rows while they are read, where all belong to one site. */
  readonly inspect?: InspectionChoices;
}

export interface ReduceResult {
  readonly sites: readonly {
    readonly name: string;
    readonly summary: Summary;
    readonly inspection?: Inspection;
  }[];
  /** The range that was really read. */
  readonly edges?: SourceRange;
}

export async function reduceRows(
  job: ReduceJob,
  host: Host,
  progress: JobProgress,
): Promise<ReduceResult> {
  const agreed = agreement(job.study);
  const computed = await sumsAtSource(job, agreed, host);
  if (computed !== undefined) {
    progress(job.source.length, computed.rows + computed.dropped);
    return { sites: [{ name: (job.site as { name: string }).name, summary: computed }] };
  }
  let read = 0;
  const router = siteRouter(agreed, job, await host.grams?.(gramSize(agreed, job)), {
    ...defined({ resume: job.resume }),
    progress: (training) => progress(job.source.length, read, training),
  });
  const edges = await readTable(
    host,
    job,
    codebookIn(agreed),
    router.columns,
    router.sink,
    (bytes, rows) => {
      read = rows;
      progress(bytes, rows);
    },
    misfitsIn(agreed),
  );
  return { sites: router.finish(), edges };
}

/** The sums as the source computes them, if it can: where all rows are one site's, and nobody inspects or rewords them. */
async function sumsAtSource(
  { source, range, site, inspect, missing }: ReduceJob,
  agreed: Agreement,
  host: Host,
): Promise<Summary | undefined> {
  const { sums } = readerOf(host, source);
  if (sums === undefined || range !== undefined || inspect !== undefined) return undefined;
  if (!('name' in site) || isWorded(source)) return undefined;
  return sums(source, { agreed, site: site.name, missing });
}

/** Sums in float64 depend on who multiplies: there the columns of the file decide alone, for a short file and for a long one. */
function gramSize({ columns, rowsLayout }: Agreement, { study, source }: ReduceJob): GramSize {
  return study.arithmetic === 'exact'
    ? { columns: columnsIn(rowsLayout), bytes: source.length }
    : { columns: columns.length, bytes: Number.POSITIVE_INFINITY };
}

interface SiteRouter {
  /** Columns to read, each once. */
  readonly columns: readonly string[];
  readonly sink: BlockSink;
  finish(): ReduceResult['sites'];
}

/** Sends each row to the reduction of its site. */
function siteRouter(
  agreed: Agreement,
  job: ReduceJob,
  grams: Grams | undefined,
  training: TrainingWatch,
): SiteRouter {
  const options = {
    training,
    file: job.source.name,
    missing: job.missing,
    kernels: createKernels(),
    ...defined({ grams }),
  };
  const columns = columnsToRead(agreed);
  const arrange = arrangement(agreed, columns);

  if ('name' in job.site) {
    const { name } = job.site;
    const inspecting = job.inspect && inspector(agreed, columns, job.inspect);
    const one = reduction(agreed, {
      ...options,
      site: name,
      ...(inspecting && { watchRows: inspecting.watch }),
    });
    return {
      columns,
      sink(block, firstRow) {
        const arranged = arrange(block, name);
        inspecting?.next(block, arranged);
        one.add(arranged, (r) => firstRow + r);
      },
      finish: () => [
        { name, summary: one.finish(), ...(inspecting && { inspection: inspecting.finish() }) },
      ],
    };
  }

  const { column } = job.site;
  const siteColumn = codebookIn(agreed)[column];
  const levels = siteColumn?.type === 'category' ? siteColumn.levels : [];
  if (!columns.includes(column)) columns.push(column);
  const place = columns.indexOf(column);
  const reductions = levels.map((site) => reduction(agreed, { ...options, site, fewRows: true }));
  return {
    columns,
    sink(block, firstRow) {
      const codes = block.columns[place];
      const unnamed = codes.subarray(0, block.rows).findIndex(Number.isNaN);
      if (unnamed >= 0) {
        throw new DataError(
          'the row belongs to no site',
          { file: job.source.name, row: firstRow + unnamed, column },
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
