import type { AsyncBuffer, SchemaElement } from 'hyparquet';

import type { Place } from '../failure.ts';
import type { ColumnDraft, Draft, Start } from './draft.ts';
import { type CellDraftOptions, surveyCells } from './draft-cells.ts';

import { columnPath, type GroupRange, groupPages, readFooter, refuseTypes } from './parquet.ts';
import { decimalScale, widen } from './parquet-cells.ts';
import { isDecimal, type ParquetPage } from './parquet-pages.ts';

/** Options of a draft from a Parquet file. */
export interface ParquetDraftOptions extends CellDraftOptions {
  /** Called with the number of cells read since the last call. */
  readonly onCells?: (count: number) => void;
}

/** Scans the wanted columns of a Parquet file, or of some of its row groups, without a codebook. */
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
  const start = { file, at: fromGroup };
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
        options.onCells?.(page.rows);
      }
    }
    columns.set(name, survey.result(start));
  }
  const rows = groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  return { segments: [{ ...start, rows }], columns };
}

interface Survey {
  page(page: ParquetPage, firstRow: number): void;
  result(start: Start): ColumnDraft;
}

function createSurvey(element: SchemaElement, place: Place, options: CellDraftOptions): Survey {
  const { everyText, meet, result } = surveyCells(place, options);
  const scale = isDecimal(element) ? decimalScale(element) : (value: unknown) => value;
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
    result,
  };
}
