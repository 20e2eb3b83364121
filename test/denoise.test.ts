import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normals } from '../src/random/normals.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import {
  adasspFilter,
  applied,
  cleanedFilter,
  type NoisyMoments,
  ridgeFilter,
} from '../src/solve/denoise.ts';
import { clippedShare, keptShares } from '../src/solve/noise-aware-errors.ts';

interface Vector {
  readonly G: readonly (readonly number[])[];
  readonly h: readonly number[];
  readonly sdG: number;
  readonly sdh: number;
  readonly n: number;
  readonly ridge: number;
  readonly alpha: number;
  readonly eig: readonly number[];
  readonly phi: readonly number[];
  readonly w: readonly number[];
}

const { rie, larger } = JSON.parse(
  readFileSync(new URL('./vectors/denoise.json', import.meta.url), 'utf8'),
) as { readonly rie: readonly Vector[]; readonly larger: readonly Vector[] };

function momentsOf({ G, h, n, sdG, sdh }: Vector): NoisyMoments {
  return {
    gram: Float64Array.from(G.flat()),
    moment: Float64Array.from(h),
    rows: n,
    sigmaGram: sdG,
    sigmaMoment: sdh,
  };
}

function expectClose(got: Float64Array, wanted: readonly number[], within: number): void {
  const size = Math.max(...wanted.map(Math.abs));
  expect(got).toHaveLength(wanted.length);
  wanted.forEach((value, k) => {
    expect(Math.abs(got[k] - value) / size, `entry ${k}`).toBeLessThan(within);
  });
}

describe('the eigenvalue cleaner', () => {
  it.each([...rie, ...larger].map((one, k) => [k, one] as const))(
    'is the formula: case %i',
    (_, one) => {
      const noisy = momentsOf(one);
      const cleaned = cleanedFilter(noisy, one);
      expectClose(cleaned.values, one.eig, 1e-12);
      expectClose(cleaned.filter, one.phi, 1e-10);
      expectClose(applied(cleaned, noisy.moment), one.w, 1e-10);
    },
  );

  it('is 1/(g + σ) where nothing is noisy', () => {
    const { values, filter } = cleanedFilter({ ...momentsOf(rie[1]) }, { ridge: 0.5 });
    values.forEach((g, k) => {
      expect(filter[k]).toBeCloseTo(1 / (g + 0.5), 12);
    });
  });

  it('takes the size of eigenvalues from the rows, never from a trace that noise has made 0', () => {
    const d = 6;
    const gram = new Float64Array(d * d);
    for (let i = 0; i < d; i++) gram[i * d + i] = i % 2 === 0 ? 30 : -30;
    const noisy = {
      gram,
      moment: new Float64Array(d).fill(50),
      rows: 60,
      sigmaGram: 25,
      sigmaMoment: 40,
    };
    const w = applied(cleanedFilter(noisy), noisy.moment);
    expect(Math.max(...w.map(Math.abs))).toBeLessThan(5);
  });

  it('is finite for any gram, any noise', () => {
    const size = fc.integer({ min: -(2 ** 31), max: 2 ** 31 }).map((k) => k / 1024);
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 9, maxLength: 9 }),
        fc.array(size, { minLength: 3, maxLength: 3 }),
        fc.constantFrom(0, 1e-9, 0.3, 7, 1e5),
        fc.constantFrom(0, 1e-9, 0.3, 7, 1e5),
        fc.constantFrom(-40, 0, 1, 1e6),
        (entries, moment, sigmaGram, sigmaMoment, rows) => {
          const gram = Float64Array.from(entries, (_, k) => {
            const [i, j] = [Math.floor(k / 3), k % 3];
            return entries[Math.min(i, j) * 3 + Math.max(i, j)];
          });
          const noisy = { gram, moment: Float64Array.from(moment), rows, sigmaGram, sigmaMoment };
          for (const filterOf of [cleanedFilter, ridgeFilter, adasspFilter]) {
            const { filter } = filterOf(noisy);
            expect(filter.every((phi) => Number.isFinite(phi) && phi >= 0)).toBe(true);
          }
        },
      ),
      // A trace below 0, and an eigenvalue between it and 0.
      { examples: [[[-16393.4, 0, -831.7, 0, 0, 0.001, 0, 0, 0], [0, 0, 0], 0, 0, -40]] },
    );
  });
});

