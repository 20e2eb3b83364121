import type { Codebook } from '../study/codebook.ts';
import { type Formula, FormulaError } from '../study/formula.ts';
import type { Expression } from '../study/formula-expression.ts';
import type { ExpandedFormula, Variable } from '../study/formula-terms.ts';
import type { Block, Origin } from '../table/columns.ts';
import type { ComputedVariable, NumberVariable } from './bound-variable.ts';
import { numberExpression, productExpression, sumExpression } from './category-expression.ts';
import { createEvaluation } from './evaluation.ts';
import type { Interval } from './interval.ts';
import { bindVariable } from './variables.ts';

/** A number that the linear predictor adds as it is. */
export interface DesignOffset {
  /** As R writes it: `offset(log(t))`. */
  readonly label: string;
  readonly expression: Expression;
  /** All values it can take. */
  readonly interval: Interval;
}

/** The offsets of a design. */
export interface Offsets {
  /** What offset() adds to the linear predictor, as terms with the coefficient 1; none in most studies. */
  readonly offsets: readonly DesignOffset[];
  /** Fills `hi` with the sum of the offsets of every row; throws as `evaluate` does. Absent without offsets. */
  evaluateOffset?(block: Block, origin: Origin, hi: Float64Array): void;
}

/** The responses minus the offsets: with an identity link, a model of them is the model with the offsets. */
export function withoutOffsets({
  responses,
  offsets,
}: Pick<ExpandedFormula, 'responses' | 'offsets'>): readonly Variable[] {
  if (offsets.length === 0) return responses;
  const sum = sumExpression(offsets.map(({ expression }) => expression));
  const negative = productExpression(numberExpression(-1), sum);
  return responses.map(({ label, expression }) => {
    const rest = sumExpression([expression, negative]);
    return { label, written: rest, expression: rest };
  });
}

/** The offsets of a formula as a design has them; refuses one that is not a number. */
export function bindOffsets(
  offsets: readonly Variable[],
  formula: Formula,
  codebook: Codebook,
  places: ReadonlyMap<string, number>,
): Offsets {
  const bound = offsets.map((offset): NumberVariable | ComputedVariable => {
    const variable = bindVariable(offset, formula, codebook, places);
    if (variable.kind === 'number' || variable.kind === 'computed') return variable;
    throw new FormulaError(
      `${offset.label} is not a number`,
      formula.text,
      offset.expression.position,
      'an offset is a number of every row: offset(log(t))',
    );
  });
  if (bound.length === 0) return { offsets: [] };
  const columns = bound.map((_, variable) => ({
    name: offsets[variable]!.label,
    term: offsets[variable]!.label,
    numbers: [{ variable, part: 0 }],
    indicators: [],
  }));
  const evaluate = createEvaluation(columns, bound, 0);
  return {
    offsets: bound.map(({ expression, interval }, k) => ({
      label: offsets[k]!.label,
      expression,
      interval,
    })),
    evaluateOffset(block, origin, hi) {
      const parts = bound.map(() => new Float64Array(block.rows));
      evaluate(block, origin, parts, []);
      hi.fill(0, 0, block.rows);
      for (const part of parts) {
        for (let r = 0; r < block.rows; r++) hi[r] = hi[r]! + part[r]!;
      }
    },
  };
}
