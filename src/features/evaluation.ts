import { DataError } from '../data-error.ts';
import { type DoubleDouble, dd } from '../numeric/double-double.ts';
import type { Block, Origin } from '../table/columns.ts';
import {
  type AnyCategory,
  type BoundVariable,
  type CategoryVariable,
  type CodedVariable,
  type ComputedVariable,
  isCategory,
  uncheckedIn,
} from './bound-variable.ts';
import type { RowCursor } from './evaluator.ts';
import { copyValues, fillIndicator, maskValues, multiplyValues, type Values } from './fill.ts';
import type { NumberFactor, TermColumn } from './terms.ts';

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
  const computed = new Map<object, { hi: Float64Array; lo: Float64Array }>();
  let rest = new Float64Array(0);

  function prepare(block: Block, origin: Origin): void {
    if (rest.length < block.rows) rest = new Float64Array(block.rows);
    for (const [index, variable] of variables.entries()) {
      const part = index < variables.length - responses ? 'predictor' : 'response';
      for (const check of uncheckedIn(variable)) checkLevels(check, block, origin, part);
      for (const one of computedIn(variable))
        compute(one, block, origin, part, roomFor(one, block));
      if (!isCategory(variable)) continue;
      for (const contrast of variable.contrasts ?? []) {
        const { hi } = roomFor(contrast, block);
        const byCode = new Map(variable.codes.map((code, k) => [code, contrast.values[k]!]));
        const codes = codesOf(variable, block);
        for (let r = 0; r < block.rows; r++) hi[r] = byCode.get(codes[r]!) ?? 0;
      }
    }
  }

  function roomFor(one: object, block: Block): { hi: Float64Array; lo: Float64Array } {
    let values = computed.get(one);
    if (values === undefined || values.hi.length < block.rows) {
      values = { hi: new Float64Array(block.rows), lo: new Float64Array(block.rows) };
      computed.set(one, values);
    }
    return values;
  }

  function codesOf(variable: AnyCategory, block: Block): Float64Array {
    return variable.kind === 'category'
      ? block.columns[variable.column]!
      : computed.get(variable)!.hi;
  }

  function valuesOf({ variable: index, part }: NumberFactor, block: Block): Values {
    const variable = variables[index]!;
    if (variable.kind === 'number') return { hi: block.columns[variable.column]!, lo: undefined };
    if (variable.kind === 'computed') return computed.get(variable)!;
    if (variable.kind === 'columns') return computed.get(variable.parts[part]!)!;
    return { hi: computed.get(variable.contrasts![part]!)!.hi, lo: undefined };
  }

  function fill(column: TermColumn, block: Block, target: Values): void {
    const { rows } = block;
    const [number, ...numbers] = column.numbers;
    const [indicator, ...indicators] = column.indicators.map(({ variable, level }) => {
      const category = variables[variable] as AnyCategory;
      return { codes: codesOf(category, block), code: category.codes[level]! };
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

/** What is computed of a variable, row by row. */
function computedIn(variable: BoundVariable): readonly (ComputedVariable | CodedVariable)[] {
  if (variable.kind === 'columns') return variable.parts;
  return variable.kind === 'number' || variable.kind === 'category' ? [] : [variable];
}

function compute(
  variable: ComputedVariable | CodedVariable,
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
  { label, ...variable }: ComputedVariable | CodedVariable,
  cursor: RowCursor,
): DoubleDouble {
  const { origin, row } = cursor;
  const place = { file: origin.file, row: origin.rowOf(row), column: label };
  if ('guard' in variable && variable.guard?.evaluate(cursor).hi === 0) {
    throw new DataError('the value is beyond the breaks', place, 'check the unit');
  }
  const value = variable.evaluate(cursor);
  if (Number.isFinite(value.hi) && Number.isFinite(value.lo)) return value;
  throw new DataError('the value is too large to hold', place, 'check the unit');
}

/** A number column as a category: other numbers are refused here. */
function checkLevels(variable: CategoryVariable, block: Block, origin: Origin, part: Part): void {
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
