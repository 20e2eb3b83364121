import { DataError } from '../../src/data-error.ts';
import { defined } from '../../src/defined.ts';
import type { DraftJob, DraftResult } from '../../src/rows/draft-job.ts';
import { scanDraft } from '../../src/rows/draft-job.ts';
import type { Pool } from '../../src/rows/pool.ts';
import type { Address, Source } from '../../src/rows/source.ts';
import { openSource } from '../../src/rows/sources.ts';
import type { Column } from '../../src/study/codebook.ts';
import { deparse } from '../../src/study/formula-expression.ts';
import type { ImageData } from '../../src/study/image-study.ts';
import type { ColumnDraft, Draft } from '../../src/table/draft.ts';
import { draftCodebook, needsTexts } from '../../src/table/draft-codebook.ts';
import { levelsOf } from '../../src/table/levels.ts';
import { blobHost } from './blob-host.ts';
import type { ContactSheet } from './contact-sheet.ts';
import type { Call } from './worker-messages.ts';

/** Options for reading a sample. */
export interface SampleReading {
  /** The decimal mark; the cells show it unless it is given. */
  readonly decimal?: '.' | ',';
  /** Further texts that mean missing. */
  readonly missingMarkers: readonly string[];
  readonly encoding?: string;
}

/** Drafts of a sample's columns, once as numbers and once as texts. No row is kept. */
export interface Sample {
  readonly address: Address;
  readonly table: Source;
  readonly reading: SampleReading;
  readonly plain: Draft;
  readonly texts: Draft;
}

/** A sample in the form. */
export interface SampleOverview {
  readonly file: string;
  readonly bytes: number;
  readonly rows: number;
  readonly columns: readonly SampleColumn[];
  /** Where the sample is images: what a study of such images says about them, and some of each class. */
  readonly images?: { readonly data: ImageData; readonly sheet: ContactSheet };
}

export interface SampleColumn {
  readonly name: string;
  /** Its name in a formula, in backticks if needed. */
  readonly written: string;
  /** The draft; absent if the sample does not decide it, with the reason in `problem`. */
  readonly column?: Column;
  readonly problem?: string;
  /** Its distinct texts, if they are few; used if it becomes a category. */
  readonly levels: readonly string[];
  /** The range of its numbers; used if it becomes a number. */
  readonly range?: readonly [number, number];
}

/** Most levels that are listed. */
const MOST_LEVELS = 50;

/** Scans a file twice: for numbers, and for texts. */
export async function scanSample(
  file: File,
  reading: SampleReading,
  call: Call<number>,
): Promise<Sample> {
  const address = { path: file.name, blob: file };
  const { encoding, decimal, missingMarkers: missing } = reading;
  const table = await openSource(blobHost, address, [], encoding, decimal);
  const named = table.header.filter((name) => name !== '');
  const scan = async (texts: readonly string[], from: number): Promise<Draft> => {
    const said = defined({ decimal });
    const job: DraftJob = { kind: 'draft', source: table, wanted: named, texts, missing, ...said };
    const { draft } = await scanDraft(job, blobHost, (bytes) => {
      call.signal.throwIfAborted();
      call.update(from + bytes / Math.max(1, table.length) / 2);
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
  return draftCodebook(draft, { factors: new Set(), ...defined({ decimal: reading.decimal }) })[
    name
  ];
}

/**
 * A pool that answers draft jobs from the scanned sample and reads no file. A column described by a person is answered
 * from its own range and levels.
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
    written: new Map(),
    doubts: new Map(),
    missing: new Map(),
    words: new Map(),
    texts: new Map(named ? texts.map((text) => [text, 1]) : []),
    firstTexts: [],
  };
}
