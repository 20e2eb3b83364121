import type { Failure } from '../failure.ts';
import type { Design } from '../features/design.ts';
import { noSuchName } from './model-terms.ts';

/** A linear hypothesis Σ weightₖ · coefficientₖ = against. */
export interface Hypothesis {
  readonly weights: readonly number[];
  readonly against: number;
}

interface Linear {
  readonly weights: readonly number[];
  readonly constant: number;
}

/**
 * Reads `sexmale = 0`, `a - b`, `2*x + 0.5*(Intercept) = 3` over these coefficient names. Names may contain any
 * character: at every position the longest matching name is taken, with or without backticks.
 */
export function parseHypothesis(
  text: string,
  names: readonly string[],
  design?: Design,
): Hypothesis | Failure {
  try {
    const reader = new Reader(text, names, design);
    const left = reader.sum();
    const right = reader.accepts('=') ? reader.sum() : constant(names, 0);
    reader.end();
    const weights = left.weights.map((weight, k) => weight - right.weights[k]);
    if (weights.every((weight) => weight === 0)) {
      return {
        problem: `"${text}" says nothing about a coefficient`,
        remedy: `name one of ${names.join(', ')}`,
      };
    }
    return { weights, against: right.constant - left.constant };
  } catch (error) {
    if (error instanceof Unreadable) return error.answer;
    throw error;
  }
}

class Unreadable extends Error {
  readonly answer: Failure;

  constructor(answer: Failure) {
    super(answer.problem);
    this.answer = answer;
  }
}

/** Recursive descent over sums of products in which at most one factor has a coefficient. */
class Reader {
  #position = 0;
  readonly #text: string;
  readonly #names: readonly string[];
  readonly #design: Design | undefined;
  /** Spellings, longest first, with the coefficient each stands for. */
  readonly #spellings: readonly (readonly [string, number])[];

  constructor(text: string, names: readonly string[], design: Design | undefined) {
    this.#text = text;
    this.#design = design;
    this.#names = names;
    this.#spellings = names
      .flatMap((name, k) => [[name, k] as const, [`\`${name}\``, k] as const])
      .sort(([a], [b]) => b.length - a.length);
  }

  sum(): Linear {
    let total = constant(this.#names, 0);
    let sign = this.#sign() ?? 1;
    for (;;) {
      total = plus(total, this.#product(), sign);
      const next = this.#sign();
      if (next === undefined) return total;
      sign = next;
    }
  }

  accepts(symbol: string): boolean {
    this.#skipSpace();
    if (!this.#text.startsWith(symbol, this.#position)) return false;
    this.#position += symbol.length;
    if (symbol === '=' && this.#text[this.#position] === '=') this.#position++;
    return true;
  }

  end(): void {
    this.#skipSpace();
    if (this.#position < this.#text.length) throw this.#unreadable();
  }

  #sign(): number | undefined {
    let sign: number | undefined;
    for (;;) {
      if (this.accepts('+')) sign ??= 1;
      else if (this.accepts('-')) sign = -(sign ?? 1);
      else return sign;
    }
  }

  #product(): Linear {
    let value = this.#factor();
    for (;;) {
      if (this.accepts('*')) value = this.#times(value, this.#factor());
      else if (this.accepts('/')) value = this.#over(value, this.#factor());
      else if (isConstant(value) && this.#nameHere() !== undefined) {
        value = this.#times(value, this.#factor()); // 2x
      } else return value;
    }
  }

  #factor(): Linear {
    const named = this.#nameHere();
    if (named !== undefined) {
      this.#position += named.length;
      const weights = this.#names.map((_, k) => (k === named.coefficient ? 1 : 0));
      return { weights, constant: 0 };
    }
    if (this.accepts('(')) {
      const inner = this.sum();
      if (!this.accepts(')')) throw this.#unreadable();
      return inner;
    }
    const digits = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i.exec(this.#text.slice(this.#position));
    if (digits === null) throw this.#unreadable();
    this.#position += digits[0].length;
    return constant(this.#names, Number(digits[0]));
  }

  #nameHere(): { length: number; coefficient: number } | undefined {
    this.#skipSpace();
    for (const [spelling, coefficient] of this.#spellings) {
      if (!this.#text.startsWith(spelling, this.#position)) continue;
      const inWord = /[\p{L}\p{N}_.]/u;
      const next = this.#text[this.#position + spelling.length] ?? '';
      if (inWord.test(spelling.at(-1) ?? '') && inWord.test(next)) continue;
      return { length: spelling.length, coefficient };
    }
    return undefined;
  }

  #times(a: Linear, b: Linear): Linear {
    if (isConstant(a)) return scaled(b, a.constant);
    if (isConstant(b)) return scaled(a, b.constant);
    throw new Unreadable({
      problem: `"${this.#text}" multiplies coefficients, so it is not linear`,
      remedy: 'write sums of coefficients times numbers',
    });
  }

  #over(a: Linear, b: Linear): Linear {
    if (isConstant(b) && b.constant !== 0) return scaled(a, 1 / b.constant);
    throw new Unreadable({
      problem: `"${this.#text}" does not divide by a number`,
      remedy: 'write sums of coefficients times numbers',
    });
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#position] ?? '')) this.#position++;
  }

  #unreadable(): Unreadable {
    this.#skipSpace();
    const rest = this.#text.slice(this.#position);
    const word = /^`[^`]*`|^[\p{L}_.][^\s+*/=()-]*/u.exec(rest)?.[0];
    if (word !== undefined) {
      return new Unreadable(noSuchName('coefficient', word, this.#names, this.#design));
    }
    return new Unreadable({
      problem:
        rest.trim() === ''
          ? `"${this.#text}" ends too early`
          : `"${this.#text}" cannot be read from "${rest}" on`,
      remedy: 'write it like x - 2*z = 0, with names from the coefficient table',
    });
  }
}

function constant(names: readonly string[], value: number): Linear {
  return { weights: names.map(() => 0), constant: value };
}

function isConstant({ weights }: Linear): boolean {
  return weights.every((weight) => weight === 0);
}

function scaled({ weights, constant }: Linear, factor: number): Linear {
  return { weights: weights.map((weight) => weight * factor), constant: constant * factor };
}

function plus(a: Linear, b: Linear, sign: number): Linear {
  return {
    weights: a.weights.map((weight, k) => weight + sign * b.weights[k]),
    constant: a.constant + sign * b.constant,
  };
}
