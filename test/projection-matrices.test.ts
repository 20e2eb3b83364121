import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Projection, projectionMatrix, projectionRows } from '../src/features/projection.ts';
import { projectionMap } from '../src/features/projection-map.ts';
import { normals } from '../src/random/normals.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { expectRelative } from './relative.ts';

interface Drawn extends Required<Projection> {
  readonly columns: number;
  readonly entries: readonly number[];
}

/** Drawn in Python; see vectors/projection-matrices.py. */
const { cases } = JSON.parse(
  readFileSync(new URL('vectors/projection-matrices.json', import.meta.url), 'utf8'),
) as { readonly cases: readonly Drawn[] };

describe('sparse and Hadamard matrices', () => {
  it.each(cases)(
    '$matrix, $columns columns to $dimension, are what Python draws from the description',
    ({ columns, entries, ...projection }) => {
      const ours = projectionMatrix(columns, projection);
      expect(ours).toHaveLength(entries.length);
      entries.forEach((entry, k) => {
        expectRelative(ours[k], entry, 1e-15, `entry ${k}`);
      });
    },
  );

  it.each(['sparse', 'hadamard'] as const)(
    '%s: the columns of a smaller dimension are the first of a larger one, up to the factor',
    (matrix) => {
      const large = projectionMatrix(40, { matrix, dimension: 16, seed: 7 });
      const small = projectionMatrix(40, { matrix, dimension: 4, seed: 7 });
      for (let i = 0; i < 40; i++) {
        for (let j = 0; j < 4; j++) expect(small[i * 4 + j]).toBe(2 * large[i * 16 + j]);
      }
    },
  );

  it.each([undefined, 'sparse', 'hadamard'] as const)(
    '%s: RRᵀ is I on average over seeds',
    (matrix) => {
      const [columns, dimension, draws] = [11, 4, 400];
      const mean = new Float64Array(columns * columns);
      for (let seed = 0; seed < draws; seed++) {
        const r = projectionMatrix(columns, { dimension, seed, ...(matrix && { matrix }) });
        for (let a = 0; a < columns; a++) {
          for (let b = 0; b < columns; b++) {
            for (let j = 0; j < dimension; j++) {
              mean[a * columns + b] += (r[a * dimension + j] * r[b * dimension + j]) / draws;
            }
          }
        }
      }
      // An entry of RRᵀ has a variance of at most about 3/m: five standard errors of its mean.
      const bound = 5 * Math.sqrt(3 / dimension / draws);
      mean.forEach((value, at) => {
        const expected = at % (columns + 1) === 0 ? 1 : 0;
        expect(Math.abs(value - expected)).toBeLessThan(bound);
      });
    },
  );

  it('a sparse column adds or subtracts about √d columns, and never none', () => {
    for (const [columns, terms] of [
      [5, 2],
      [100, 10],
      [1000, 32],
    ]) {
      const dimension = 4;
      const r = projectionMatrix(columns, { matrix: 'sparse', dimension, seed: 3 });
      for (let j = 0; j < dimension; j++) {
        const used = Array.from({ length: columns }, (_, i) => r[i * dimension + j] !== 0);
        expect(used.filter(Boolean)).toHaveLength(terms);
      }
    }
  });
});

describe('rows times these matrices', () => {
  const next = normals(seededWords(5));

  it.each([
    ['sparse', 7, 3],
    ['sparse', 130, 61],
    ['hadamard', 7, 3],
    ['hadamard', 130, 61],
    ['hadamard', 1030, 9],
  ] as const)('%s: %i columns to %i are the products, however rows are cut', (matrix, inner, m) => {
    const projection = { matrix, dimension: m, seed: 9 } as const;
    const rows = 150;
    const columns = Array.from({ length: inner }, (_, i) => ({
      values: Float64Array.from({ length: rows }, next),
      center: i / 7,
      scale: 1 + i / 3,
    }));
    const projected = (cuts: readonly number[]) => {
      const project = projectionRows(inner, projection);
      const target = Array.from({ length: m }, () => new Float64Array(rows).fill(Number.NaN));
      cuts.slice(1).forEach((to, k) => {
        const from = cuts[k];
        const part = columns.map((own) => ({ ...own, values: own.values.subarray(from, to) }));
        project(
          part,
          to - from,
          target.map((values) => values.subarray(from, to)),
        );
      });
      return target;
    };
    const whole = projected([0, rows]);
    expect(projected([0, 1, 70, rows])).toEqual(whole);
    const r = projectionMatrix(inner, projection);
    for (const row of [0, 63, 64, rows - 1]) {
      const x = columns.map(({ values, center, scale }) => (values[row] - center) / scale);
      for (let j = 0; j < m; j++) {
        const expected = x.reduce((sum, value, i) => sum + value * r[i * m + j], 0);
        expect(Math.abs(whole[j][row] - expected)).toBeLessThan(1e-12 * inner);
      }
    }
  });

  it.each(['sparse', 'hadamard'] as const)(
    '%s: sums of whole numbers are rounded once',
    (matrix) => {
      const [inner, m] = [12, 4]; // 1/√4 and √(12/(4·4)) are the factors
      const columns = Array.from({ length: inner }, (_, i) => ({
        values: Float64Array.of((i + 1) * 2 ** 45 + i),
        center: 0,
        scale: 1,
      }));
      const target = Array.from({ length: m }, () => new Float64Array(1));
      projectionRows(inner, { matrix, dimension: m, seed: 2 })(columns, 1, target);
      const r = projectionMatrix(inner, { matrix, dimension: m, seed: 2 });
      target.forEach(([value], j) => {
        const sum = columns.reduce(
          (total, { values }, i) => total + BigInt(Math.sign(r[i * m + j])) * BigInt(values[0]),
          0n,
        );
        const size = Math.max(...r.map(Math.abs));
        expect(value).toBe(size * Number(sum));
      });
    },
  );
});

describe('--projection', () => {
  const { read } = projectionMap.option!;

  it.each([
    ['50', { kind: 'projection', dimension: 50, seed: 1 }],
    ['50,7', { kind: 'projection', dimension: 50, seed: 7 }],
    ['50,matrix=sparse', { kind: 'projection', matrix: 'sparse', dimension: 50, seed: 1 }],
    ['50,7,matrix=hadamard', { kind: 'projection', matrix: 'hadamard', dimension: 50, seed: 7 }],
  ])('reads %s', (value, terms) => {
    expect(read(value)).toStrictEqual(terms);
  });

  it.each(['0', '5001', '50,4294967296', '50,matrix=round', '50,7,seed=8', 'x'])(
    'refuses %s',
    (value) => {
      expect(read(value)).toBeUndefined();
    },
  );
});
