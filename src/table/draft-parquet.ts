import type { AsyncBuffer, SchemaElement } from 'hyparquet';
import type { Place } from '../failure.ts';
import { parseDecimal } from '../numeric/decimal.ts';
import { trimBlanks } from './csv-cells.ts';
import { LARGEST_MAGNITUDE } from './csv-fields.ts';
import { outOfRange } from './csv-refusals.ts';
import { type ColumnDraft, type Draft, MOST_TEXTS } from './draft.ts';
import { draftMissing } from './draft-scan.ts';
import { columnPath, type GroupRange, groupPages, readFooter, refuseTypes } from './parquet.ts';
import { decimalScale, isText, toText, widen } from './parquet-cells.ts';
import { isDecimal, type Page } from './parquet-pages.ts';

/** What a draft of a Parquet file may be told; the same words as for a text file. */
export interface ParquetDraftOptions {
  /** Missing markers besides `draftMissing`; null is always missing. */
  readonly missing?: readonly string[];
  /** The decimal mark of numbers that are stored as texts. */
  readonly decimal?: '.' | ',';
  /** Columns of which every distinct text is wanted, numbers included. */
  readonly texts?: ReadonlySet<string>;
}

/** Scans the wanted columns of a Parquet file, or of some of its row groups, without any codebook. */
export async function draftParquet(
  buffer: AsyncBuffer,
  wanted: readonly string[],
  file: string,
  options: ParquetDraftOptions = {},
  range?: GroupRange,
): Promise<Draft> {
  const metadata = await readFooter(buffer, file);
  const { fromGroup = 0, toGroup = metadata.row_groups.length } = range ?? {};
  const groups = metadata.row_groups.slice(fromGroup, toGroup);
  const columns = new Map<string, ColumnDraft>();
  for (const name of wanted) {
    const place = { file, column: name };
    const path = columnPath(metadata, name, place);
    refuseTypes(path[1].element, place);
    const survey = createSurvey(path[1].element, place, options);
    let row = 1;
    for (const group of groups) {
      for await (const page of groupPages(buffer, group, path, place)) {
        survey.page(page, row);
        row += page.rows;
      }
    }
    columns.set(name, survey.result(file, fromGroup));
  }
  const rows = groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  return { segments: [{ file, at: fromGroup, rows }], columns };
}

interface Survey {
  page(page: Page, firstRow: number): void;
  result(file: string, at: number): ColumnDraft;
}

function createSurvey(element: SchemaElement, place: Place, options: ParquetDraftOptions): Survey {
  const everyText = options.texts?.has(place.column!) ?? false;
  const decimal = options.decimal ?? '.';
  const markers = new Set([...draftMissing, ...(options.missing ?? [])]);
  const numberMarkers = new Map(
    [...markers].flatMap((text) => {
      const value = parseDecimal(trimBlanks(text), decimal);
      return value === undefined ? [] : [[value, text] as const];
    }),
  );
  const scale = isDecimal(element) ? decimalScale(element) : (value: unknown) => value;
  const missing = new Map<string, number>();
  const texts = new Map<string, number>();
  let numbers = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let leadingZeros = 0;
  let otherDecimals = 0;
  let firstText: number | undefined;

  const add = (counts: Map<string, number>, text: string, count: number) =>
    counts.set(text, (counts.get(text) ?? 0) + count);

  const meetNumber = (value: number, row: number, count: number) => {
    const marker = Number.isNaN(value) ? 'NaN' : numberMarkers.get(value);
    if (marker !== undefined) {
      add(missing, marker, count);
      return;
    }
    if (!(Math.abs(value) <= LARGEST_MAGNITUDE)) {
      throw outOfRange(value, undefined, { ...place, row });
    }
    numbers += count;
    if (value < min) min = value;
    if (value > max) max = value;
  };

  const meetText = (text: string, row: number, count: number) => {
    const trimmed = everyText ? text : trimBlanks(text);
    if (markers.has(trimmed)) {
      add(missing, text, count);
      return;
    }
    const value = everyText ? undefined : parseDecimal(trimmed, decimal);
    if (value !== undefined) {
      if (/^[+-]?0\d/.test(trimmed)) leadingZeros += count;
      meetNumber(value, row, count);
      return;
    }
    if (!everyText && parseDecimal(trimmed, decimal === '.' ? ',' : '.') !== undefined) {
      otherDecimals += count;
    }
    firstText = Math.min(firstText ?? row, row);
    if (texts.size <= MOST_TEXTS) add(texts, text, count);
  };

  const meet = (value: unknown, row: number, count: number) => {
    if (value === null || value === undefined) add(missing, '', count);
    else if (everyText || isText(value)) meetText(toText(value), row, count);
    else meetNumber(Number(value), row, count);
  };

  return {
    page({ rows, present, values: given, dictionary }, firstRow) {
      const values = everyText ? given : widen(given);
      const uses = new Float64Array(dictionary?.length ?? 0);
      const firsts = new Float64Array(uses.length);
      for (let row = 0, next = 0; row < rows; row++) {
        if (present !== undefined && present[row] === 0) {
          meet(null, firstRow + row, 1);
        } else if (dictionary === undefined) {
          meet(scale(values[next++]), firstRow + row, 1);
        } else {
          const word = values[next++] as number;
          if (uses[word]!++ === 0) firsts[word] = firstRow + row;
        }
      }
      for (const [word, count] of uses.entries()) {
        if (count > 0) meet(scale(dictionary![word]), firsts[word]!, count);
      }
    },
    result(file, at) {
      const fits = texts.size <= MOST_TEXTS;
      return {
        everyText,
        numbers,
        min,
        max,
        leadingZeros,
        otherDecimals,
        missing: fits ? missing : new Map(),
        texts: fits ? texts : undefined,
        firstTexts: firstText === undefined ? [] : [{ file, at, row: firstText }],
      };
    },
  };
}
