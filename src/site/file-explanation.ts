import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { withAllowedRange } from '../features/reference.ts';
import { type Agreement, agreement } from '../federate.ts';
import { offerableColumns } from '../protocol/judge-offer.ts';
import type { ExplainJob } from '../rows/explain-job.ts';
import type { Pool } from '../rows/pool.ts';
import type { Address } from '../rows/source.ts';
import { openSource } from '../rows/sources.ts';
import type { Watch } from '../rows/watch.ts';
import { hasColumn, joinWordings } from '../rows/wording.ts';
import type { Column } from '../study/codebook.ts';
import { type ImageData, imagesOf } from '../study/image-study.ts';
import { nearNames } from '../study/near-names.ts';
import type { ColumnMisfits, MisfitCells, OutsideNumbers } from '../table/misfit-cells.ts';
import { DAYS } from '../table/written-date.ts';
import { visibleText } from '../text/visible-text.ts';
import { isLikelyMissing, type NearLevel, nearLevel } from './near-level.ts';
import { asRead, type ReadingChoices } from './site-table.ts';

/**
 * What a refused file has that its study does not allow, with values. For the person at the site only: it is shown,
 * and never sent, stored, logged or put into an error.
 */
export interface FileExplanation {
  readonly file: string;
  /** Columns of the file that the study does not know; not all of a wide file. */
  readonly otherColumns: readonly string[];
  /** Only those that do not fit. */
  readonly columns: readonly ColumnExplanation[];
}

export interface ColumnExplanation {
  readonly name: string;
  /** Columns of the file that may be meant, where the file lacks this one. */
  readonly absent?: readonly string[];
  /** The levels of a category. */
  readonly levels?: readonly string[];
  /** The most frequent first; not all of them. */
  readonly texts: readonly ExplainedText[];
  /** Cells with further texts. */
  readonly moreCells: number;
  readonly outside?: OutsideNumbers & {
    readonly range: readonly [number, number];
    readonly areDates?: true;
  };
}

/** A text of the file that is neither a value of its column nor a missing marker. */
export interface ExplainedText extends MisfitCells {
  /** As the file has it. */
  readonly text: string;
  /** The same for a person: hidden characters written out, and cut if it is long. */
  readonly shown: string;
  readonly near?: NearLevel;
  /** People often write this where there is no value. */
  readonly likelyMissing?: true;
}

const MOST_TEXTS = 8;
const LONGEST_TEXT = 40;
const MOST_COLUMNS = 200;

/** The columns to explain, and how the file is read. */
export interface ExplainedReading extends Omit<ReadingChoices, 'missing'> {
  readonly columns: ExplainJob['columns'];
  /** Names of the columns that were refused; any of them unless given. */
  readonly refused?: readonly string[];
  /** In a study of images: what they look like. */
  readonly images?: ImageData;
}

/** How a file is read for a study, to explain what does not fit. */
export function explainedReading(
  agreed: Agreement,
  choices: Omit<ReadingChoices, 'missing'>,
): ExplainedReading {
  const columns = explainedColumns(agreed, choices);
  return { ...choices, columns, ...defined({ images: imagesOf(agreed.study) }) };
}

/** The columns that a study needs from a file, as this file is read. */
function explainedColumns(
  agreed: Agreement,
  choices: Pick<ReadingChoices, 'decimal'>,
): ExplainedReading['columns'] {
  return offerableColumns(agreement(asRead(agreed.study, choices))).map(({ name, column }) => ({
    name,
    column: withAllowedRange(column),
  }));
}

/** Reads a refused file once more and says what does not fit; undefined where the file cannot be read at all. */
export async function explainFile(
  { columns, refused, wording, encoding, images }: ExplainedReading,
  address: Address,
  pool: Pool,
  watch: Watch,
): Promise<FileExplanation | undefined> {
  try {
    const opened = await openSource(pool.host, address, [], encoding, undefined, images);
    const worded = joinWordings(opened.wording, wording);
    const source = { ...opened, ...defined({ wording: worded }) };
    const looked = columns.filter(({ name }) => refused?.includes(name) ?? true);
    const there = looked.filter(({ name }) => hasColumn(source, name));
    const job: ExplainJob = { kind: 'explain', source, columns: there };
    const bar = watch('looking for what does not fit', source.length);
    const [found] = await pool.run([job], ([first]) => first, bar.update).finally(bar.done);
    const used = new Set([
      ...columns.map(({ name }) => name),
      ...(wording?.columns?.values() ?? []),
    ]);
    const others = source.header.filter((name) => name !== '' && !used.has(name));
    return {
      file: source.name,
      otherColumns: others.slice(0, MOST_COLUMNS),
      columns: looked.flatMap(({ name, column }) => {
        const misfits = found.columns.find((one) => one.name === name);
        return misfits === undefined
          ? [{ name, absent: nearNames(name, others), texts: [], moreCells: 0 }]
          : explained(column, misfits);
      }),
    };
  } catch (failure) {
    if (failure instanceof DataError) return undefined;
    throw failure;
  }
}

function explained(
  column: Column,
  { name, texts, otherTexts, outside }: ColumnMisfits,
): ColumnExplanation[] {
  if (texts.length === 0 && outside === undefined) return [];
  const levels = column.type === 'category' ? column.levels : undefined;
  const hidden = texts.slice(MOST_TEXTS).reduce((sum, { cells }) => sum + cells, 0);
  const { range = [-Infinity, Infinity] } = column.type === 'number' ? column : {};
  const areDates = column.type === 'number' && column.unit === DAYS ? (true as const) : undefined;
  return [
    {
      name,
      ...defined({ levels }),
      texts: texts.slice(0, MOST_TEXTS).map((one) => ({
        ...one,
        shown: shownText(one.text),
        ...defined({
          near: nearLevel(one.text, levels ?? []),
          likelyMissing: isLikelyMissing(one.text) ? (true as const) : undefined,
        }),
      })),
      moreCells: hidden + (otherTexts?.cells ?? 0),
      ...(outside === undefined
        ? {}
        : { outside: { ...outside, range, ...defined({ areDates }) } }),
    },
  ];
}

function shownText(text: string): string {
  const visible = [...visibleText(text)];
  if (visible.length <= LONGEST_TEXT) return visible.join('');
  return `${visible.slice(0, LONGEST_TEXT - 1).join('')}…`;
}
