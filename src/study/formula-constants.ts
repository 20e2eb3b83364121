import type { CallExpression, Expression } from './formula-expression.ts';

/** Most numbers of seq() and of a:b: more have no use as knots, breaks or levels. */
const MOST_NUMBERS = 10_000;

/** The numbers that an expression without columns stands for: 3, -Inf, c(1, 2), seq(0, 100, by = 25), 0:4; undefined if it is something else. */
export function numbersOf(expression: Expression): readonly number[] | undefined {
  switch (expression.kind) {
    case 'number':
      return [expression.value];
    case 'word':
      return expression.word === 'Inf' ? [Number.POSITIVE_INFINITY] : undefined;
    case 'group':
      return numbersOf(expression.inner);
    case 'sign': {
      const numbers = numbersOf(expression.operand);
      return expression.operator === '-' ? numbers?.map((value) => 0 - value) : numbers;
    }
    case 'binary':
      return operated(expression);
    case 'call':
      if (expression.function === 'c') return joined(expression.arguments.map(numbersOf));
      return expression.function === 'seq' ? sequence(expression) : undefined;
    default:
      return undefined;
  }
}

/** One number. */
export function numberOf(expression: Expression): number | undefined {
  const numbers = numbersOf(expression);
  return numbers?.length === 1 ? numbers[0] : undefined;
}

/** Texts or numbers, as c("a", "b") or c(1, 2) lists them; undefined if it is something else, or a mixture. */
export function listedValues(expression: Expression): readonly (string | number)[] | undefined {
  if (expression.kind === 'text') return [expression.text];
  if (expression.kind === 'group') return listedValues(expression.inner);
  if (expression.kind === 'call' && expression.function === 'c') {
    const parts = expression.arguments.map((one) => (one.kind === 'text' ? one.text : undefined));
    if (parts.length > 0 && parts.every((part) => part !== undefined)) return parts;
  }
  return numbersOf(expression);
}

/** TRUE or FALSE, also as T and F. */
export function flagOf(expression: Expression): boolean | undefined {
  if (expression.kind !== 'word') return undefined;
  if (expression.word === 'TRUE' || expression.word === 'T') return true;
  return expression.word === 'FALSE' || expression.word === 'F' ? false : undefined;
}

function operated({
  operator,
  left,
  right,
}: Expression & { kind: 'binary' }): readonly number[] | undefined {
  const [a, b] = [numbersOf(left), numbersOf(right)];
  if (a === undefined || b === undefined) return undefined;
  if (operator === ':') {
    const [from, to] = [a[0], b[0]];
    if (from === undefined || to === undefined) return undefined;
    return steps(from, from <= to ? 1 : -1, Math.floor(Math.abs(to - from)) + 1);
  }
  const operate = operations[operator];
  if (operate === undefined || a.length === 0 || b.length === 0) return undefined;
  const length = Math.max(a.length, b.length);
  if (length % a.length !== 0 || length % b.length !== 0) return undefined;
  return Array.from({ length }, (_, k) => operate(a[k % a.length]!, b[k % b.length]!));
}

const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

function joined(parts: readonly (readonly number[] | undefined)[]): readonly number[] | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === parts.length && known.length > 0 ? known.flat() : undefined;
}

/** seq(from, to, by) and seq(from, to, length.out = n). */
function sequence(call: CallExpression): readonly number[] | undefined {
  const given = new Map<string, number>();
  const free = ['from', 'to', 'by', 'length.out'];
  call.arguments.forEach((argument, k) => {
    const name =
      call.names?.[k] ?? free.find((one) => !given.has(one) && !call.names?.includes(one));
    const value = numberOf(argument);
    if (name !== undefined) given.set(name, value ?? Number.NaN);
  });
  const [from, to, by, count] = free.map((name) => given.get(name));
  if ([...given].some(([name, value]) => !free.includes(name) || !Number.isFinite(value))) return;
  if (from === undefined || to === undefined) return undefined;
  if (count !== undefined) {
    if (by !== undefined || !Number.isInteger(count) || count < 2) return undefined;
    return steps(from, (to - from) / (count - 1), count);
  }
  const step = by ?? (from <= to ? 1 : -1);
  if (step === 0 || (to - from) / step < 0) return undefined;
  // R's seq() allows for the rounding of the last step.
  return steps(from, step, Math.floor((to - from) / step + 1e-10) + 1);
}

function steps(from: number, by: number, count: number): readonly number[] | undefined {
  if (!(count <= MOST_NUMBERS)) return undefined;
  return Array.from({ length: count }, (_, k) => from + k * by);
}
