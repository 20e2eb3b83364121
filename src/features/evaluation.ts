import { DataError } from '../data-error.ts';
import { type DoubleDouble, dd } from '../numeric/double-double.ts';
import type { Block, Origin } from '../table/columns.ts';
import type { RowCursor } from './arithmetic.ts';
import { copyValues, fillIndicator, maskValues, multiplyValues, type Values } from './fill.ts';
import type { TermColumn } from './terms.ts';
import type {
  BoundVariable,
  CategoryVariable,
  ComparisonVariable,
  ComputedVariable,
} from './variables.ts';

type Evaluate = (
  block: Block,
  origin: Origin,
  hi: readonly Float64Array[],
  lo: readonly (Float64Array | undefined)[],
) => void;

/** Computes every column of a block, each variable once, a column at a time. The variables of responses come last. */
export function createEvaluation(
  columns: readonly TermColumn[],
  variables: readonly BoundVariable[],
  responses: number,
): Evaluate {
  // Reused for every block: blocks are small and many.
  const computed = new Map<BoundVariable, { hi: Float64Array; lo: Float64Array }>();
  let rest = new Float64Array(0);

  function prepare(block: Block, origin: Origin): void {
    if (rest.length < block.rows) rest = new Float64Array(block.rows);
    for (const [index, variable] of variables.entries()) {
      const part = index < variables.length - responses ? 'predictor' : 'response';
      if (variable.kind === 'category') checkLevels(variable, block, origin, part);
      if (variable.kind !== 'computed' && variable.kind !== 'comparison') continue;
      let values = computed.get(variable);
      if (values === undefined || values.hi.length < block.rows) {
        values = { hi: new Float64Array(block.rows), lo: new Float64Array(block.rows) };
        computed.set(variable, values);
      }
      compute(variable, block, origin, part, values);
    }
  }

  function valuesOf(index: number, block: Block): Values {
    const variable = variables[index]!;
    if (variable.kind === 'computed' || variable.kind === 'comparison') {
      return computed.get(variable)!;
    }
    return { hi: block.columns[variable.column]!, lo: undefined };
  }

  function fill(column: TermColumn, block: Block, target: Values): void {
    const { rows } = block;
    const [number, ...numbers] = column.numbers;
    const [indicator, ...indicators] = column.indicators.map(({ variable, level }) => {
      const { codes } = variables[variable] as CategoryVariable | ComparisonVariable;
      return { codes: valuesOf(variable, block).hi, code: codes[level]! };
    });
    if (number !== undefined) {
      copyValues(target, valuesOf(number, block), rows);
      if (indicator !== undefined) maskValues(target, indicator.codes, indicator.code, rows);
    } else if (indicator !== undefined) {
      fillIndicator(target, indicator.codes, indicator.code, rows);
    } else {
      target.hi.fill(1, 0, rows);
      target.lo?.fill(0, 0, rows);
    }
    for (const factor of numbers) {
      multiplyValues({ hi: target.hi, lo: target.lo! }, valuesOf(factor, block), rows);
    }
    for (const { codes, code } of indicators) maskValues(target, codes, code, rows);
  }

  return (block, origin, hi, lo) => {
    prepare(block, origin);
    columns.forEach((column, index) => {
      // A product needs the low part of its first factors, even if the caller does not ask for its own.
      const low = lo[index] ?? (column.numbers.length > 1 ? rest : undefined);
      fill(column, block, { hi: hi[index]!, lo: low });
    });
  };
}

function compute(
  variable: ComputedVariable | ComparisonVariable,
  block: Block,
  origin: Origin,
  part: Part,
  values: { readonly hi: Float64Array; readonly lo: Float64Array },
): void {
  const cursor: RowCursor = { columns: block.columns, origin, row: 0 };
  for (let r = 0; r < block.rows; r++) {
    cursor.row = r;
    const value = origin.valueless === undefined ? finite(variable, cursor) : finiteOr0(r);
    values.hi[r] = value.hi;
    values.lo[r] = value.lo;
  }

  function finiteOr0(r: number): DoubleDouble {
    try {
      return finite(variable, cursor);
    } catch (failure) {
      if (!(failure instanceof DataError)) throw failure;
      origin.valueless?.(r, part);
      return dd(0);
    }
  }
}

type Part = 'predictor' | 'response';

function finite(
  { evaluate, label }: ComputedVariable | ComparisonVariable,
  cursor: RowCursor,
): DoubleDouble {
  const value = evaluate(cursor);
  if (Number.isFinite(value.hi) && Number.isFinite(value.lo)) return value;
  const { origin, row } = cursor;
  const place = { file: origin.file, row: origin.rowOf(row), column: label };
  throw new DataError('the value is too large to hold', place, 'check the unit');
}

/** A category column is already checked; factor() of a number column is checked here. */
function checkLevels(variable: CategoryVariable, block: Block, origin: Origin, part: Part): void {
  if (variable.checked) return;
  const known = new Set(variable.codes);
  const values = block.columns[variable.column]!;
  for (let r = 0; r < block.rows; r++) {
    if (known.has(values[r]!)) continue;
    if (origin.valueless !== undefined) {
      origin.valueless(r, part);
      continue;
    }
    throw new DataError(
      'the value is not among the levels of the codebook',
      { file: origin.file, row: origin.rowOf(r), column: variable.source },
      `the levels are ${variable.levels.join(', ')}`,
    );
  }
}
