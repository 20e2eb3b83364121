import { DataError } from '../data-error.ts';
import type { Agreement } from '../federate.ts';
import type { SqlAnswer } from './sql-answer.ts';

/** The cells of all answers by the names of their columns. */
export interface AnswerCells {
  /** The engine that has answered. */
  readonly engine: string;
  /** An integer of any size. */
  whole(name: string): bigint;
  /** A number of rows or cells. */
  count(name: string): number;
  /** A float64; undefined where the engine says NULL. */
  number(name: string): number | undefined;
}

/** Puts answers together; refuses those of another study, of several tables, and incomplete ones. */
export function answerCells(
  { digest }: Pick<Agreement, 'digest'>,
  answers: readonly SqlAnswer[],
  names: readonly string[],
  common: readonly { readonly name: string }[],
  file: string,
): AnswerCells {
  const refuse = (problem: string, remedy: string) => new DataError(problem, { file }, remedy);
  const cells = new Map<string, string | null>();
  for (const { columns, rows } of answers) {
    const [row] = rows;
    if (row === undefined || rows.length > 1 || row.length !== columns.length) {
      throw refuse(
        'an answer must be one row',
        'give the answer of the query as the engine wrote it',
      );
    }
    const own = new Map(columns.map((name, k) => [name.toLowerCase(), row[k] ?? null]));
    if (own.get('study') !== digest) {
      throw refuse(
        'the answer is to a query of another study',
        'write the query of this study, and run that',
      );
    }
    // A query over several servers has only some of them.
    const shared = common.filter(({ name }) => own.has(name));
    for (const { name } of shared.length > 1 ? shared : common) {
      if (cells.has(name) && cells.get(name) !== own.get(name)) {
        throw refuse(
          'the table has changed between two queries: their counts or check sums differ',
          'run all queries on the same rows, in one read-only transaction, or on a copy',
        );
      }
    }
    for (const [name, cell] of own) cells.set(name, cell);
  }
  const absent = names.find((name) => !cells.has(name));
  if (absent !== undefined) {
    throw refuse(
      `the answer has no column ${absent}`,
      'give the answers to all queries of the study, each as the engine wrote it',
    );
  }
  const engine = cells.get('engine') ?? 'the engine';
  const whole = (name: string): bigint => {
    const text = cells.get(name);
    if (text !== null && text !== undefined && /^-?\d+(?:\.0*)?$/.test(text)) {
      return BigInt(text.replace(/\..*$/, ''));
    }
    throw refuse(
      text === null || text === undefined
        ? `${engine} gave no value for ${name}: a table without rows, or an overflow`
        : `${name} is no whole number: a spreadsheet or a conversion may have rounded it`,
      'give the answer as the engine wrote it, all digits of it',
    );
  };
  return {
    engine,
    whole,
    count: (name) => Number(whole(name)),
    number(name) {
      const text = cells.get(name);
      return text === null || text === undefined ? undefined : Number(text);
    },
  };
}
