/** A piece of a formula as it was written; `position` points into the formula's text. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number; readonly position: number }
  | { readonly kind: 'text'; readonly text: string; readonly position: number }
  | { readonly kind: 'name'; readonly name: string; readonly position: number }
  | { readonly kind: 'dot'; readonly position: number }
  | {
      readonly kind: 'call';
      readonly function: string;
      readonly arguments: readonly Expression[];
      /** The names of arguments that have one, such as base = 2, at their places; absent if none has. */
      readonly names?: readonly (string | undefined)[];
      readonly position: number;
    }
  | {
      /** A word that is no column: TRUE, Inf, or contr.sum where a function takes such a word. */
      readonly kind: 'word';
      readonly word: string;
      readonly position: number;
    }
  | {
      /** A function of a number that is another polynomial between each two of its breaks. No formula has one as it was written. */
      readonly kind: 'piecewise';
      readonly argument: Expression;
      readonly pieces: readonly PolynomialPiece[];
      readonly position: number;
    }
  | {
      readonly kind: 'sign';
      readonly operator: '+' | '-';
      readonly operand: Expression;
      readonly position: number;
    }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly position: number;
    }
  | { readonly kind: 'group'; readonly inner: Expression; readonly position: number };

/** The polynomial Σ coefficients[k] · (x − origin)ᵏ, for all x below `below` that no earlier piece is for; the last has no limit. */
export interface PolynomialPiece {
  readonly below?: number;
  readonly origin: number;
  readonly coefficients: readonly number[];
}

/** A call of a function. */
export type CallExpression = Expression & { readonly kind: 'call' };

export type BinaryOperator = '+' | '-' | '*' | '/' | '^' | ':' | '%in%' | ComparisonOperator;

export type ComparisonOperator = '<' | '<=' | '>' | '>=' | '==' | '!=';

const comparisons: readonly string[] = ['<', '<=', '>', '>=', '==', '!='];

export function isComparisonOperator(operator: string): operator is ComparisonOperator {
  return comparisons.includes(operator);
}

/** A comparison: 1 where it holds, else 0. */
export type ComparisonExpression = Expression & {
  readonly kind: 'binary';
  readonly operator: ComparisonOperator;
};

export function isComparison(expression: Expression): expression is ComparisonExpression {
  return expression.kind === 'binary' && isComparisonOperator(expression.operator);
}

/** A test whether a row's category has a level (or, if not `equal`, another): `sex == "male"`. */
export interface LevelTest {
  readonly column: string;
  readonly level: string;
  readonly equal: boolean;
}

/** Whether R makes TRUE or FALSE of an expression: a comparison, or a test whether a value is in a list. */
export function isLogical(expression: Expression): boolean {
  if (expression.kind === 'group') return isLogical(expression.inner);
  if (expression.kind === 'call' && expression.function === 'I') {
    return expression.arguments.length === 1 && isLogical(expression.arguments[0]!);
  }
  return (
    isComparison(expression) || (expression.kind === 'binary' && expression.operator === '%in%')
  );
}

/** The level test behind a comparison of a column with a text; undefined for a comparison of numbers. */
export function levelTest({ operator, left, right }: ComparisonExpression): LevelTest | undefined {
  const sides = left.kind === 'text' ? [right, left] : [left, right];
  const [column, level] = sides as [Expression, Expression];
  if (column.kind !== 'name' || level.kind !== 'text') return undefined;
  return { column: column.name, level: level.text, equal: operator === '==' };
}

