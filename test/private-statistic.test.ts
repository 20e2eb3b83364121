import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Design } from '../src/features/design.ts';
import { cholesky } from '../src/numeric/cholesky.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { privateColumns, privateLayout } from '../src/privacy/private-layout.ts';
import { privateSummarizer } from '../src/privacy/private-summary.ts';
import { packedIndex, predictorsOf } from '../src/statistic/linear-layout.ts';
import { rowCount, statistics, sumStatistics } from '../src/statistic/statistic.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { PrivacyTerms } from '../src/study/study.ts';
import { cases } from './endurance.ts';
import {
  anyRows,
  integers,
  type PrivateCase,
  privateCase,
  type Row,
  summarize,
  terms,
} from './private-tables.ts';

/** z of one row in the user's units, the constant first. */
function rowOf(design: Design, row: Row): number[] {
  const hi = design.columns.map(() => new Float64Array(1));
  const block = { rows: 1, columns: row.map((cell) => Float64Array.of(cell)) };
  const origin = { file: 'row', rowOf: () => 1 };
  design.evaluate(
    block,
    origin,
    hi,
    hi.map(() => undefined),
  );
  const values = hi.map(([value]) => value);
  return design.intercept ? values : [1, ...values];
}

/** The statistic by the definition, row after row, in long integers. */
function twin({ design, layout }: PrivateCase, rows: readonly Row[]): bigint[] {
  const { intercept, references } = layout;
  const privacy = layout.privacy!;
  const width = layout.columns.length;
  const predictors = predictorsOf(layout);
  const products = new Array<bigint>((width * (width + 1)) / 2).fill(0n);
  const gradient = new Array<bigint>(predictors).fill(0n);
  for (const row of rows) {
    const u = rowOf(design, row).map((z, j) => (z - references[j].center) / references[j].scale);
    if (!intercept) u[0] = 0;
    const a = u.slice(0, predictors);
    const length = Math.sqrt(a.reduce((sum, value) => sum + value * value, 0));
    const s = length < 2 ** -450 ? 0 : 1 / length;
    const target =
      privacy.kind === 'gradient'
        ? a.reduce((rest, value, j) => rest - value * privacy.at[j], u[predictors])
        : u[predictors];
    const steps = [...a, target].map((value) => Math.trunc(value * s * 65536));
    const b = steps[predictors];
    steps[predictors] = Math.sign(b) * Math.min(Math.abs(b), privacy.bound);
    const q = steps.map(BigInt);
    for (let i = 0; i < width; i++) {
      for (let j = i; j < width; j++) products[packedIndex(width, i, j)] += q[i] * q[j];
      if (i < predictors) gradient[i] += q[i] * q[predictors];
    }
  }
  return privacy.kind === 'gradient' ? gradient : [...products, BigInt(rows.length) << 32n];
}

