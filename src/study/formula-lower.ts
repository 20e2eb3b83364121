import { callArguments } from './formula-arguments.ts';
import { listedValues } from './formula-constants.ts';
import type { CallExpression, Expression } from './formula-expression.ts';
import { signatureOf } from './formula-signatures.ts';

/**
 * The same value in fewer words: arguments stand in R's order without names, and what other functions and operators can
 * say is said by them. Functions that give categories or several columns stay as they are.
 */
export function lowered(expression: Expression): Expression {
  switch (expression.kind) {
    case 'group':
      return { ...expression, inner: lowered(expression.inner) };
    case 'sign':
      return { ...expression, operand: lowered(expression.operand) };
    case 'binary': {
      if (expression.operator === '%in%') return membership(expression);
      const { left, right } = expression;
      return { ...expression, left: lowered(left), right: lowered(right) };
    }
    case 'call':
      return signatureOf(expression.function)?.gives === 'number'
        ? loweredCall(expression)
        : expression;
    default:
      return expression;
  }
}

function loweredCall(call: CallExpression): Expression {
  const { function: name, position } = call;
  const signature = signatureOf(name)!;
  const given = callArguments(call);
  const list =
    signature.many === undefined
      ? signature.parameters.flatMap((parameter) => given.find(parameter.name) ?? [])
      : given.many;
  const plain: CallExpression = {
    kind: 'call',
    function: name,
    arguments: list.map(lowered),
    position,
  };
  return rewritten[name]?.(plain) ?? plain;
}

const rewritten: Readonly<Record<string, (call: CallExpression) => Expression>> = {
  log({ arguments: [x, base], position }) {
    const log = (argument: Expression): Expression => ({
      kind: 'call',
      function: 'log',
      arguments: [argument],
      position,
    });
    if (base === undefined) return log(x!);
    return { kind: 'binary', operator: '/', left: log(x!), right: log(base), position };
  },
  'as.numeric': ({ arguments: [x], position }) => ({ kind: 'group', inner: x!, position }),
  'as.integer': ({ arguments: list, position }) => ({
    kind: 'call',
    function: 'trunc',
    arguments: list,
    position,
  }),
};

/** x %in% c(1, 2) as a sum of comparisons: each value is listed once, so at most one holds. */
function membership({ left, right, position }: Expression & { kind: 'binary' }): Expression {
  const inner = lowered(left);
  const tests = [...new Set(listedValues(right)!)].map(
    (value): Expression => ({
      kind: 'binary',
      operator: '==',
      left: inner,
      right:
        typeof value === 'string'
          ? { kind: 'text', text: value, position }
          : { kind: 'number', value, position },
      position,
    }),
  );
  return tests.reduce((sum, test) => ({
    kind: 'binary',
    operator: '+',
    left: sum,
    right: test,
    position,
  }));
}
