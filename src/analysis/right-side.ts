import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import { createDesign, type Design } from '../features/design.ts';
import { anyCell, readCell } from '../features/read-cell.ts';
import { rightSideCodebook } from '../features/right-side-design.ts';
import { codingOf, withFeatures } from '../features/study-design.ts';
import { parseFormula } from '../study/formula.ts';
import { expressionColumns } from '../study/formula-expression.ts';
import { expandFormula } from '../study/formula-terms.ts';
import { usableColumns } from '../study/usable-columns.ts';
import { noSuchName } from './model-terms.ts';
import type { QueryInput } from './query-input.ts';

/** Under this name a row has the sum of its offsets, where the formula has some. */
export const OFFSET = '(offset)';

/** One row of a table by column name. */
export type Row = Readonly<Record<string, number | string>>;

/**
 * The row of the model matrix for these cells, by column name: the right side of the formula, without the response.
 * Columns that only dropped terms use need not be given. Mapped columns are added to the columns they are made from.
 */
export function modelRow(
  { study, design: model }: Pick<QueryInput, 'study' | 'design'>,
  at: Row,
): ReadonlyMap<string, number> | Failure {
  const formula = parseFormula(study.formula);
  const codebook = rightSideCodebook(formula, study.codebook);
  const explaining = { ...formula, responses: [] };
  const design = createDesign(explaining, codebook, defined({ coding: codingOf(study) }));
  const written = [...model.terms, ...(model.mapped?.from.terms ?? [])];
  const labels = new Set(written.map(({ label }) => label));
  const { terms, variables, offsets } = expandFormula(
    explaining,
    usableColumns(explaining, codebook),
  );
  const needed = new Set(
    terms
      .filter(({ label }) => labels.has(label))
      .flatMap((term) => term.variables)
      .flatMap((index) => expressionColumns(variables[index].expression))
      .concat(offsets.flatMap(({ expression }) => expressionColumns(expression))),
  );
  const unknown = Object.keys(at).find((name) => !needed.has(name));
  if (unknown !== undefined) return noSuchName('column', unknown, [...needed]);
  const cells: number[] = [];
  for (const name of design.variables) {
    if (!needed.has(name)) {
      cells.push(anyCell(codebook[name]));
      continue;
    }
    const cell = readCell(name, codebook[name], at[name]);
    if (typeof cell !== 'number') return cell;
    cells.push(cell);
  }
  const row = evaluated(design, cells);
  if (model.mapped === undefined || 'problem' in row) return row;
  const mapped = evaluated(withFeatures(design, study), cells);
  return 'problem' in mapped ? mapped : new Map([...row, ...mapped]);
}

function evaluated(
  design: Design,
  cells: readonly number[],
): ReadonlyMap<string, number> | Failure {
  const hi = design.columns.map(() => new Float64Array(1));
  const lo = design.needsLow.map((needed) => (needed ? new Float64Array(1) : undefined));
  const offset = new Float64Array(1);
  try {
    const block = { rows: 1, columns: cells.map((cell) => Float64Array.of(cell)) };
    const place = { file: 'the row asked about', rowOf: () => 1 };
    design.evaluate(block, place, hi, lo);
    design.evaluateOffset?.(block, place, offset);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return { problem: error.problem, remedy: error.remedy };
  }
  return new Map([
    ...design.columns.map(({ name }, k) => [name, hi[k][0] + (lo[k]?.[0] ?? 0)] as const),
    ...(design.offsets.length === 0 ? [] : [[OFFSET, offset[0]] as const]),
  ]);
}
