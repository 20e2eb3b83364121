import { DataError } from '../../src/data-error.ts';
import type { DraftJob, DraftResult } from '../../src/rows/draft-job.ts';
import { scanDraft } from '../../src/rows/draft-job.ts';
import type { Pool } from '../../src/rows/pool.ts';
import type { Address, Source } from '../../src/rows/source.ts';
import { openSource } from '../../src/rows/sources.ts';
import type { Column } from '../../src/study/codebook.ts';
import { deparse } from '../../src/study/formula-expression.ts';
import {
  type ColumnDraft,
  type Draft,
  draftCodebook,
  levelsOf,
  needsTexts,
} from '../../src/table/draft.ts';
import { blobHost } from './blob-host.ts';
import type { Call } from './conversation.ts';

/** How the texts of a sample are to be read. */
export interface SampleReading {
  readonly decimal: '.' | ',';
  /** Texts that mean missing besides the usual ones. */
  readonly missingMarkers: readonly string[];
  readonly encoding?: string;
}

/** What a sample told about its columns: as numbers where they are numbers, and as texts. No row of it is kept. */
export interface Sample {
  readonly address: Address;
  readonly table: Source;
  readonly reading: SampleReading;
  readonly plain: Draft;
  readonly texts: Draft;
}

/** A sample as the form shows it. */
export interface SampleOverview {
  readonly file: string;
  readonly bytes: number;
  readonly rows: number;
  readonly columns: readonly SampleColumn[];
}

export interface SampleColumn {
  readonly name: string;
  /** As a formula names it: odd names in backticks. */
  readonly written: string;
  /** Drafted; absent where the sample leaves it open, for which there is a reason. */
  readonly column?: Column;
  readonly problem?: string;
  /** Its distinct texts, where they are few, for who makes it a category. */
  readonly levels: readonly string[];
  /** Of the numbers in it, for who makes it a number. */
  readonly range?: readonly [number, number];
}

/** More levels than this are nothing to be listed unasked. */
const MOST_LEVELS = 50;

/** Looks through a file twice: for numbers, and for texts. */
export async function scanSample(
  file: File,
  reading: SampleReading,
  call: Call<number>,
): Promise<Sample> {
  const address = { path: file.name, blob: file };
  const table = await openSource(blobHost, address, [], reading.encoding);
  const named = table.header.filter((name) => name !== '');
  const scan = async (texts: readonly string[], from: number): Promise<Draft> => {
    const { decimal, missingMarkers: missing } = reading;
    const job: DraftJob = { kind: 'draft', source: table, wanted: named, texts, missing, decimal };
    const { draft } = await scanDraft(job, blobHost, (bytes) => {
      call.signal.throwIfAborted();
      call.tell(from + bytes / Math.max(1, table.length) / 2);
    });
    return draft;
  };
  const plain = await scan([], 0);
  if (rowsOf(plain) === 0) {
    throw new DataError(
      'no data rows',
      { file: file.name },
      'give a file with at least one row below the header',
    );
  }
  return { address, table, reading, plain, texts: await scan(named, 0.5) };
}

function rowsOf({ segments }: Draft): number {
  return segments.reduce((sum, { rows }) => sum + rows, 0);
}

export function sampleOverview(sample: Sample): SampleOverview {
  const { table, plain } = sample;
  return {
    file: table.name,
    bytes: table.length,
    rows: rowsOf(plain),
    columns: [...plain.columns.keys()].map((name) => {
      const written = deparse({ kind: 'name', name, position: 0 });
      const shared = { name, written, ...extentOf(sample, name) };
      try {
        return { ...shared, column: draftedColumn(sample, name) };
      } catch (failure) {
        if (!(failure instanceof DataError)) throw failure;
        return { ...shared, problem: failure.problem };
      }
    }),
  };
}

function extentOf({ plain, texts }: Sample, name: string): Pick<SampleColumn, 'levels' | 'range'> {
  const { numbers, min, max } = plain.columns.get(name)!;
  const found = [...(texts.columns.get(name)!.texts?.keys() ?? [])];
  return {
    levels: found.length > MOST_LEVELS ? [] : levelsOf(found),
    ...(numbers > 0 ? { range: [min + 0, max + 0] as const } : {}),
  };
}

function draftedColumn({ plain, texts, reading }: Sample, name: string): Column {
  const part = (draft: Draft): Draft => ({
    segments: draft.segments,
    columns: new Map([[name, draft.columns.get(name)!]]),
  });
  const first = part(plain);
  const draft = needsTexts(first, new Set()).length > 0 ? part(texts) : first;
  return draftCodebook(draft, { factors: new Set(), decimal: reading.decimal })[name];
}

/**
 * Answers what a codebook needs to know from what was scanned before: no file is read again. Columns that a person has
 * described need no draft; their own ranges stand in.
 */
export function rememberingPool(
  { plain, texts }: Sample,
  described: Readonly<Record<string, Column>>,
): Pool {
  const answer = (job: DraftJob): DraftResult => {
    const asTexts = new Set(job.texts);
    const columnOf = (name: string): ColumnDraft => {
      const { [name]: own } = described;
      const from = asTexts.has(name) ? texts : plain;
      return own === undefined ? from.columns.get(name)! : standIn(own, asTexts.has(name));
    };
    return {
      draft: {
        segments: plain.segments,
        columns: new Map(job.wanted.map((name) => [name, columnOf(name)])),
      },
    };
  };
  return {
    host: blobHost,
    run: async (jobs) => jobs.map((job) => answer(job as DraftJob) as never),
    close: async () => {},
  };
}

function standIn(column: Column, everyText: boolean): ColumnDraft {
  const [min, max] = (column.type === 'number' ? column.range : undefined) ?? [0, 1];
  const levels = column.levels ?? [];
  const texts = levels.length > 0 ? levels : ['0', '1'];
  const named = everyText || column.type === 'category';
  return {
    everyText: named,
    numbers: named ? 0 : 1,
    min,
    max,
    leadingZeros: 0,
    otherDecimals: 0,
    missing: new Map(),
    texts: new Map(named ? texts.map((text) => [text, 1]) : []),
    firstTexts: [],
  };
}