describe('a gram that is exact, as where the response alone is private', () => {
  // Two columns that are one: the third direction holds nothing but noise of the moments.
  const exact = {
    gram: Float64Array.from([400, 200, 200, 200, 300, 300, 200, 300, 300]),
    rows: 1000,
    sigmaGram: 0,
    sigmaMoment: 9,
    moment: Float64Array.from([100, 121, 79]),
  };

  it.each([
    ['cleaner', cleanedFilter],
    ['ridge', ridgeFilter],
    ['adassp', adasspFilter],
  ] as const)('does not blow up where columns are collinear: %s', (_, filterOf) => {
    const w = applied(filterOf(exact), exact.moment);
    expect(Math.abs(w[1] - w[2])).toBeLessThan(1e-9); // nothing tells them apart
    expect(Math.max(...w.map(Math.abs))).toBeLessThan(1);
    expect(keptShares(filterOf(exact)).smallest).toBe(0);
  });

  it('shrinks by the noise of the moments alone: g/(g² + dσ²/‖w‖²)', () => {
    const gram = Float64Array.from([500, 0, 0, 80]);
    const moment = Float64Array.from([250, 40]);
    const noisy = { gram, moment, rows: 580, sigmaGram: 0, sigmaMoment: 30 };
    const square = (500 ** 2 + 80 ** 2) / 2;
    const size = (250 ** 2 + 40 ** 2 - 2 * 900) / square;
    const { values, filter } = cleanedFilter(noisy);
    expect([...values]).toEqual([80, 500]);
    [80, 500].forEach((g, k) => {
      expect(filter[k]).toBeCloseTo(g / (g * g + 1800 / size), 12);
    });
  });
});

describe('the simple ridge and AdaSSP', () => {
  const gram = Float64Array.from([90, 0, 0, 0, 40, 0, 0, 0, -12]);
  const noisy = {
    gram,
    moment: Float64Array.from([9, 4, 1]),
    rows: 130,
    sigmaGram: 4,
    sigmaMoment: 2,
  };

  it('clips at 0 and adds σ + σ_G√(d/2)', () => {
    const ridge = 0.01 + 4 * Math.sqrt(1.5);
    const { filter } = ridgeFilter(noisy, { ridge: 0.01 });
    expectClose(filter, [1 / ridge, 1 / (40 + ridge), 1 / (90 + ridge)], 1e-12);
  });

  it('lifts the smallest eigenvalue to σ_G√(d·ln(2d²/0.05)), as Wang does', () => {
    const bound = 4 * Math.sqrt(3 * Math.log(18 / 0.05));
    expectClose(adasspFilter(noisy).filter, [1 / bound, 1 / (40 + bound), 1 / (90 + bound)], 1e-12);
    const sound = { ...noisy, gram: Float64Array.from([90, 0, 0, 0, 40, 0, 0, 0, 10]) };
    const more = bound - 10;
    expectClose(adasspFilter(sound).filter, [1 / bound, 1 / (40 + more), 1 / (90 + more)], 1e-12);
  });

  it('never leave a noisy gram to a plain solve that its noise could break', () => {
    for (const filterOf of [cleanedFilter, ridgeFilter, adasspFilter]) {
      expect(Math.max(...filterOf(noisy).filter)).toBeLessThan(1 / 4);
    }
  });
});

describe('how much clipping took', () => {
  it.each([0.6, 1, 1.7, 2.5, 3.2])('is told by the clipped square: bound %f SDs', (reach) => {
    const draw = normals(seededWords(7));
    let square = 0;
    let product = 0;
    let outside = 0;
    const rows = 40_000;
    for (let r = 0; r < rows; r++) {
      const b = draw();
      const cut = Math.max(-reach, Math.min(reach, b));
      square += cut * cut;
      product += b * cut;
      if (cut !== b) outside++;
    }
    expect(clippedShare(square / rows, reach)).toBeCloseTo(outside / rows, 2);
    expect(clippedShare(square / rows, reach)).toBeCloseTo(1 - product / rows, 1);
  });

  it('is nothing without responses, and all where every one was cut', () => {
    expect(clippedShare(-3, 1)).toBeLessThan(1e-300);
    expect(clippedShare(1, 1)).toBe(1);
  });
});
