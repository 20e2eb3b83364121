import type { Codebook } from '../study/codebook.ts';
import { parseFormula } from '../study/formula.ts';
import { callArguments } from '../study/formula-arguments.ts';
import { type CallExpression, visit } from '../study/formula-expression.ts';
import { lowered } from '../study/formula-lower.ts';
import { type ColumnFunctionName, givesOf } from '../study/formula-signatures.ts';
import { callEnd } from '../study/formula-tokens.ts';
import { LONGEST_FORMULA } from '../study/spelled-formula.ts';
import { columnFunctions } from './column-functions.ts';
import { numberRange } from './variables.ts';

/** A formula without anything that R would take from all rows, and what was written in its place. */
export interface SpelledKnots {
  readonly formula: string;
  readonly changed: readonly { readonly from: string; readonly to: string }[];
}

/**
 * The formula with knots and boundaries in place of df= and of those that are not given, from the ranges of the codebook;
 * sites need the same numbers, and no site has all rows. Unchanged where it would be too long.
 */
export function spelledKnots(text: string, codebook: Codebook): SpelledKnots {
  const formula = parseFormula(text);
  const calls: CallExpression[] = [];
  visit(formula.right, (node) => {
    if (node.kind === 'call' && givesOf(node) === 'columns') calls.push(node);
  });
  const changed = calls.flatMap((call) => {
    const given = callArguments(call);
    const x = lowered(given.need('x'));
    const name = call.function as ColumnFunctionName;
    const { spell } = columnFunctions[name];
    if (spell === undefined) return [];
    const to = spell(given, { name, x, interval: numberRange(x, formula, codebook) });
    if (to === undefined) return [];
    const end = callEnd(text, call.position);
    return [{ start: call.position, end, from: text.slice(call.position, end), to }];
  });
  const whole = changed
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (spelled, { start, end, to }) => spelled.slice(0, start) + to + spelled.slice(end),
      text,
    );
  if (whole.length > LONGEST_FORMULA) return { formula: text, changed: [] };
  return { formula: whole, changed: changed.map(({ from, to }) => ({ from, to })) };
}

/** What was written into the formula, for the person who drafts it. */
export function knotNotes({ changed }: SpelledKnots): readonly string[] {
  return changed.map(
    ({ from, to }) =>
      `${from} is written as ${to}: every site must have the same knots, so they are spread over the range in the codebook; write others if the column is crowded at one end`,
  );
}