describe('sums of private rows', () => {
  it('are what the definition gives, entry by entry', () => {
    fc.assert(
      fc.property(anyRows(12), ({ rows, others: _, ...study }) => {
        const { statistic } = summarize(study, rows, 5);
        expect(integers(statistic)).toEqual(twin(study, rows));
        expect(rowCount(statistic)).toBe(rows.length);
      }),
      { numRuns: cases(300), seed: 20269 },
    );
  });

  it('of a gradient too', () => {
    const at = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), {
      minLength: 20,
      maxLength: 20,
    });
    fc.assert(
      fc.property(anyRows(12), at, ({ rows, design, layout }, numbers) => {
        const start = numbers.slice(0, predictorsOf(layout));
        const asked = { ...terms, rounds: 2, refinement: { round: 1, at: start, total: '' } };
        const study = { design, layout: privateLayout(design, asked), terms: asked };
        expect(integers(summarize(study, rows, 5).statistic)).toEqual(twin(study, rows));
      }),
      { numRuns: cases(150), seed: 20270 },
    );
  });

  it('are the same bits however the rows are split and in whatever order', () => {
    fc.assert(
      fc.property(
        anyRows(30).chain((study) =>
          fc.record({
            study: fc.constant(study),
            shuffled: fc.shuffledSubarray([...study.rows], { minLength: study.rows.length }),
            cuts: fc.tuple(fc.nat(30), fc.nat(30)),
            blockRows: fc.integer({ min: 1, max: 9 }),
          }),
        ),
        ({ study, shuffled, cuts, blockRows }) => {
          const { layout, rows } = study;
          const [first, second] = [...cuts].sort((a, b) => a - b);
          const parts = [
            shuffled.slice(0, first),
            shuffled.slice(first, second),
            shuffled.slice(second),
          ];
          const whole = summarize(study, rows).statistic;
          const summed = sumStatistics(
            layout,
            parts.map((part) => summarize(study, part, blockRows).statistic),
          );
          expect(summed.values).toEqual(whole.values);
          const rest = statistics(layout).subtract(whole, summarize(study, parts[0]).statistic);
          expect(rest.values).toEqual(
            summarize(study, [...parts[1], ...parts[2]]).statistic.values,
          );
        },
      ),
      { numRuns: cases(100), seed: 20271 },
    );
  });

  // Seven hundred thousand squares of 163,840 add up to more than 2⁵³.
  it('stay exact beyond what float64 holds', () => {
    const study = privateCase('y ~ x - 1', {
      y: { type: 'number', range: [-1e6, 1e6], center: 0, sd: 1 },
      x: { type: 'number', range: [-1, 1] },
    });
    const rows = 700_001;
    const site = privateSummarizer(study.design, study.layout, terms, [], {
      file: 'long.csv',
      missing: 'refuse',
    });
    const [y, x] = [new Float64Array(rows).fill(1e6), new Float64Array(rows).fill(-1)];
    y[rows - 1] = 0;
    site.add({ rows, columns: [y, x] }, (r) => r + 1);
    const { statistic } = site.finish();
    const many = 700_000n;
    const [one, bound] = [65536n, 163_840n];
    expect(integers(statistic)).toEqual([
      ...[0n, 0n, 0n],
      (many + 1n) * one * one,
      -many * one * bound,
      many * bound * bound,
      (many + 1n) << 32n,
    ]);
    expect(many * bound * bound).toBeGreaterThan(2n ** 53n);
  });

  it('count a row of zeros without intercept, which adds nothing', () => {
    const study = privateCase('y ~ x - 1', {
      y: { type: 'number', range: [-1, 1] },
      x: { type: 'number', range: [-1, 1] },
    });
    const zeros = [
      [1, 0],
      [1, -0],
      [-1, 1e-200],
    ];
    const entries = integers(summarize(study, zeros).statistic);
    expect(entries).toEqual([0n, 0n, 0n, 0n, 0n, 0n, 3n << 32n]);
  });
});

const vectors = JSON.parse(
  readFileSync(new URL('./vectors/private-statistic.json', import.meta.url), 'utf8'),
) as {
  readonly cases: readonly {
    readonly formula: string;
    readonly rows: number;
    readonly seed: number;
    readonly products: readonly string[];
    readonly at: readonly number[];
    readonly round: number;
    readonly gradient: readonly string[];
    readonly many: {
      readonly rows: number;
      readonly seed: number;
      readonly coefficients: readonly number[];
    };
  }[];
};

const codebook: Codebook = {
  y: { type: 'number', range: [0, 50], center: 25, sd: 6 },
  u: { type: 'number', range: [-10, 30] },
  v: { type: 'number', range: [100, 220], sd: 10 },
  g: { type: 'category', levels: ['a', 'b', 'c'] },
};

/** The table of private-statistic.py. */
function table(rows: number, seed: number): Row[] {
  let state = seed;
  const uniform = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  return Array.from({ length: rows }, () => {
    const u = -10 + 40 * uniform();
    const v = 100 + 120 * uniform();
    const g = Math.floor(3 * uniform());
    const noise = uniform() - 0.5;
    const y = 10 + 0.3 * u + 0.1 * (v - 100) + 2 * g + 4 * noise;
    return [Math.min(50, Math.max(0, y)), u, v, g];
  });
}