/** The expression as R deparses it: no spaces around / ^ :, odd names in backticks. */
export function deparse(expression: Expression): string {
  switch (expression.kind) {
    case 'number':
      return deparseNumber(expression.value);
    case 'text':
      return deparseText(expression.text);
    case 'name':
      return deparseName(expression.name);
    case 'dot':
      return '.';
    case 'call':
      return `${expression.function}(${deparseArguments(expression)})`;
    case 'word':
      return expression.word;
    case 'piecewise':
      return deparsePieces(deparse(expression.argument), expression.pieces);
    case 'sign':
      return `${expression.operator}${deparse(expression.operand)}`;
    case 'group':
      return `(${deparse(expression.inner)})`;
    case 'binary': {
      const space = ['/', '^', ':'].includes(expression.operator) ? '' : ' ';
      const { left, operator, right } = expression;
      return `${deparse(left)}${space}${operator}${space}${deparse(right)}`;
    }
  }
}

/** A piecewise polynomial as R would compute it. */
function deparsePieces(x: string, [piece, ...rest]: readonly PolynomialPiece[]): string {
  const { below, origin, coefficients } = piece!;
  const t = `(${x} - ${deparseNumber(origin)})`;
  const polynomial = coefficients
    .map(deparseNumber)
    .reduceRight((sum, coefficient) => `${coefficient} + ${t} * (${sum})`);
  if (below === undefined || rest.length === 0) return polynomial;
  return `ifelse(${x} < ${deparseNumber(below)}, ${polynomial}, ${deparsePieces(x, rest)})`;
}

function deparseArguments(call: CallExpression): string {
  return call.arguments
    .map((argument, k) => {
      const name = call.names?.[k];
      return name === undefined ? deparse(argument) : `${deparseName(name)} = ${deparse(argument)}`;
    })
    .join(', ');
}

const reserved = new Set(
  'if else repeat while function for next break TRUE FALSE NULL Inf NaN NA in'.split(' '),
);

/** Whether a name is a reserved word of R, which can be a column only in backticks. */
export function isReserved(name: string): boolean {
  return reserved.has(name);
}

function deparseName(name: string): string {
  const plain = /^(?:\p{L}|\.(?!\d))[\p{L}\p{N}._]*$/u.test(name);
  return plain && !isReserved(name) ? name : `\`${name}\``;
}

function deparseText(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };
  return `"${text.replace(/["\\\n\t\r]/g, (character) => escapes[character] ?? `\\${character}`)}"`;
}

/** Fifteen significant digits, in scientific notation only where that is shorter, as R prints. */
function deparseNumber(value: number): string {
  const rounded = Number(value.toPrecision(15));
  const scientific = rounded
    .toExponential()
    .replace(/e([+-])(\d)$/, (_, sign: string, digit: string) => `e${sign}0${digit}`);
  const fixed = String(rounded);
  return fixed.length <= scientific.length && !fixed.includes('e') ? fixed : scientific;
}

/** Names of the columns in an expression, in order of appearance, each once. */
export function expressionColumns(expression: Expression): string[] {
  const names = new Set<string>();
  visit(expression, (node) => {
    if (node.kind === 'name') names.add(node.name);
  });
  return [...names];
}

/** Calls `see` with the expression and everything in it, outer first, from left to right. */
export function visit(expression: Expression, see: (node: Expression) => void): void {
  const waiting = [expression];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    see(node);
    waiting.push(...children(node).toReversed());
  }
}

/** The terms of a sum, a + b − c as +a, +b, −c, without recursion: a sum may be very long. */
export function summands(
  expression: Expression,
): readonly { readonly operator: '+' | '-'; readonly operand: Expression }[] {
  const found: { operator: '+' | '-'; operand: Expression }[] = [];
  let rest = expression;
  while (rest.kind === 'binary' && (rest.operator === '+' || rest.operator === '-')) {
    found.push({ operator: rest.operator, operand: rest.right });
    rest = rest.left;
  }
  found.push({ operator: '+', operand: rest });
  return found.toReversed();
}

function children(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'call':
      return expression.arguments;
    case 'sign':
      return [expression.operand];
    case 'piecewise':
      return [expression.argument];
    case 'group':
      return [expression.inner];
    case 'binary':
      return [expression.left, expression.right];
    default:
      return [];
  }
}
