import type { Agreement } from '../federate.ts';
import { grouped } from '../text/number-text.ts';
import type { TableTraits } from './cells.ts';
import type { SqlDialect } from './dialect.ts';
import { nested, textOf } from './layers.ts';
import type { SqlQuery } from './sql-answer.ts';
import { type SqlOutput, type SumsPlan, sumsPlan } from './sums-plan.ts';

/**
 * The statistic of a study as queries of one row each; `table` is a quoted name, or a select. Their answers give the bits
 * that reading the rows gives (`summaryFrom`).
 */
export function sumsQuery(
  agreed: Agreement,
  dialect: SqlDialect,
  table: string,
  traits: TableTraits = {},
): readonly SqlQuery[] {
  const plan = sumsPlan(agreed, dialect, traits);
  const write = (name: string, comment: readonly string[], outputs: readonly SqlOutput[]) =>
    written(name, comment, [...plan.common, ...outputs], agreed, dialect, table);
  const parts = shortEnough(
    inParts(plan.outputs, plan.common, dialect),
    (part) => write('', [], part).sql.length,
    dialect,
  );
  return parts.map((outputs, k) => {
    const name = `sums ${k + 1} of ${parts.length}`;
    return write(name, header(agreed, plan, dialect, name, parts.length), outputs);
  });
}

/** One query over the table: its comment, its columns, its layers. */
export function written(
  name: string,
  comment: readonly string[],
  outputs: readonly SqlOutput[],
  agreed: Pick<Agreement, 'digest'>,
  dialect: SqlDialect,
  table: string,
): SqlQuery {
  const { relation, columns: texts } = nested(
    outputs.map(({ value }) => value),
    sourceOf(table),
    dialect,
  );
  const labels = [
    `${dialect.text(agreed.digest)} as study`,
    `${dialect.text(dialect.name)} as engine`,
  ];
  const columns = [...labels, ...outputs.map((one, k) => `${texts[k]} as ${one.name}`)];
  const text = `select\n  ${columns.join(',\n  ')}\nfrom ${relation}\n`;
  const lines = [...comment, ...notesOn(text, dialect)]
    .map((line) => `-- ${line.replace(/[\r\n]+/g, ' ')}\n`)
    .join('');
  return {
    name,
    sql: `${lines}${text}`,
    columns: ['study', 'engine', ...outputs.map((one) => one.name)],
  };
}

/** A select in brackets, a relation as it is, unless it has a name already. */
export function sourceOf(table: string): string {
  const text = table.trim().replace(/;\s*$/, '');
  if (text.startsWith('(')) return text;
  return /^(?:select|with)\s/i.test(text) ? `(\n${text}\n) as source` : `${text} as source`;
}

/** As few queries as the limits of the engine allow. */
export function inParts(
  outputs: readonly SqlOutput[],
  common: readonly SqlOutput[],
  { most }: SqlDialect,
): readonly (readonly SqlOutput[])[] {
  const room = most.columns - common.length - 2;
  const parts: SqlOutput[][] = [[]];
  let characters = 0;
  for (const output of outputs) {
    const length = textOf(output.value).length + output.name.length + 8;
    const part = parts.at(-1)!;
    // Half of the characters are for the inner selects.
    if (part.length < room && characters + length <= most.characters / 2) {
      part.push(output);
      characters += length;
    } else {
      parts.push([output]);
      characters = length;
    }
  }
  return parts;
}

/** Parts in halves while their queries are longer than the engine takes; as they are where a single output needs half of that. */
export function shortEnough(
  parts: readonly (readonly SqlOutput[])[],
  lengthOf: (part: readonly SqlOutput[]) => number,
  { most: { characters } }: SqlDialect,
): readonly (readonly SqlOutput[])[] {
  if (2 * lengthOf(parts[0]!.slice(0, 1)) > characters) return parts;
  const halved = (part: readonly SqlOutput[]): readonly (readonly SqlOutput[])[] => {
    if (part.length < 2 || lengthOf(part) <= characters) return [part];
    const half = part.length >> 1;
    return [part.slice(0, half), part.slice(half)].flatMap(halved);
  };
  return parts.flatMap(halved);
}

/** What an administrator has to know about a query. */
export function notesOn(text: string, { notes, most, ifLonger }: SqlDialect): readonly string[] {
  return text.length > most.characters ? [...notes, ...(ifLonger?.(text.length) ?? [])] : notes;
}

function header(
  agreed: Agreement,
  { bound, known: { layout, study }, cells }: SumsPlan,
  dialect: SqlDialect,
  name: string,
  parts: number,
): string[] {
  const bits = (bound - 1n).toString(2).length;
  return [
    `Suffice: the statistic of a study as a query for ${dialect.title}, ${name}. It only reads.`,
    `Study ${agreed.digest}`,
    `Formula: ${study.formula}`,
    `Columns read: ${cells.read.map(({ name: column }) => column).join(', ')}`,
    'The answer is one row: counts and sums of products over all rows, no value of any row.',
    `Numbers are rounded to 2^-${layout.grid} of their scale as the study says, with + - * of float64 alone.`,
    `Bound: the codebook allows no summand beyond 2^${bits}, so int64 (2^63) holds each; sums are ${dialect.sumType}.`,
    'check_… and row_check are remainders modulo 1,000,003; the reader of the answer compares the sums with them.',
    ...(parts === 1
      ? []
      : [
          `Run all ${grouped(parts)} queries on the same rows, in one read-only transaction if you can; row_check must be the same in each.`,
        ]),
  ];
}
