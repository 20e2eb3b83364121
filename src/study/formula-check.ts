import { flagOf, listedValues, numberOf, numbersOf } from './formula-constants.ts';
import { FormulaError } from './formula-error.ts';
import {
  type CallExpression,
  deparse,
  type Expression,
  expressionColumns,
  isComparison,
  levelTest,
  summands,
} from './formula-expression.ts';
import {
  type ArgumentKind,
  argumentPlaces,
  type FunctionResult,
  functionNames,
  givesOf,
  type Signature,
  signatureOf,
} from './formula-signatures.ts';

const compareText = 'compare it with a category column: I(sex == "male")';

/** A response is arithmetic or a category. */
export function checkResponse(text: string, expression: Expression): void {
  if (givesOf(expression) === 'category') checkCategory(text, expression);
  else checkArithmetic(text, expression);
}

/** Inside a function or a response the operators are arithmetic on numbers. */
function checkArithmetic(text: string, expression: Expression): void {
  const { position } = expression;
  switch (expression.kind) {
    case 'text':
      throw new FormulaError(`${deparse(expression)} is not a number`, text, position, compareText);
    case 'dot': {
      const problem = '"." stands for terms, not a number';
      throw new FormulaError(problem, text, position, 'name a column');
    }
    case 'word':
      throw misplacedWord(text, expression);
    case 'group':
      checkArithmetic(text, expression.inner);
      break;
    case 'sign':
      checkArithmetic(text, expression.operand);
      break;
    case 'call':
      checkCall(text, expression, ['number']);
      break;
    case 'binary':
      checkOperator(text, expression);
      break;
  }
}

function checkOperator(text: string, node: Expression & { kind: 'binary' }): void {
  const { operator, left, right, position } = node;
  if (isComparison(node) && levelTest(node) !== undefined) {
    if (operator === '==' || operator === '!=') return;
    const problem = `"${operator}" cannot compare texts`;
    throw new FormulaError(problem, text, position, 'levels are equal or not: == or !=');
  }
  if (operator === '^' && expressionColumns(right).length > 0) {
    const problem = 'the exponent must be a number';
    throw new FormulaError(problem, text, position, '2^x is exp(x * log(2))');
  }
  if (operator === ':') {
    const remedy = 'use it between terms, outside functions';
    throw new FormulaError('":" is not arithmetic', text, position, remedy);
  }
  if (operator === '%in%') {
    const values = listedValues(right);
    if (values === undefined) {
      const problem = '"%in%" needs a list of values behind it';
      throw new FormulaError(problem, text, position, 'write I(x %in% c(1, 2))');
    }
    if (typeof values[0] === 'string' && left.kind === 'name') return;
    if (typeof values[0] === 'string') {
      throw new FormulaError(
        `${deparse(left)} is not a text`,
        text,
        left.position,
        'name a column',
      );
    }
    checkArithmetic(text, left);
    return;
  }
  checkArithmetic(text, left);
  checkArithmetic(text, right);
}

function checkCall(text: string, call: CallExpression, allowed: readonly FunctionResult[]): void {
  const { function: name, position } = call;
  const signature = signatureOf(name);
  if (signature === undefined) {
    const [problem, remedy] = (Object.hasOwn(misplaced, name) && misplaced[name]) || [
      `unknown function "${name}"`,
      `known are ${functionNames.join(', ')}`,
    ];
    throw new FormulaError(problem, text, position, remedy);
  }
  if (!allowed.includes(signature.gives)) {
    throw new FormulaError(`${name}() cannot stand here`, text, position, insteadOf(signature));
  }
  if (name === 'I' && call.names !== undefined) {
    const remedy = 'compare with "==": I(x == 2)';
    throw new FormulaError('the argument of I() has a name', text, position, remedy);
  }
  checkPlaces(text, call, signature);
  argumentPlaces(signature, call).forEach((parameter, k) => {
    checkArgument(text, call, call.arguments[k]!, parameter!.name, parameter!.kind);
  });
  const refused = signature.refuse?.(call);
  if (refused !== undefined) throw new FormulaError(refused[0], text, position, refused[1]);
}

/** Why a function cannot stand in arithmetic, or among terms. */
function insteadOf({ gives, example }: Signature): string {
  if (gives === 'category') return 'arithmetic needs numbers; a category is a term of its own';
  if (gives === 'offset') return `add it to the terms: y ~ x + ${example}`;
  return `it makes several columns, so it is a term of its own: y ~ ${example}`;
}

const misplaced: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  cbind: ['cbind() is for the response', 'join terms with "+"'],
  c: [
    'c() is a list of values',
    'use it where a function takes several, such as I(x %in% c(1, 2))',
  ],
  seq: [
    'seq() is a list of numbers',
    'use it where a function takes several: cut(x, seq(0, 100, by = 25))',
  ],
};

