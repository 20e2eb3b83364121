import { dateText } from '../table/written-date.ts';
import { grouped } from '../text/number-text.ts';
import { type Ink, plainInk } from '../text/text-table.ts';
import { visibleText } from '../text/visible-text.ts';
import type { ColumnExplanation, ExplainedText, FileExplanation } from './file-explanation.ts';
import { isLikelyMissing } from './near-level.ts';
import { lines, wrapped } from './wrapped.ts';

/** What does not fit, column by column, for the terminal of the site. */
export function explanationText(explanation: FileExplanation, ink: Ink = plainInk): string {
  return lines(
    `${ink.bold('What does not fit')} ${ink.faint('(shown here only; the header is not counted as a row)')}`,
    ...explanation.columns.flatMap(columnLines),
    ...otherColumnLines(explanation),
  );
}

/** The names to choose from, where a column is absent and no name comes close. */
function otherColumnLines({ columns, otherColumns }: FileExplanation): string[] {
  if (otherColumns.length === 0 || !columns.some(({ absent }) => absent?.length === 0)) return [];
  const names = otherColumns.slice(0, MOST_NAMES).map((name) => `"${visibleText(name)}"`);
  if (otherColumns.length > names.length) names.push('…');
  return wrapped('  ', `other columns of the file: ${names.join(', ')}`);
}

const MOST_NAMES = 30;

function columnLines(column: ColumnExplanation): string[] {
  const { name, absent, texts, moreCells, outside } = column;
  const head = `  ${visibleText(name)}: `;
  if (absent !== undefined) {
    const near = absent.map((one) => `"${visibleText(one)}"`).join(' or ');
    const perhaps = near === '' ? '' : `; perhaps ${near} is meant`;
    return wrapped(head, `the file has no such column${perhaps}`);
  }
  const width = Math.max(...texts.map(({ shown }) => shown.length)) + 2;
  return [
    ...(texts.length === 0 ? [] : [`${head}${kindOf(column)}`]),
    ...texts.flatMap((one) => textLines(one, width)),
    ...(moreCells === 0 ? [] : [`    and ${cellCount(moreCells)} with other texts`]),
    ...(outside === undefined ? [] : wrapped(head, outsideText(outside))),
  ];
}

function kindOf({ levels }: ColumnExplanation): string {
  return levels === undefined
    ? 'texts that cannot be read as numbers, and are no missing markers'
    : 'texts that are neither levels nor missing markers';
}

function textLines({ shown, cells, rows, near }: ExplainedText, width: number): string[] {
  const perhaps = near === undefined ? '' : `; perhaps "${visibleText(near.level)}" (${near.why})`;
  return wrapped(
    `    ${`"${shown}"`.padEnd(width)}  `,
    `${cellCount(cells)}, ${rowList(rows, cells)}${perhaps}`,
  );
}

/** Numbers outside the range, in words. */
export function outsideText({
  cells,
  rows,
  least,
  largest,
  range,
  areDates,
}: NonNullable<ColumnExplanation['outside']>): string {
  const [low, high, first, last] = [...range, least, largest].map(areDates ? dateText : String);
  const what = areDates ? 'date' : 'number';
  const numbers = first === last ? `the ${what} is ${first}` : `from ${first} to ${last}`;
  return `${cellCount(cells)} outside ${low} to ${high}: ${numbers}; ${rowList(rows, cells)}`;
}

export function cellCount(cells: number): string {
  return `${grouped(cells)} ${cells === 1 ? 'cell' : 'cells'}`;
}

/** The first rows, and that there are more. */
export function rowList(rows: readonly number[], cells: number): string {
  const more = cells > rows.length ? ', …' : '';
  return `${cells === 1 ? 'row' : 'rows'} ${rows.join(', ')}${more}`;
}

/** Numbers outside a range that people often write where there is no value, such as 999. */
export function codesOutside(outside: ColumnExplanation['outside']): string[] {
  if (outside === undefined) return [];
  return [...new Set([String(outside.least), String(outside.largest)])].filter(isLikelyMissing);
}
