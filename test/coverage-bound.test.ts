import { describe, expect, it } from 'vitest';
import {
  type CoverageBound,
  coverageBound,
  gaussianNorm,
} from '../src/between-sites/coverage-bound.ts';
import { cholesky } from '../src/numeric/cholesky.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { chance } from './chance.ts';
import { enduring } from './endurance.ts';

const { below } = chance(20264);
const uniform = () => (below(2 ** 30) + 0.5) / 2 ** 30;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
const between = (low: number, high: number) => low + (high - low) * uniform();
const kernels = createKernels();

/** A ridge regression over sites that see different subspaces on different scales, and what is true of it. */
function partition(): {
  readonly gram: Float64Array;
  readonly penalties: Float64Array;
  readonly noise: number;
  readonly truth: number;
  readonly error: number;
} {
  const d = 2 + below(29);
  const sites = 2 + below(19);
  const ridge = 10 ** between(-3, 1);
  const noise = 10 ** between(-1.5, 0.5);
  const truth = Float64Array.from({ length: d }, normal);
  const dark = new Set(uniform() < 0.3 ? [below(d)] : []); // covered by nobody
  const gram = new Float64Array(d * d);
  const moment = new Float64Array(d);
  for (let site = 0; site < sites; site++) {
    const scale = 10 ** between(-0.5, 0.5);
    const rank = 1 + below(d);
    const basis = Array.from({ length: rank }, () =>
      Float64Array.from({ length: d }, (_, j) => (dark.has(j) ? 0 : normal())),
    );
    const rows = 1 + below(25);
    for (let r = 0; r < rows; r++) {
      const row = new Float64Array(d);
      for (const direction of basis) {
        const amount = (scale * normal()) / Math.sqrt(rank);
        for (let j = 0; j < d; j++) row[j] += amount * direction[j];
      }
      let answer = noise * normal();
      for (let j = 0; j < d; j++) answer += row[j] * truth[j];
      for (let i = 0; i < d; i++) {
        moment[i] += row[i] * answer;
        for (let j = 0; j < d; j++) gram[i * d + j] += row[i] * row[j];
      }
    }
  }
  const shrunk = gram.slice();
  for (let i = 0; i < d; i++) shrunk[i * (d + 1)] += ridge;
  const outcome = cholesky(kernels, shrunk, d);
  if ('indefiniteAt' in outcome) throw new Error('not positive definite');
  const found = outcome.factor.solve(moment);
  return {
    gram,
    penalties: new Float64Array(d).fill(ridge),
    noise,
    truth: Math.hypot(...truth),
    error: Math.hypot(...found.map((w, i) => w - truth[i])),
  };
}

function bounded(asked: Parameters<typeof coverageBound>[0]): CoverageBound {
  const bound = coverageBound(asked);
  if (bound === undefined) throw new Error('a direction has neither rows nor penalty');
  return bound;
}

/** Uncorrelated columns under one ridge. */
function diagonal(eigenvalues: readonly number[], ridge: number) {
  const d = eigenvalues.length;
  const gram = new Float64Array(d * d);
  eigenvalues.forEach((value, i) => {
    gram[i * (d + 1)] = value;
  });
  return { gram, penalties: eigenvalues.map(() => ridge) };
}

/** `npm run endure` goes on to 1,000 from the same start. */
const PARTITIONS = enduring ? 1000 : 40;

describe('coverageBound', () => {
  it(`holds on ${PARTITIONS} heterogeneous partitions, and is not far above the error`, () => {
    const ratios = Array.from({ length: PARTITIONS }, () => {
      const { truth, error, ...asked } = partition();
      const bound = bounded({ ...asked, confidence: 1 - 1e-6 });
      return (bound.bias * truth + bound.noise) / error;
    });
    ratios.sort((a, b) => a - b);
    const median = ratios[PARTITIONS / 2];
    console.info(
      `bound/error: least ${ratios[0].toFixed(2)}, median ${median.toFixed(2)}, largest ${ratios.at(-1)!.toFixed(0)}`,
    );
    expect(ratios[0]).toBeGreaterThanOrEqual(1);
    expect(median).toBeLessThanOrEqual(10);
  });

  it('is the bias itself in the direction covered least, where there is no noise', () => {
    const { bias, noise } = bounded({ ...diagonal([3, 8, 20], 2), noise: 0, confidence: 0.9 });
    expect(bias).toBeCloseTo(2 / 5, 15);
    expect(noise).toBe(0);
  });

  it('leaves everything to the prior where nobody covers a direction', () => {
    const asked = { ...diagonal([0, 5], 0.1), noise: 1, confidence: 0.9 };
    expect(bounded(asked).bias).toBeCloseTo(1, 15);
    expect(coverageBound({ ...asked, penalties: [0, 0] })).toBeUndefined();
  });

  it('shrinks like 1/√n without a ridge', () => {
    const at = (n: number) => bounded({ ...diagonal([n, 2 * n], 0), noise: 1, confidence: 0.99 });
    expect(at(400).bias).toBe(0);
    expect(at(400).noise * 2).toBeCloseTo(at(100).noise, 12);
  });

  it('takes a length that Gaussians exceed no more often than asked', () => {
    const variances = [4, 1, 0.25, 0];
    const limit = gaussianNorm(variances, 0.95);
    const beyond = Array.from({ length: 20000 }, () =>
      Math.hypot(...variances.map((v) => Math.sqrt(v) * normal())),
    ).filter((length) => length > limit).length;
    expect(beyond / 20000).toBeLessThan(0.05);
    expect(beyond).toBeGreaterThan(20); // and not never
  });
});
