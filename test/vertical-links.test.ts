import { describe, expect, it } from 'vitest';
import { linkRows } from '../src/vertical/link-rows.ts';
import { inTokenOrder, linkTokens, tokensAt, tokenText } from '../src/vertical/link-tokens.ts';
import { normalisedKey } from '../src/vertical/normalised-key.ts';

const secret = new Uint8Array(32).fill(7);

/** Tokens of keys: for each pass, the key of each row. */
function tokens(...passes: readonly (readonly (string | undefined)[])[]) {
  return linkTokens(secret, passes[0].length, passes.length, (pass, row) => {
    const text = passes[pass][row];
    return text === undefined ? undefined : [text];
  });
}

describe('keys are compared', () => {
  it.each([
    ['without white space, inside too', ' 943 476\u00a05919\t', '9434765919'],
    ['without regard to case', 'STRASSE', 'straße'],
    ['in one Unicode form', 'Ｏ’Ｂｒｉｅｎ', 'o’brien'],
    ['whether accents are composed or not', 'Rene\u0301', 'rené'],
    ['whatever the sigma', 'ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
  ])('%s', (_, one, other) => {
    expect(normalisedKey(one)).toBe(normalisedKey(other));
  });
  it.each([
    ['0123', '123'],
    ['Anne-Marie', 'Annemarie'],
    ['René', 'Rene'],
  ])('and %s is not %s', (one, other) => {
    expect(normalisedKey(one)).not.toBe(normalisedKey(other));
  });
});

describe('rows are linked', () => {
  it('by the same person, in one order at all parties', () => {
    const people = Array.from({ length: 200 }, (_, k) => `p${k}`);
    const a = tokens(people.slice(0, 150));
    const b = tokens(people.slice(50).toReversed());
    const { rows, passes } = linkRows([a, b]);
    expect(passes).toEqual([{ linked: 100, duplicates: [0, 0] }]);
    const left = Array.from(rows[0], (row) => people[row]);
    const right = Array.from(rows[1], (row) => people.slice(50).toReversed()[row]);
    expect(left).toEqual(right);
    expect(new Set(left).size).toBe(100);
  });

  it('in the first pass that matches, and each row once', () => {
    const a = tokens(['1', '2', undefined, '4'], ['x', 'y', 'z', 'w']);
    const b = tokens(['1', '9', '3', undefined], ['y', 'y2', 'z', 'w']);
    const { rows, passes } = linkRows([a, b]);
    // Row 0 of both matches by the id, so the "y" of b is taken and a's row 1 stays alone.
    expect(passes.map(({ linked }) => linked)).toEqual([1, 2]);
    const pairs = Array.from(rows[0], (row, k) => [row, rows[1][k]]);
    expect(pairs.slice(0, 1)).toEqual([[0, 0]]);
    expect(new Map(pairs as [number, number][])).toEqual(
      new Map([
        [0, 0],
        [2, 2],
        [3, 3],
      ]),
    );
  });

  it('never where a party has the key twice, whose rows are counted', () => {
    const a = tokens(['1', '2', '2', '3', '3', '3']);
    const b = tokens(['3', '2', '1', '1']);
    const { rows, passes } = linkRows([a, b]);
    expect(rows.map(({ length }) => length)).toEqual([0, 0]);
    expect(passes).toEqual([{ linked: 0, duplicates: [5, 2] }]);
  });

  it('at three parties only where all have the person', () => {
    const { rows } = linkRows([
      tokens(['1', '2', '3']),
      tokens(['3', '2']),
      tokens(['2', '1', '4']),
    ]);
    expect(rows.map((one) => Array.from(one))).toEqual([[1], [1], [0]]);
  });

  it('in no pass by the key of another pass, and under no other secret', () => {
    expect(linkRows([tokens(['1'], ['2']), tokens(['2'], ['1'])]).rows[0].length).toBe(0);
    const other = linkTokens(new Uint8Array(32).fill(8), 1, 1, () => ['1']);
    expect(linkRows([tokens(['1']), other]).rows[0].length).toBe(0);
  });

  it('from an order that the file does not show', () => {
    const keys = Array.from({ length: 100 }, (_, k) => `${k}`);
    const one = tokens(keys);
    const two = tokens(keys.toReversed());
    const offered = (all: typeof one) => tokensAt(all, inTokenOrder(all)).bytes;
    expect(offered(one)).toEqual(offered(two));
    expect(tokenText(one, 0, 0)).not.toBe(undefined);
  });
});
