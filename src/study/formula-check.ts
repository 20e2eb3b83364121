import { FormulaError } from './formula-error.ts';
import {
  deparse,
  type Expression,
  expressionColumns,
  isComparison,
  levelTest,
  summands,
  visit,
} from './formula-expression.ts';

const functions = ['I', 'log', 'log2', 'log10', 'exp', 'sqrt', 'abs'];

function checkCall(text: string, call: Expression & { kind: 'call' }, known: string[]): void {
  const name = call.function;
  if (!known.includes(name)) {
    const [problem, remedy] = misplacedCall(name) ?? [
      `unknown function "${name}"`,
      `known are ${known.join(', ')}`,
    ];
    throw new FormulaError(problem, text, call.position, remedy);
  }
  const named = call.named ?? 0;
  const count = call.arguments.length + named;
  if (count === 1 && named === 0) return;
  const problem =
    count === 1
      ? `the argument of ${name}() has a name`
      : `${name}() takes one argument; it has ${count}`;
  throw new FormulaError(problem, text, call.position, oneArgument(name));
}

/** A function that is known, at a place where it cannot stand. */
function misplacedCall(name: string): readonly [problem: string, remedy: string] | undefined {
  if (name === 'factor') return ['factor() cannot stand here', 'arithmetic needs numbers'];
  return name === 'cbind' ? ['cbind() is for the response', 'join terms with "+"'] : undefined;
}

function oneArgument(name: string): string {
  if (name === 'log') return 'write log2(x), log10(x) or log(x)';
  if (name === 'I') return 'compare with "==": I(x == 2)';
  return name === 'factor'
    ? 'write factor(x); levels and baseline are in the codebook'
    : `write ${name}(x)`;
}

/** A response is arithmetic, a category or a factor(). */
export function checkResponse(text: string, expression: Expression): void {
  if (expression.kind !== 'call' || expression.function !== 'factor') {
    checkArithmetic(text, expression);
    return;
  }
  checkCall(text, expression, ['factor']);
  checkFactor(text, expression);
}

/** Inside a function or a response the operators are arithmetic on numbers. */
function checkArithmetic(text: string, expression: Expression): void {
  const compared = new Set<Expression>();
  visit(expression, (node) => {
    if (isComparison(node) && levelTest(node) !== undefined) {
      if (node.operator !== '==' && node.operator !== '!=') {
        const problem = `"${node.operator}" cannot compare texts`;
        throw new FormulaError(problem, text, node.position, 'levels are equal or not: == or !=');
      }
      compared.add(node.left).add(node.right);
    }
    if (node.kind === 'text' && !compared.has(node)) {
      const remedy = 'compare it with a category column: I(sex == "male")';
      throw new FormulaError(`${deparse(node)} is not a number`, text, node.position, remedy);
    }
    if (node.kind === 'call') checkCall(text, node, functions);
    if (node.kind === 'dot') {
      throw new FormulaError(
        '"." stands for terms, not a number',
        text,
        node.position,
        'name a column',
      );
    }
    if (
      node.kind === 'binary' &&
      node.operator === '^' &&
      expressionColumns(node.right).length > 0
    ) {
      const problem = 'the exponent must be a number';
      throw new FormulaError(problem, text, node.position, '2^x is exp(x * log(2))');
    }
    if (node.kind === 'binary' && (node.operator === ':' || node.operator === '%in%')) {
      const problem = `"${node.operator}" is not arithmetic`;
      throw new FormulaError(
        problem,
        text,
        node.position,
        'use it between terms, outside functions',
      );
    }
  });
}

/** Between terms the operators build models, and the only numbers are 0 and 1. */
export function checkTerms(text: string, expression: Expression): void {
  for (const { operand } of summands(expression)) checkTerm(text, operand);
}

function checkTerm(text: string, expression: Expression): void {
  switch (expression.kind) {
    case 'number':
      if (expression.value === 0 || expression.value === 1) break;
      throw new FormulaError(
        `${deparse(expression)} is not a term`,
        text,
        expression.position,
        'arithmetic goes inside I(): I(2 * x)',
      );
    case 'call':
      checkCall(text, expression, [...functions, 'factor']);
      if (expression.function === 'factor') checkFactor(text, expression);
      else checkArithmetic(text, expression.arguments[0]!);
      break;
    case 'text':
      throw new FormulaError(
        `${deparse(expression)} is not a term`,
        text,
        expression.position,
        'compare it with a category column: I(sex == "male")',
      );
    case 'binary':
      if (isComparison(expression)) {
        const remedy = `write I(${deparse(expression)})`;
        throw new FormulaError('a comparison is not a term', text, expression.position, remedy);
      }
      checkTerms(text, expression.left);
      if (expression.operator === '^') checkDegree(text, expression.right);
      else checkTerms(text, expression.right);
      break;
    case 'sign':
      checkTerms(text, expression.operand);
      break;
    case 'group':
      checkTerms(text, expression.inner);
      break;
  }
}

function checkFactor(text: string, call: Expression & { kind: 'call' }): void {
  if (call.arguments[0]!.kind === 'name') return;
  const problem = 'factor() takes the name of a column';
  throw new FormulaError(problem, text, call.position, 'write factor(x), levels in the codebook');
}

function checkDegree(text: string, degree: Expression): void {
  const { kind, position } = degree;
  if (kind === 'number' && Number.isInteger(degree.value) && degree.value >= 1) return;
  const problem = 'between terms, "^" takes a whole number of at least 1';
  throw new FormulaError(problem, text, position, 'crossing: (a + b)^2; a power: I(x^2)');
}
