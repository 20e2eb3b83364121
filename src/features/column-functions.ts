import type { CallArguments } from '../study/formula-arguments.ts';
import { flagOf, numberOf, numbersOf } from '../study/formula-constants.ts';
import { deparse, type Expression, type PolynomialPiece } from '../study/formula-expression.ts';
import type { ColumnFunctionName } from '../study/formula-signatures.ts';
import type { Interval } from './interval.ts';
import { bSplineBasis, naturalSplineBasis, type SplineKnots } from './spline-basis.ts';

/** One of the columns of a function of a number. */
export interface MadeColumn {
  /** What R writes behind the label: "1", "2"; nothing for a single column. */
  readonly suffix: string;
  readonly expression: Expression;
}

export interface ColumnContext {
  readonly name: string;
  readonly position: number;
  /** The argument, and its values by the codebook. */
  readonly x: Expression;
  readonly interval: Interval;
  refuse(problem: string, remedy: string): Error;
}

/** A function of a formula whose value has several columns. */
export interface ColumnFunction {
  make(given: CallArguments, context: ColumnContext): readonly MadeColumn[];
  /** The call with numbers of the codebook where R takes them from all rows; undefined if it lacks none. */
  spell?(
    given: CallArguments,
    context: Pick<ColumnContext, 'name' | 'x' | 'interval'>,
  ): string | undefined;
  /** A column for people, where its expression is not readable: "natural spline of age, 2 of 3". */
  readonly text?: string;
}

/** The highest power, and most columns of a spline. */
const MOST_COLUMNS = 100;

export const columnFunctions: Readonly<Record<ColumnFunctionName, ColumnFunction>> = {
  poly: {
    make(given, { x, position, refuse }) {
      const degree = given.number('degree', 1);
      if (!Number.isInteger(degree) || degree < 1 || degree > MOST_COLUMNS) {
        throw refuse(
          'the degree must be a whole number of at least 1',
          'write poly(x, 3, raw = TRUE)',
        );
      }
      return numbered(
        Array.from({ length: degree }, (_, k): Expression => {
          if (k === 0) return { kind: 'group', inner: x, position };
          const right: Expression = { kind: 'number', value: k + 1, position };
          return { kind: 'binary', operator: '^', left: x, right, position };
        }),
      );
    },
  },
  ns: {
    make(given, context) {
      const knots = splineKnots(given, context, 1);
      return splineColumns(naturalSplineBasis(knots, constantOf(given)), context);
    },
    spell: spelledSpline,
    text: 'natural spline',
  },
  bs: {
    make(given, context) {
      const degree = given.number('degree', 3);
      if (!Number.isInteger(degree) || degree < 1 || degree > 10) {
        throw context.refuse(
          'the degree must be a whole number from 1 to 10',
          'leave it out: 3 is usual',
        );
      }
      const knots = splineKnots(given, context, degree);
      return splineColumns(bSplineBasis(knots, degree, constantOf(given)), context);
    },
    spell: spelledSpline,
    text: 'B-spline',
  },
};

function isFlagged(given: CallArguments, name: string): boolean {
  const found = given.find(name);
  return found !== undefined && flagOf(found) === true;
}

function constantOf(given: CallArguments): 'kept' | 'left out' {
  return isFlagged(given, 'intercept') ? 'kept' : 'left out';
}

/** R names the columns of a matrix only if there are several. */
function numbered(expressions: readonly Expression[]): readonly MadeColumn[] {
  const suffix = (k: number) => (expressions.length === 1 ? '' : String(k + 1));
  return expressions.map((expression, k) => ({ suffix: suffix(k), expression }));
}

function splineColumns(
  basis: readonly (readonly PolynomialPiece[])[],
  { x, position }: ColumnContext,
): readonly MadeColumn[] {
  return numbered(basis.map((pieces) => ({ kind: 'piecewise', argument: x, pieces, position })));
}

function splineKnots(given: CallArguments, context: ColumnContext, degree: number): SplineKnots {
  const { name, refuse } = context;
  const boundary = listOf(given, 'Boundary.knots');
  const knots = listOf(given, 'knots');
  const spelled = spelledSpline(given, context);
  if (boundary === undefined || spelled !== undefined) {
    throw refuse(
      `${name}() needs its ${boundary === undefined ? 'Boundary.knots' : 'knots'}: R takes them from all rows, which no site has`,
      `write ${spelled}`,
    );
  }
  const inner = [...(knots ?? [])].sort((a, b) => a - b);
  const [left, right] = [...boundary].sort((a, b) => a - b);
  if (boundary.length !== 2 || left === undefined || right === undefined || !(left < right)) {
    throw refuse('Boundary.knots are two different numbers', 'write Boundary.knots = c(20, 80)');
  }
  if (inner.some((knot) => !(left < knot && knot < right))) {
    throw refuse('the knots must lie between the Boundary.knots', 'leave out those beyond them');
  }
  if (inner.length + degree > MOST_COLUMNS) {
    throw refuse(`${name}() has too many knots`, `give at most ${MOST_COLUMNS - degree}`);
  }
  const repeated = inner.filter((knot, k) => inner[k + degree] === knot);
  if (repeated.length > 0) {
    throw refuse('a knot is repeated too often', 'list each knot once');
  }
  return { inner, boundary: [left, right] };
}

function listOf(given: CallArguments, name: string): readonly number[] | undefined {
  const found = given.find(name);
  return found && numbersOf(found);
}

/** The same call with its knots written out: those that are not given are spread evenly over the codebook's range. */
function spelledSpline(
  given: CallArguments,
  { name, x, interval }: Pick<ColumnContext, 'name' | 'x' | 'interval'>,
): string | undefined {
  const [own, df] = [listOf(given, 'knots'), given.find('df')];
  const ends = listOf(given, 'Boundary.knots');
  if (ends !== undefined && (own !== undefined || df === undefined)) return undefined;
  const degree = name === 'bs' ? given.number('degree', 3) : 1;
  const boundary = ends ?? [interval.low, interval.high];
  const kept = isFlagged(given, 'intercept') ? 1 : 0;
  const count = df === undefined ? 0 : Math.max(0, (numberOf(df) ?? 0) - degree - kept);
  const knots = own ?? spread(boundary, Math.min(Math.trunc(count), MOST_COLUMNS));
  const parts = [
    deparse(x),
    ...(knots.length === 0 ? [] : [`knots = ${listText(knots)}`]),
    ...(given.find('degree') === undefined ? [] : [`degree = ${degree}`]),
    ...(kept === 1 ? ['intercept = TRUE'] : []),
    `Boundary.knots = ${listText(boundary)}`,
  ];
  return `${name}(${parts.join(', ')})`;
}

function listText(values: readonly number[]): string {
  const list = values.map((value) => deparse({ kind: 'number', value, position: 0 }));
  return list.length === 1 ? list[0]! : `c(${list.join(', ')})`;
}

/** Numbers between two, at equal distances, with no more digits than tell them apart. */
function spread([low = 0, high = 1]: readonly number[], count: number): readonly number[] {
  const step = (high - low) / (count + 1);
  const decimals = Math.min(100, Math.max(0, 2 - Math.floor(Math.log10(step))));
  return Array.from({ length: count }, (_, k) => Number((low + step * (k + 1)).toFixed(decimals)));
}
