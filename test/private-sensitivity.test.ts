import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { privateLayout } from '../src/privacy/private-layout.ts';
import { predictorsOf } from '../src/statistic/linear-layout.ts';
import type { LinearStatistic } from '../src/statistic/statistic.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { PrivacyTerms } from '../src/study/study.ts';
import { cases } from './endurance.ts';
import {
  anyRows,
  integers,
  mechanismFor,
  type PrivateCase,
  partsOf,
  privateCase,
  type Row,
  summarize,
  terms,
} from './private-tables.ts';

const STEPS = 2n ** 16n;

/** How far the integers of b are from those of a. */
function moved(a: LinearStatistic, b: LinearStatistic): bigint[] {
  const before = integers(a);
  return integers(b).map((entry, k) => entry - before[k]);
}

function statisticOf(study: PrivateCase, rows: readonly Row[]): LinearStatistic {
  return summarize(study, rows).statistic;
}

/** The μ at which the noise of these terms hides a move of `products`. */
function muOfMove(study: Pick<PrivateCase, 'layout' | 'terms'>, move: readonly bigint[]): number {
  const { sigma } = mechanismFor(study);
  const { gram, moment, square, count } = partsOf(study.layout, move);
  const over = (squared: bigint, deviation: number) =>
    deviation === 0 ? 0 : Math.sqrt(Number(squared)) / (deviation * 2 ** 32);
  if (study.terms.neighbours === 'replace-one') expect(count).toBe(0n);
  const distances = [
    over(gram, sigma.gram),
    over(moment, sigma.moment),
    over(square ** 2n, sigma.square),
    over(count ** 2n, sigma.count),
  ];
  return Math.sqrt(distances.reduce((sum, distance) => sum + distance ** 2, 0));
}

function refinementOf(at: readonly number[], round: number, more: Partial<PrivacyTerms> = {}) {
  return { ...terms, rounds: 4, refinement: { round, at, total: '' }, ...more };
}

describe('a row more moves the integers by at most what the noise is made for', () => {
  it('‖ΔG‖ ≤ 2³², ‖Δh‖ ≤ 2¹⁶·bound, |Δyy| ≤ bound², Δn = 2³², exactly', () => {
    fc.assert(
      fc.property(anyRows(6), ({ rows, others, ...study }) => {
        const { layout } = study;
        const move = moved(statisticOf(study, rows), statisticOf(study, [...rows, others[0]]));
        const { gram, moment, square, count } = partsOf(layout, move);
        const bound = BigInt(layout.privacy!.bound);
        expect(gram).toBeLessThanOrEqual(STEPS ** 4n);
        expect(moment).toBeLessThanOrEqual((STEPS * bound) ** 2n);
        expect(square).toBeGreaterThanOrEqual(0n);
        expect(square).toBeLessThanOrEqual(bound ** 2n);
        expect(count).toBe(STEPS ** 2n);
        const { spent } = mechanismFor(study);
        expect(muOfMove(study, move)).toBeLessThanOrEqual(spent * (1 + 1e-12));
      }),
      { numRuns: cases(300, 1 / 10), seed: 20265 },
    );
  });

  it('of a gradient by at most 2¹⁶·bound', () => {
    fc.assert(
      fc.property(
        anyRows(4),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom(-1e9, -3, 0, 0.2, 7, 1e100), { minLength: 20, maxLength: 20 }),
        ({ rows, others, design, layout }, round, numbers) => {
          const asked = refinementOf(numbers.slice(0, predictorsOf(layout)), round);
          const study = { design, terms: asked, layout: privateLayout(design, asked) };
          const move = moved(statisticOf(study, rows), statisticOf(study, [...rows, others[0]]));
          const bound = BigInt(study.layout.privacy!.bound);
          const squared = move.reduce((sum, entry) => sum + entry ** 2n, 0n);
          expect(squared).toBeLessThanOrEqual((STEPS * bound) ** 2n);
          const { sigma, spent } = mechanismFor(study);
          const mu = Math.sqrt(Number(squared)) / 2 ** 32 / sigma.moment;
          expect(mu).toBeLessThanOrEqual(spent * (1 + 1e-12));
        },
      ),
      { numRuns: cases(200, 1 / 10), seed: 20266 },
    );
  });
});

