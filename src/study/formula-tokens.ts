import { FormulaError } from './formula-error.ts';

/** One word of a formula; `quoted` marks a name in backticks. */
export interface Token {
  readonly kind: 'number' | 'name' | 'operator' | 'end';
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
    /(?<operator>\*\*|%in%|[-+*/^:(),~])/,
  ]
    .map((part) => part.source)
    .join('|'),
  'uy',
);

/** The words of a formula, spaces dropped, closed by an `end`. */
export function tokenizeFormula(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    word.lastIndex = position;
    const found = word.exec(text);
    if (found === null) throw unexpected(text, position);
    const { number, name, quoted, operator } = found.groups!;
    if (number !== undefined) tokens.push({ kind: 'number', text: number, position });
    if (name !== undefined) tokens.push({ kind: 'name', text: name, position });
    if (quoted !== undefined) tokens.push({ kind: 'name', text: quoted, position, quoted: true });
    if (operator !== undefined) {
      tokens.push({ kind: 'operator', text: operator === '**' ? '^' : operator, position });
    }
    position += found[0].length;
  }
  tokens.push({ kind: 'end', text: '', position });
  return tokens;
}

function unexpected(text: string, position: number): FormulaError {
  const character = String.fromCodePoint(text.codePointAt(position)!);
  return new FormulaError(
    character === '`' ? 'a backtick is never closed' : `unexpected "${character}"`,
    text,
    position,
    remedies[character] ?? 'a column name with such characters goes in backticks: `my column`',
  );
}

const comparison = 'make the comparison a column of its own, with values 0 and 1';

const remedies: Readonly<Record<string, string>> = {
  '`': 'close it: `my column`',
  '|': 'random effects are not part of a formula here; write the fixed effects alone',
  '<': comparison,
  '>': comparison,
  '=': comparison,
  '!': comparison,
  '&': comparison,
};
