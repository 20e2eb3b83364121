import { FormulaError } from './formula-error.ts';
import {
  type BinaryOperator,
  type Expression,
  isComparisonOperator,
  isReserved,
} from './formula-expression.ts';
import { withWords } from './formula-signatures.ts';
import { type Token, tokenizeFormula } from './formula-tokens.ts';
import { refusedFunction } from './refused-functions.ts';

/** R's precedence of the left-associative operators, loosest first (?Syntax). */
const levels: readonly (readonly string[])[] = [['+', '-'], ['*', '/'], ['%in%'], [':']];

/** Deepest nesting: a real formula needs less, and more could exhaust the stack. */
const deepest = 200;

/** The two sides of `left ~ right`, read with R's grammar but not yet checked for meaning. */
export function parseSides(text: string): {
  readonly left: Expression;
  readonly right: Expression;
} {
  const tokens = tokenizeFormula(text);
  let next = 0;
  let depth = 0;

  const peek = (): Token => tokens[next]!;
  const at = (operator: string): boolean => peek().kind === 'operator' && peek().text === operator;
  const fail = (problem: string, position: number, remedy: string): FormulaError =>
    new FormulaError(problem, text, position, remedy);

  /** A comparison binds looser than all arithmetic; a < b < c is refused. */
  function whole(): Expression {
    const left = binary(0);
    const { kind, text: operator, position } = peek();
    if (kind !== 'operator' || !isComparisonOperator(operator)) return left;
    next++;
    return { kind: 'binary', operator, left, right: binary(0), position };
  }

  function binary(level: number): Expression {
    const operators = levels[level];
    if (operators === undefined) return sign();
    let left = binary(level + 1);
    while (peek().kind === 'operator' && operators.includes(peek().text)) {
      const { text: operator, position } = tokens[next++]!;
      const right = binary(level + 1);
      left = { kind: 'binary', operator: operator as BinaryOperator, left, right, position };
    }
    return left;
  }

  function sign(): Expression {
    if (++depth > deepest)
      throw fail('the formula nests too deeply', peek().position, 'simplify it');
    const result = at('+') || at('-') ? signed() : power();
    depth--;
    return result;
  }

  function signed(): Expression {
    const { text: operator, position } = tokens[next++]!;
    return { kind: 'sign', operator: operator as '+' | '-', operand: sign(), position };
  }

  function power(): Expression {
    const left = atom();
    if (!at('^')) return left;
    const { position } = tokens[next++]!;
    return { kind: 'binary', operator: '^', left, right: sign(), position };
  }

  function atom(): Expression {
    const token = peek();
    const { position } = token;
    if (token.kind === 'number') {
      next++;
      return { kind: 'number', value: Number(token.text.replace('L', '')), position };
    }
    if (token.kind === 'text') {
      next++;
      return { kind: 'text', text: token.text, position };
    }
    if (token.kind === 'name') return name(token);
    if (at('(')) {
      next++;
      const inner = whole();
      close(position);
      return { kind: 'group', inner, position };
    }
    throw misplaced(token);
  }

  function name(token: Token): Expression {
    const { position } = token;
    next++;
    if (at('(') && !token.quoted) return called(token);
    if (token.quoted) return { kind: 'name', name: token.text, position };
    if (isReserved(token.text)) return { kind: 'word', word: token.text, position };
    return token.text === '.'
      ? { kind: 'dot', position }
      : { kind: 'name', name: token.text, position };
  }

  function called({ text: name, position }: Token): Expression {
    const refused = refusedFunction(name);
    if (refused !== undefined) throw fail(refused[0], position, refused[1]);
    const open = tokens[next++]!.position;
    const list: Expression[] = [];
    const names: (string | undefined)[] = [];
    while (!at(')')) {
      names.push(argumentName());
      list.push(whole());
      if (!at(',')) break;
      next++;
      if (at(')')) throw misplaced(peek());
    }
    close(open);
    const call = { kind: 'call', function: name, arguments: list, position } as const;
    return withWords(names.every((one) => one === undefined) ? call : { ...call, names });
  }

  function argumentName(): string | undefined {
    const { kind, text: argument } = peek();
    const following = tokens[next + 1];
    if (kind !== 'name' || following?.kind !== 'operator' || following.text !== '=') return;
    next += 2;
    return argument;
  }

  function close(open: number): void {
    if (!at(')')) {
      if (peek().kind !== 'end') throw misplaced(peek());
      throw fail('a parenthesis is never closed', open, 'add the missing ")"');
    }
    next++;
  }

  function misplaced(token: Token): FormulaError {
    const { kind, position } = token;
    if (kind === 'end') return fail('the formula ends too early', position, 'add what is missing');
    if (token.text === ')')
      return fail('unbalanced ")"', position, 'remove it or open it with "("');
    if (token.text === '~') {
      const problem = next === 0 ? 'no response before "~"' : 'unexpected "~"';
      return fail(problem, position, 'write one response, one "~", then the terms: y ~ x');
    }
    if (token.text === ':' && tokens[next - 1]?.text === ':') {
      return fail('unexpected ":"', position, 'write the function without its package: ns(…)');
    }
    if (token.text === '=') {
      return fail('unexpected "="', position, 'compare with "==", inside I(): I(x == 2)');
    }
    if (kind === 'operator' && isComparisonOperator(token.text)) {
      const remedy = 'compare two things inside I(): I(x > 1)';
      return fail(`unexpected "${token.text}"`, position, remedy);
    }
    const remedy = 'join terms with "+"; a name with spaces goes in backticks: `my column`';
    return fail(`unexpected "${token.text}"`, position, remedy);
  }

  if (!tokens.some((token) => token.kind === 'operator' && token.text === '~')) {
    throw fail('no "~" in the formula', text.length, 'write response ~ terms, such as y ~ x + z');
  }
  const left = whole();
  if (!at('~')) throw misplaced(peek());
  next++;
  const right = whole();
  if (peek().kind !== 'end') throw misplaced(peek());
  return { left, right };
}
