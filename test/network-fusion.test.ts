import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { classSums, withClassWeights } from '../src/network/class-weighted.ts';
import { compressFactor, restoredFactor } from '../src/network/compress-factor.ts';
import { averageNetwork, weightSums } from '../src/network/fuse-average.ts';
import {
  dampedDiagonal,
  descendDiagonal,
  diagonalSums,
  fisherMerge,
  paperDiagonal,
} from '../src/network/fuse-diagonal.ts';
import { dampedFull, descendFull, fullSums } from '../src/network/fuse-full.ts';
import { descendJacobians } from '../src/network/fuse-jacobians.ts';
import { dampedKfac, descendKfac, paperKfac } from '../src/network/fuse-kfac.ts';
import { planNetwork } from '../src/network/network-plan.ts';
import { otFusion } from '../src/network/otfusion.ts';
import { pfnm } from '../src/network/pfnm.ts';
import { nearest, quantiseLayers, restoredLayers, upward } from '../src/network/quantise.ts';
import { regMean, regMeanSums } from '../src/network/regmean.ts';
import { apart, drawnSites, smallNetwork, smallPlan, stream } from './network-sites.ts';

interface Vectors extends Record<string, unknown> {
  readonly kfacRate: number;
  readonly kfacCurvature: number;
  readonly fullRate: number;
  readonly jacobianRate: number;
  readonly pfnm: { readonly units: readonly number[]; readonly weights: readonly number[] };
  readonly pfnmOther: Vectors['pfnm'];
}
const vectors: Vectors = JSON.parse(
  readFileSync(new URL('vectors/network-fusion.json', import.meta.url), 'utf8'),
);

const plan = smallPlan;
const sites = drawnSites();
const diagonal = diagonalSums(sites.map((site) => site.diagonal));
const full = fullSums(sites.map((site) => site.full));
const counts = [
  [10, 20, 0],
  [50, 0, 0],
  [5, 15, 0],
].map((row) => Float64Array.from(row));
const counted = sites.map((site, i) => ({ ...site, classCounts: counts[i] }));
const mean = averageNetwork(weightSums(sites));
const validate = (weights: Float64Array) =>
  -Math.abs(weights.reduce((sum, w, k) => sum + (w - mean[k]) ** 2, 0) - 0.6);
const quantised = (bits: number, rounding: typeof nearest) =>
  restoredLayers(plan, quantiseLayers(plan, sites[0].weights, bits, rounding));

const results: Readonly<Record<string, () => Float64Array>> = {
  average: () => mean,
  dampedDiagonal: () => dampedDiagonal(plan, diagonal, 0.3),
  fisherMerge: () => fisherMerge(diagonal),
  paperDiagonal: () => paperDiagonal(diagonal),
  paperDiagonalValidated: () => paperDiagonal(diagonal, { validate }),
  descendDiagonal: () => descendDiagonal(diagonal, { steps: 50 }),
  dampedKfac: () => dampedKfac(plan, sites, 0.3, 1e-13),
  paperKfac: () => paperKfac(plan, sites),
  paperKfacValidated: () => paperKfac(plan, sites, { validate }),
  descendKfac: () => descendKfac(plan, sites, { steps: 40, rate: vectors.kfacRate }),
  dampedFull: () => dampedFull(plan, full),
  descendFull: () => descendFull(full, { steps: 1001, rate: vectors.fullRate }),
  descendJacobians: () =>
    descendJacobians(
      sites.map((site) => site.jacobians),
      { steps: 300, rate: vectors.jacobianRate },
    ),
  regMean: () => regMean(plan, regMeanSums(plan, sites)),
  regMeanWhole: () => regMean(plan, regMeanSums(plan, sites, 1)),
  classWeighted: () => withClassWeights(plan, mean, classSums(plan, counted)),
  otFusion: () => otFusion(plan, sites),
  upward16: () => quantised(16, upward),
  upward5: () => quantised(5, upward),
  nearest16: () => quantised(16, nearest),
  nearest5: () => quantised(5, nearest),
  truncated: () => restoredFactor(compressFactor(sites[0].inputs[1], 19, 6, 9, nearest)),
};

describe('fusions of networks agree with numpy', () => {
  it.each(Object.entries(results))('%s', (name, result) => {
    expect(apart(result(), vectors[name] as number[])).toBeLessThan(1e-9);
  });

  it('takes the best of some steps, which is neither the first nor the last', () => {
    for (const name of ['paperDiagonal', 'paperKfac']) {
      const best = vectors[`${name}Validated`] as number[];
      expect(apart(best, vectors[name] as number[])).toBeGreaterThan(1e-3);
    }
  });

  const base = stream(900, plan.weights);
  const near = (part: number) =>
    counted.map((site) => ({
      ...site,
      weights: site.weights.map((w, k) => 2 * base[k] + part * w),
    }));
  it.each([
    ['pfnm', near(1.4), { seed: 5 }],
    ['pfnmOther', near(0.9), { gamma: 3, variance: 0.5, priorVariance: 2, seed: 5 }],
  ] as const)('%s, with as many units as scipy finds', (name, own, terms) => {
    const { network, weights } = pfnm(smallNetwork, plan, own, terms);
    const grown = planNetwork(network, plan.input, plan.outputs);
    expect(grown.blocks.map(({ rows }) => rows)).toEqual([...vectors[name].units, 3]);
    expect(grown.weights).toBe(weights.length);
    expect(apart(weights, vectors[name].weights)).toBeLessThan(1e-9);
  });
});

describe('the rate of a descent', () => {
  it.each([
    ['diagonal', (rate: number) => descendDiagonal(diagonal, { steps: 1, rate }), 3],
    [
      'K-FAC',
      (rate: number) => descendKfac(plan, sites, { steps: 1, rate }),
      1.01 / vectors.kfacCurvature,
    ],
    ['full', (rate: number) => descendFull(full, { steps: 1, rate }), vectors.fullRate * 1.3],
  ])('of %s is at most 1 / λmax', (_, descend, rate) => {
    expect(() => descend(rate)).toThrow(/^rate must be above 0 and at most 1 \/ λmax = /);
  });

  it('of K-FAC is 1 / λmax unless given', () => {
    const rate = (1 - 1e-5) / vectors.kfacCurvature;
    const [usual, near] = [{ steps: 3 }, { steps: 3, rate }].map((descent) =>
      descendKfac(plan, sites, descent),
    );
    expect(apart(usual, near)).toBeLessThan(1e-4);
  });
});
