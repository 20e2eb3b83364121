import { FormulaError } from './formula-error.ts';

/** One token of a formula; `quoted` marks a name in backticks, a text comes without its quotes. */
export interface Token {
  readonly kind: 'number' | 'name' | 'text' | 'operator' | 'end';
  readonly text: string;
  readonly position: number;
  readonly quoted?: true;
}

const word = new RegExp(
  [
    /\s+/,
    /(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?L?)/,
    /(?<name>(?:\p{L}|\.(?!\d))[\p{L}\p{N}._]*)/u,
    /`(?<quoted>[^`]+)`/,
    /(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/,
    /(?<operator>\*\*|%in%|[<>=!]=|[-+*/^:(),~<>=])/,
  ]
    .map((part) => part.source)
    .join('|'),
  'uy',
);

/** The tokens of a formula without spaces, followed by an `end`. */
export function tokenizeFormula(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    word.lastIndex = position;
    const found = word.exec(text);
    if (found === null) throw unexpected(text, position);
    const { number, name, quoted, text: literal, operator } = found.groups!;
    if (number !== undefined) tokens.push({ kind: 'number', text: number, position });
    if (name !== undefined) tokens.push({ kind: 'name', text: name, position });
    if (quoted !== undefined) tokens.push({ kind: 'name', text: quoted, position, quoted: true });
    if (literal !== undefined) tokens.push({ kind: 'text', text: unquote(literal), position });
    if (operator !== undefined) {
      tokens.push({ kind: 'operator', text: operator === '**' ? '^' : operator, position });
    }
    position += found[0].length;
  }
  tokens.push({ kind: 'end', text: '', position });
  return tokens;
}

/** Where the call that begins at a position ends in the text of a formula. */
export function callEnd(text: string, position: number): number {
  let open = 0;
  for (const token of tokenizeFormula(text)) {
    if (token.position < position || token.kind !== 'operator') continue;
    if (token.text === '(') open += 1;
    if (token.text === ')') open -= 1;
    if (token.text === ')' && open === 0) return token.position + 1;
  }
  return text.length;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unquote(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\\(.)/gsu, (_, character: string) => escapes[character] ?? character);
}

const unclosed: Readonly<Record<string, string>> = {
  '`': 'a backtick is never closed',
  '"': 'a quote is never closed',
  "'": 'a quote is never closed',
};

function unexpected(text: string, position: number): FormulaError {
  const character = String.fromCodePoint(text.codePointAt(position)!);
  return new FormulaError(
    unclosed[character] ?? `unexpected "${character}"`,
    text,
    position,
    remedies[character] ?? 'a column name with such characters goes in backticks: `my column`',
    character === '|' ? { name: 'site-effects', value: 'random' } : undefined,
  );
}

const remedies: Readonly<Record<string, string>> = {
  '`': 'close it: `my column`',
  '"': 'close it: I(sex == "male")',
  "'": 'close it: I(sex == "male")',
  '|': 'random effects are not part of a formula; sites can have a random intercept all the same',
  '!': 'compare with "!=", inside I(): I(x != 2)',
  '%': 'the rest of a division, x %% 10, is I(x - 10 * floor(x / 10)); x %/% 10 is floor(x / 10)',
  $: 'write the name of the column without its table',
  '[': 'rows cannot be chosen in a formula; leave them out by a missing marker in the codebook',
  '&': 'multiply what must hold together: I((x > 1) * (z < 2))',
};
