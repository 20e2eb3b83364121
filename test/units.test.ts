import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report, ResponseReport } from '../src/model/report.ts';
import { fitReport, temporaryFolder, writeSites } from './cli.ts';
import { cases } from './endurance.ts';
import { everyRow, federated, studyOf, tableOf } from './tables.ts';

/** Twelve digits of a share in [0, 1), by a fixed multiplicative stream. */
function stream(seed: number): () => number {
  let state = 1 + (seed % 2147483646);
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

interface Rows {
  readonly y: readonly number[];
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly c: readonly number[];
}

/** Rows in which y depends on a, b and c with noise; all have two decimals and a level of their own. */
function anyRows(seed: number, rows: number): Rows {
  const next = stream(seed);
  const decimals = (level: number, spread: number) =>
    Array.from({ length: rows }, () => Math.round(100 * (level + spread * next())) / 100);
  const [a, b, c] = [decimals(30, 60), decimals(-5, 10), decimals(1000, 50)];
  const y = a.map(
    (_, r) => Math.round(100 * (3 + 0.5 * a[r] - 2 * b[r] + 0.1 * c[r] + 8 * next())) / 100,
  );
  return { y, a, b, c };
}

/** v · 10ᵏ, rounded once: the decimal it would be written as in the other unit. */
function shifted(values: readonly number[], power: number): number[] {
  return values.map((value) => Number(`${value}e${power}`));
}

type Answer = Pick<ResponseReport, 'terms' | 'glance'>;

/**
 * Estimates, errors and intervals follow the unit within 1e-9 standard errors; what has no unit
 * stays. `powers` gives the change of each column by name, `response` the one of y.
 */
function expectFollows(
  changed: Answer,
  plain: Answer,
  powers: Readonly<Record<string, number>>,
  response: number,
): void {
  expect(changed.terms.map(({ term }) => term)).toEqual(plain.terms.map(({ term }) => term));
  plain.terms.forEach((row, k) => {
    const own = changed.terms[k];
    const power = row.term.split(':').reduce((sum, name) => sum - (powers[name] ?? 0), response);
    const back = (value: number | undefined) => value! * 10 ** -power;
    const error = row['std.error']!;
    for (const key of ['estimate', 'std.error', 'conf.low', 'conf.high'] as const) {
      expect(Math.abs(back(own[key]) - row[key]!), `${row.term} ${key}`).toBeLessThanOrEqual(
        1e-9 * error,
      );
    }
    expect(own['p.value']! / row['p.value']!, `${row.term} p`).toBeCloseTo(1, 6);
  });
  expect(changed.glance['r.squared']).toBeCloseTo(plain.glance['r.squared']!, 10);
  expect(changed.glance.statistic! / plain.glance.statistic!).toBeCloseTo(1, 9);
}

const answer = ({ terms, glance }: Report): Answer => ({ terms: terms!, glance: glance! });

describe('a unit is only a unit', () => {
  it('by command line: one column in thousandths, another by 10¹²', async () => {
    const folder = temporaryFolder();
    const rows = anyRows(7, 90);
    const fitted = (name: string, { y, a, b, c }: Rows) => {
      const lines = y.map((_, r) => [y[r], a[r], b[r], c[r]].join(','));
      return fitReport('y ~ a + b + c + a:b', writeSites(folder, name, 'y,a,b,c', lines, 3));
    };
    const plain = await fitted('plain', rows);
    const changed = await fitted('changed', {
      ...rows,
      a: shifted(rows.a, -3),
      b: shifted(rows.b, 12),
    });
    expectFollows(answer(changed), answer(plain), { a: -3, b: 12 }, 0);
    expect(changed.digits).toBeGreaterThanOrEqual(9);
  });

  it.each(['y ~ a + b + c', 'y ~ a + b + c - 1', 'y ~ a*b + c', 'y ~ a + b + a:c - 1'])(
    'any powers from 10⁻¹⁵ to 10¹⁵: %s',
    (formula) => {
      const power = fc.integer({ min: -15, max: 15 });
      fc.assert(
        fc.property(
          fc.nat(1e6),
          fc.record({ y: power, a: power, b: power, c: power }),
          (seed, { y, a, b, c }) => {
            const rows = anyRows(seed, 60);
            const plain = tableOf({ ...rows });
            const changed = tableOf({
              y: shifted(rows.y, y),
              a: shifted(rows.a, a),
              b: shifted(rows.b, b),
              c: shifted(rows.c, c),
            });
            const [after, before] = [changed, plain].map(
              (table) => federated(studyOf(table, formula), table, [everyRow(table)]).report,
            );
            if (typeof after === 'string' || typeof before === 'string') {
              return expect.unreachable(`refused: ${after} ${before}`);
            }
            expectFollows(answer(after), answer(before), { a, b, c }, y);
          },
        ),
        { numRuns: cases(100), seed: 20264 },
      );
    },
  );
});