function checkPlaces(text: string, call: CallExpression, signature: Signature): void {
  const { function: name, position } = call;
  const places = argumentPlaces(signature, call);
  const known = signature.parameters.map((parameter) => parameter.name);
  const odd = places.indexOf(undefined);
  const example = `write ${signature.example}`;
  if (odd >= 0) {
    const written = call.names?.[odd];
    const problem =
      written === undefined
        ? `${name}() takes ${known.length === 1 ? 'one argument' : `${known.length} arguments`}; it has ${places.length}`
        : `${name}() has no argument "${written}" here`;
    const remedy =
      written === undefined || known.length === 0
        ? example
        : `its arguments are ${known.join(', ')}: ${signature.example}`;
    throw new FormulaError(problem, text, position, remedy);
  }
  const given = places.map((place) => place!.name);
  const twice = given.find((one, k) => one !== '...' && given.indexOf(one) < k);
  if (twice !== undefined) {
    throw new FormulaError(`${name}() has ${twice} twice`, text, position, example);
  }
  const lacking = signature.parameters.find(
    (parameter) => parameter.isRequired && !given.includes(parameter.name),
  );
  if (lacking !== undefined || (signature.many !== undefined && !given.includes('...'))) {
    const what = lacking === undefined ? 'an argument' : `its argument "${lacking.name}"`;
    throw new FormulaError(`${name}() needs ${what}`, text, position, example);
  }
}

function checkArgument(
  text: string,
  call: CallExpression,
  argument: Expression,
  parameter: string,
  kind: ArgumentKind,
): void {
  if (kind === 'number' || kind === 'condition') {
    checkArithmetic(text, argument);
    return;
  }
  if (kind === 'category') {
    checkCategory(text, argument);
    return;
  }
  if (isConstant[kind](argument)) return;
  const at = parameter === '...' ? '' : `"${parameter}" of `;
  throw new FormulaError(
    `${at}${call.function}() must be ${constantText[kind]}`,
    text,
    argument.position,
    `write ${signatureOf(call.function)!.example}; a value that is computed from all rows is not known to any site`,
  );
}

type ConstantKind = Exclude<ArgumentKind, 'number' | 'condition' | 'category'>;

const isConstant: Readonly<Record<ConstantKind, (argument: Expression) => boolean>> = {
  constant: (argument) => Number.isFinite(numberOf(argument)),
  constants: (argument) => numbersOf(argument)?.every((value) => !Number.isNaN(value)) === true,
  values: (argument) => listedValues(argument) !== undefined,
  flag: (argument) => flagOf(argument) !== undefined,
  word: (argument) => argument.kind === 'word' || argument.kind === 'text',
};

const constantText: Readonly<Record<ConstantKind, string>> = {
  constant: 'a number',
  constants: 'a list of numbers',
  values: 'a list of texts or numbers',
  flag: 'TRUE or FALSE',
  word: 'a name',
};

/** A category is a column, or a function that gives one. */
function checkCategory(text: string, expression: Expression): void {
  if (expression.kind === 'name') return;
  if (expression.kind === 'call' && (givesOf(expression) ?? 'category') === 'category') {
    checkCall(text, expression, ['category']);
    return;
  }
  const problem = `${deparse(expression)} is not a category, which is the name of a column or made by a function`;
  const remedy =
    expression.kind === 'binary' || expression.kind === 'call'
      ? 'write factor(x), its levels in the codebook; cut(x, c(0, 40, 60, 100)) makes a category of a number'
      : 'write the name of a category column';
  throw new FormulaError(problem, text, expression.position, remedy);
}

/** Between terms the operators build models, and the only numbers are 0 and 1. */
export function checkTerms(text: string, expression: Expression): void {
  for (const { operator, operand } of summands(expression)) {
    checkTerm(text, operand, operator === '+' ? termResults : productResults);
  }
}

const productResults: readonly FunctionResult[] = ['number', 'columns', 'category'];
/** An offset stands alone: it has no coefficient, so it has no product with another term. */
const termResults: readonly FunctionResult[] = [...productResults, 'offset'];

function checkProduct(text: string, expression: Expression): void {
  for (const { operand } of summands(expression)) checkTerm(text, operand, productResults);
}

function checkTerm(text: string, expression: Expression, allowed: readonly FunctionResult[]): void {
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
      checkCall(text, expression, allowed);
      break;
    case 'word':
      throw misplacedWord(text, expression);
    case 'text':
      throw new FormulaError(
        `${deparse(expression)} is not a term`,
        text,
        expression.position,
        compareText,
      );
    case 'binary':
      if (isComparison(expression)) {
        const remedy = `write I(${deparse(expression)})`;
        throw new FormulaError('a comparison is not a term', text, expression.position, remedy);
      }
      checkProduct(text, expression.left);
      if (expression.operator === '^') checkDegree(text, expression.right);
      else checkProduct(text, expression.right);
      break;
    case 'sign':
      checkProduct(text, expression.operand);
      break;
    case 'group':
      if (allowed === termResults) checkTerms(text, expression.inner);
      else checkProduct(text, expression.inner);
      break;
  }
}

function misplacedWord(
  text: string,
  { word, position }: Expression & { kind: 'word' },
): FormulaError {
  return new FormulaError(
    `${word} is a reserved word of R`,
    text,
    position,
    `a column: \`${word}\``,
  );
}

function checkDegree(text: string, degree: Expression): void {
  const { kind, position } = degree;
  if (kind === 'number' && Number.isInteger(degree.value) && degree.value >= 1) return;
  const problem = 'between terms, "^" takes a whole number of at least 1';
  throw new FormulaError(problem, text, position, 'crossing: (a + b)^2; a power: I(x^2)');
}