const replacing: PrivacyTerms = { ...terms, neighbours: 'replace-one' };

describe('a row in place of another moves the integers by at most what the noise is made for', () => {
  it('jointly over G, h and yy, the number of rows staying', () => {
    fc.assert(
      fc.property(anyRows(6, replacing), ({ rows, others, ...study }) => {
        const [before, after] = others.map((row) => statisticOf(study, [...rows, row]));
        const { spent } = mechanismFor(study);
        const mu = muOfMove(study, moved(before, after));
        expect(mu).toBeLessThanOrEqual(spent * (1 + 1e-12));
      }),
      { numRuns: cases(300, 1 / 10), seed: 20267 },
    );
  });

  it('of labels: another response alone, by at most 2¹⁶·2·bound and bound²', () => {
    const asked: PrivacyTerms = { ...terms, protects: 'labels' };
    fc.assert(
      fc.property(anyRows(4, asked), ({ rows, others, ...study }) => {
        // The response's column comes first in a block; where it also explains, there is nothing to ask.
        const { layout, design } = study;
        if (design.formula.startsWith('I(')) return;
        const [row, other] = others;
        const relabelled = [other[0], ...row.slice(1)];
        const move = moved(
          statisticOf(study, [...rows, row]),
          statisticOf(study, [...rows, relabelled]),
        );
        const { gram, moment, square, count } = partsOf(layout, move);
        const bound = BigInt(layout.privacy!.bound);
        expect([gram, count]).toEqual([0n, 0n]);
        expect(moment).toBeLessThanOrEqual((2n * STEPS * bound) ** 2n);
        expect(square ** 2n).toBeLessThanOrEqual(bound ** 4n);
        const { spent } = mechanismFor(study);
        expect(muOfMove(study, move)).toBeLessThanOrEqual(spent * (1 + 1e-12));
      }),
      { numRuns: cases(200, 1 / 10), seed: 20268 },
    );
  });
});

/** Cells that no codebook allows, as readers of private studies give them. */
const oddCells = fc.constantFrom(Number.NaN, -1e150, 1e150, 1e9, -7.5, 3);

/** The same cases with the public ranges of their columns, and rows in which some cells are odd. */
function oddCase(formula: string, asked: PrivacyTerms) {
  const codebook: Codebook = {
    y: { type: 'number', range: [1, 8] },
    x: { type: 'number', range: [-4, 37.5] },
    g: { type: 'category', levels: ['a', 'b', 'c'] },
    k: { type: 'number', range: [0, 3], levels: ['0', '1', '2'] },
    who: { type: 'id' },
  };
  const study = privateCase(formula, codebook, asked);
  const ranges = study.design.variables.map((name) => {
    const column = codebook[name];
    return column.type === 'number' ? column.range : undefined;
  });
  const cell = (name: string): fc.Arbitrary<number> =>
    codebook[name].type === 'number'
      ? fc.oneof(fc.double({ min: -5, max: 40, noNaN: true }), oddCells)
      : fc.constantFrom(0, 1, 2, Number.NaN);
  const row = fc.tuple(...study.design.variables.map(cell));
  const sums = (rows: readonly Row[]) => summarize({ ...study, ranges }, rows, 3).statistic;
  return { study, row, sums };
}

