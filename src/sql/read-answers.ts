import { DataError } from '../data-error.ts';
import type { SqlAnswer } from './sql-answer.ts';

/**
 * The answers in a file that somebody else has made by running the queries: JSON, as columns and rows or as one object a row, or
 * a text with a header and rows, separated by commas, semicolons, tabs or bars. Digits stay as they are written.
 */
export function readAnswers(text: string, file: string): readonly SqlAnswer[] {
  const bare = text.replace(/^\uFEFF/, '').trim();
  if (bare === '') throw unreadable(file, 'the file with the answer is empty');
  return /^[[{]/.test(bare) ? jsonAnswers(bare, file) : [separatedAnswer(bare, file)];
}

function jsonAnswers(text: string, file: string): readonly SqlAnswer[] {
  let value: unknown;
  try {
    // One object a line is what some engines write.
    const whole = text.startsWith('{') && /\}\s*\n\s*\{/.test(text) ? lines(text) : text;
    value = JSON.parse(withQuotedNumbers(whole));
  } catch {
    throw unreadable(file, 'the answer is not valid JSON');
  }
  const list = Array.isArray(value) ? value : [value];
  const answers = list.map((one) => tableOf(one) ?? rowOf(one));
  if (answers.some((one) => one === undefined)) {
    throw unreadable(file, 'the JSON has neither columns and rows nor objects');
  }
  return answers as readonly SqlAnswer[];
}

function lines(text: string): string {
  return `[${text.replace(/\}\s*\n\s*\{/g, '},{')}]`;
}

/** JSON with its numbers as texts: a sum has more digits than a float64. */
function withQuotedNumbers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
}

function cellOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** `columns` and `rows`, or `meta` and `data` of ClickHouse. */
function tableOf(value: unknown): SqlAnswer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { columns, rows, meta, data } = value as Readonly<Record<string, unknown>>;
  const names = Array.isArray(columns) ? columns : meta;
  const cells = Array.isArray(columns) ? rows : data;
  if (!Array.isArray(names) || !Array.isArray(cells)) return undefined;
  if (!cells.every(Array.isArray)) return undefined;
  return {
    columns: names.map((one) => String(typeof one === 'object' && one !== null ? one.name : one)),
    rows: cells.map((row) => (row as readonly unknown[]).map(cellOf)),
  };
}

function rowOf(value: unknown): SqlAnswer | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  return {
    columns: entries.map(([name]) => name),
    rows: [entries.map(([, cell]) => cellOf(cell))],
  };
}

const NULLS: readonly string[] = ['', 'NULL', 'null', '\\N'];

function separatedAnswer(text: string, file: string): SqlAnswer {
  const [first = ''] = text.split(/\r?\n/, 1);
  const mark = ['\t', ',', ';', '|'].find((one) => first.includes(one));
  if (mark === undefined) throw unreadable(file, 'the answer has no header with several columns');
  const table = records(text, mark)
    .map((record) => record.map((cell) => cell.trim()))
    // psql draws a line under the header and counts the rows.
    .filter((record) => !record.every((cell) => /^[-+]*$/.test(cell)) && record.length > 1);
  const [columns = [], ...rows] = table;
  return {
    columns,
    rows: rows.map((row) => row.map((cell) => (NULLS.includes(cell) ? null : cell))),
  };
}

/** The records of a text with a separator, quotes around cells removed. */
function records(text: string, mark: string): string[][] {
  const found: string[][] = [[]];
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^${mark}\\r\\n]*))(${mark === '|' ? '\\|' : mark}|\\r?\\n|$)`,
    'gy',
  );
  for (let at = 0; at <= text.length; at = cell.lastIndex) {
    cell.lastIndex = at;
    const match = cell.exec(text);
    if (match === null) break;
    found.at(-1)!.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') break;
    if (match[3] !== mark) found.push([]);
  }
  return found;
}

function unreadable(file: string, problem: string): DataError {
  return new DataError(
    problem,
    { file },
    'save the answer of each query as CSV with a header, or as JSON, all digits of it',
  );
}