describe.each(vectors.cases)('Python agrees about $formula', (vector) => {
  it('to the last bit of the products', () => {
    const study = privateCase(vector.formula, codebook);
    const { statistic } = summarize(study, table(vector.rows, vector.seed));
    expect(integers(statistic).map(String)).toEqual(vector.products);
  });

  it('to the last bit of a gradient', () => {
    const { round, at } = vector;
    const asked = { ...terms, rounds: 4, refinement: { round, at, total: '' } };
    const study = privateCase(vector.formula, codebook, asked);
    const { statistic } = summarize(study, table(vector.rows, vector.seed));
    expect(integers(statistic).map(String)).toEqual(vector.gradient);
  });

  it('to 1e-5 of the coefficients of weighted least squares', () => {
    const { rows, seed, coefficients } = vector.many;
    const study = privateCase(vector.formula, codebook);
    const { layout } = study;
    const entries = integers(summarize(study, table(rows, seed)).statistic).map(Number);
    const first = layout.intercept ? 0 : 1;
    const d = privateColumns(layout);
    const entry = (i: number, j: number) =>
      entries[packedIndex(layout.columns.length, first + i, first + j)] / 2 ** 32;
    const gram = Float64Array.from({ length: d * d }, (_, k) => entry(Math.floor(k / d), k % d));
    const moment = Float64Array.from({ length: d }, (_, j) => entry(j, d));
    const solved = cholesky(createKernels(), gram, d);
    if (!('factor' in solved)) throw new Error('indefinite');
    solved.factor.solve(moment).forEach((estimate, j) => {
      expect(Math.abs(estimate - coefficients[j])).toBeLessThan(1e-5);
    });
  });
});

describe('a site', () => {
  it('leaves out incomplete rows, and shows the watcher the others as they are', () => {
    const study = privateCase('y ~ u - 1', codebook);
    const seen: number[][] = [];
    const site = privateSummarizer(study.design, study.layout, terms, [], {
      file: 'site.csv',
      missing: 'drop',
      fewRows: true,
      watchRows: (rows, columns, indexOf) => {
        for (let r = 0; r < rows; r++) seen.push([indexOf(r), ...columns.map((z) => z[r])]);
      },
    });
    const columns = [
      [10, 20, Number.NaN, 40],
      [1, Number.NaN, Number.NaN, 4],
    ];
    site.add({ rows: 4, columns: columns.map((cells) => Float64Array.from(cells)) }, (r) => r + 1);
    const { statistic, rows, dropped, missing } = site.finish();
    expect({ rows, dropped, missing }).toEqual({ rows: 2, dropped: 2, missing: { y: 1, u: 2 } });
    expect(seen).toEqual([
      [0, 1, 1, 10],
      [3, 1, 4, 40],
    ]);
    const complete = [
      [10, 1],
      [40, 4],
    ];
    expect(integers(statistic)).toEqual(twin(study, complete));
  });

  it('keeps the first rows of people with more than the study hides, and says how many went', () => {
    const asked: PrivacyTerms = { ...terms, unit: 'person', person: 'who', rowsPerPerson: 2 };
    const study = privateCase('y ~ u', codebook, asked);
    const people = (...ids: number[]) => ids.map((id, r): Row => [r % 7, r % 5, id]);
    const { statistic, rows } = summarize(study, people(0, 1, 0, 2, 1), 2);
    expect(rows).toBe(5);
    const plain = privateCase('y ~ u', codebook);
    const same = people(0, 1, 0, 2, 1).map((row) => row.slice(0, 2));
    expect(integers(statistic)).toEqual(integers(summarize(plain, same).statistic));
    const many = summarize(study, people(0, 1, 0, 2, 1, 1, 0, 3), 3);
    expect(many).toMatchObject({ rows: 6, dropped: 2, adjusted: { beyondPerson: 2 } });
    const kept = people(0, 1, 0, 2, 1, 1, 0, 3).filter((_, r) => r !== 5 && r !== 6);
    expect(integers(many.statistic)).toEqual(integers(summarize(study, kept).statistic));
    expect(summarize(study, people(0, 0, Number.NaN, Number.NaN, Number.NaN))).toMatchObject({
      rows: 2,
      dropped: 3,
      missing: { who: 3 },
    });
  });
});