describe('cells and rows that do not fit move the integers by no more', () => {
  const formulas = ['y ~ x + g', 'log(y) ~ x * g', 'I(y > 3) ~ x', 'y ~ factor(k) + x'];

  it.each(formulas)('one row more: %s', (formula) => {
    const { study, row, sums } = oddCase(formula, terms);
    const { spent } = mechanismFor(study);
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), row, fc.nat(), (rows, one, at) => {
        const move = moved(sums(rows), sums(rows.toSpliced(at % (rows.length + 1), 0, one)));
        expect(muOfMove(study, move)).toBeLessThanOrEqual(spent * (1 + 1e-12));
      }),
      { numRuns: cases(200, 1 / 10), seed: 20301 },
    );
  });

  it.each(formulas)('one row in place of another: %s', (formula) => {
    const { study, row, sums } = oddCase(formula, replacing);
    const { spent } = mechanismFor(study);
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), row, row, (rows, one, other) => {
        const move = moved(sums([...rows, one]), sums([...rows, other]));
        expect(muOfMove(study, move)).toBeLessThanOrEqual(spent * (1 + 1e-12));
      }),
      { numRuns: cases(200, 1 / 10), seed: 20302 },
    );
  });

  it.each(formulas)('another response, G and n staying as they are: %s', (formula) => {
    const { study, row, sums } = oddCase(formula, { ...terms, protects: 'labels' });
    const { spent } = mechanismFor(study);
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), row, row, (rows, one, [label]) => {
        const move = moved(sums([...rows, one]), sums([...rows, [label, ...one.slice(1)]]));
        const { gram, count } = partsOf(study.layout, move);
        expect([gram, count]).toEqual([0n, 0n]);
        expect(muOfMove(study, move)).toBeLessThanOrEqual(spent * (1 + 1e-12));
      }),
      { numRuns: cases(200, 1 / 10), seed: 20303 },
    );
  });

  it.each([
    ['add-remove', 3],
    ['replace-one', 1],
  ] as const)('all rows of a person, however many, %s', (neighbours, rowsPerPerson) => {
    const asked: PrivacyTerms = {
      ...terms,
      unit: 'person',
      person: 'who',
      rowsPerPerson,
      neighbours,
    };
    const { study, row, sums } = oddCase('y ~ x + g', asked);
    const { spent } = mechanismFor(study);
    const rowOf = (ids: readonly number[]) =>
      fc.tuple(row, fc.constantFrom(...ids)).map(([cells, id]) => [...cells, id]);
    const one = fc.array(rowOf([7]), { minLength: 1, maxLength: 6 });
    const nobody =
      neighbours === 'add-remove'
        ? fc.constant([])
        : fc.array(rowOf([8]), { minLength: 1, maxLength: 4 });
    const all = fc.array(rowOf([0, 1, 2, Number.NaN]), { maxLength: 8 });
    fc.assert(
      fc.property(all, one, nobody, fc.boolean(), (rows, own, instead, first) => {
        const beside = (some: readonly Row[]) => (first ? [...some, ...rows] : [...rows, ...some]);
        const move = moved(sums(beside(instead)), sums(beside(own)));
        expect(muOfMove(study, move)).toBeLessThanOrEqual(spent * (1 + 1e-12));
      }),
      { numRuns: cases(200, 1 / 10), seed: 20304 },
    );
  });
});

// Rows made to move the integers as far as they can: the bounds are met, not only kept.
describe('the worst rows', () => {
  const flat: Codebook = {
    y: { type: 'number', range: [-100, 100], center: 0, sd: 1 },
    a: { type: 'number', range: [-1, 1] },
    b: { type: 'number', range: [-1, 1] },
  };
  const round = (angle: number, y: number): Row => [y, Math.cos(angle), Math.sin(angle)];

  it('spend all of μ when one is added', () => {
    const study = privateCase('y ~ a + b - 1', flat);
    const { spent } = mechanismFor(study);
    const mus = Array.from({ length: 100 }, (_, k) => {
      const row = round((k * Math.PI) / 50, k % 2 === 0 ? 100 : -100);
      return muOfMove(study, integers(statisticOf(study, [row])));
    });
    expect(Math.max(...mus)).toBeLessThanOrEqual(spent * (1 + 1e-12));
    expect(Math.min(...mus)).toBeGreaterThan(spent * (1 - 1e-4));
  });

  it('spend all that G and h have when one takes the place of another', () => {
    const study = privateCase('y ~ a + b - 1', flat, replacing);
    const { spent, shares } = mechanismFor(study);
    const mus = Array.from({ length: 400 }, (_, k) => {
      const before = statisticOf(study, [round(0.3, 100)]);
      const after = statisticOf(study, [round(0.3 + (k * Math.PI) / 200, -100)]);
      return muOfMove(study, moved(before, after));
    });
    expect(Math.max(...mus)).toBeLessThanOrEqual(spent * (1 + 1e-12));
    const joint = Math.sqrt(shares.gram + shares.moment);
    expect(Math.max(...mus)).toBeGreaterThan(spent * joint * (1 - 1e-4));
  });

  it('are no longer than 2¹⁶ at any corner, where every coordinate is as large as the others', () => {
    for (const columns of [1, 3, 4, 15, 16, 63, 64, 255]) {
      const names = Array.from({ length: columns }, (_, k) => `x${k}`);
      const codebook = Object.fromEntries([
        ['y', { type: 'number', range: [-1e3, 1e3], center: 0, sd: 0.1 }],
        ...names.map((name, k) => [name, { type: 'number', range: [-k - 1, 0.1 + k] }]),
      ]) as Codebook;
      for (const minus of ['', ' - 1']) {
        const study = privateCase(`y ~ ${names.join(' + ')}${minus}`, codebook);
        const bound = BigInt(study.layout.privacy!.bound);
        for (const corner of [0, 1]) {
          for (const y of [-1e3, 1e3]) {
            const row = [y, ...names.map((_, k) => (corner === 0 ? -k - 1 : 0.1 + k))];
            const entries = integers(statisticOf(study, [row]));
            const { gram, moment, square } = partsOf(study.layout, entries);
            expect(gram).toBeLessThanOrEqual(STEPS ** 4n);
            expect(Number(gram)).toBeGreaterThan(2 ** 64 * (1 - 1e-2));
            expect(moment).toBeLessThanOrEqual((STEPS * bound) ** 2n);
            expect(square).toBe(bound ** 2n);
          }
        }
      }
    }
  });

  // Squares of such numbers keep few digits or none, so that a length taken from them may be far too short.
  it('are no longer than 2¹⁶ where their squares are hardly numbers', () => {
    const study = privateCase('y ~ a + b - 1', flat);
    for (let exponent = -170; exponent <= -130; exponent++) {
      for (let k = 10; k < 100; k += 3) {
        const tiny = k * 10 ** exponent;
        const { gram } = partsOf(study.layout, integers(statisticOf(study, [[1, tiny, -tiny]])));
        expect(gram).toBeLessThanOrEqual(STEPS ** 4n);
      }
    }
  });

  it('of a gradient too', () => {
    for (const neighbours of ['add-remove', 'replace-one'] as const) {
      const asked = refinementOf([0, 0.4, -2], 2, { neighbours });
      const study = privateCase('y ~ a + b - 1', flat, asked);
      const { sigma, spent } = mechanismFor(study);
      const up = integers(statisticOf(study, [round(1, 100)]));
      const down = integers(statisticOf(study, [round(1, -100)]));
      const move = neighbours === 'add-remove' ? up : up.map((entry, k) => entry - down[k]);
      const squared = move.reduce((sum, entry) => sum + entry ** 2n, 0n);
      const mu = Math.sqrt(Number(squared)) / 2 ** 32 / sigma.moment;
      expect(mu).toBeLessThanOrEqual(spent * (1 + 1e-12));
      expect(mu).toBeGreaterThan(spent * (1 - 1e-4));
    }
  });
});
