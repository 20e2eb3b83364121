import { describe, expect, it } from 'vitest';
import { classSums, withClassWeights } from '../src/network/class-weighted.ts';
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
import { plainValues, planNetwork, type WeightBlock } from '../src/network/network-plan.ts';
import { alignUnits, otFusion } from '../src/network/otfusion.ts';
import { pfnm } from '../src/network/pfnm.ts';
import { regMean, regMeanSums } from '../src/network/regmean.ts';
import { packedLength } from '../src/numeric/gram.ts';
import {
  apart,
  drawnGram,
  drawnSites,
  smallNetwork,
  smallPlan,
  stream,
  type WholeSite,
} from './network-sites.ts';

const plan = smallPlan;
const drawn = drawnSites();

type Fuse = (sites: readonly WholeSite[]) => Float64Array;

const diagonalOf = (sites: readonly WholeSite[]) =>
  diagonalSums(sites.map(({ diagonal }) => diagonal));
const fullOf = (sites: readonly WholeSite[]) => fullSums(sites.map(({ full }) => full));
const counted = (sites: readonly WholeSite[]) =>
  sites.map((site) => ({ ...site, classCounts: Float64Array.of(site.rows, 60 - site.rows, 0) }));

/** Every fusion whose result has the form of the sites' networks. */
const fusions: readonly (readonly [string, Fuse])[] = [
  ['average', (sites) => averageNetwork(weightSums(sites))],
  ['damped diagonal', (sites) => dampedDiagonal(plan, diagonalOf(sites))],
  ['diagonal by the paper', (sites) => paperDiagonal(diagonalOf(sites), { steps: 20 })],
  ['diagonal by descent', (sites) => descendDiagonal(diagonalOf(sites), { steps: 20 })],
  ['Fisher merging', (sites) => fisherMerge(diagonalOf(sites))],
  ['damped K-FAC', (sites) => dampedKfac(plan, sites)],
  ['K-FAC by the paper', (sites) => paperKfac(plan, sites, { steps: 20 })],
  ['K-FAC by descent', (sites) => descendKfac(plan, sites, { steps: 20 })],
  ['damped full Fisher', (sites) => dampedFull(plan, fullOf(sites))],
  ['full Fisher by descent', (sites) => descendFull(fullOf(sites), { steps: 20 })],
  [
    'Jacobians',
    (sites) =>
      descendJacobians(
        sites.map(({ jacobians }) => jacobians),
        { steps: 20 },
      ),
  ],
  ['RegMean', (sites) => regMean(plan, regMeanSums(plan, sites))],
  ['OTFusion', (sites) => otFusion(plan, sites)],
  [
    'class weights',
    (sites) =>
      withClassWeights(plan, averageNetwork(weightSums(sites)), classSums(plan, counted(sites))),
  ],
];

/** A site with other rows or weights. */
function changed(site: WholeSite, members: { rows?: number; weights?: Float64Array }): WholeSite {
  return {
    ...site,
    ...members,
    diagonal: { ...site.diagonal, ...members },
    full: { ...site.full, ...members },
    jacobians: { ...site.jacobians, ...members },
  };
}

describe.each(fusions)('%s', (name, fuse) => {
  it('gives equal weights back', () => {
    const [{ weights }] = drawn;
    expect(apart(fuse(drawn.map((site) => changed(site, { weights }))), weights)).toBeLessThan(
      1e-14,
    );
  });

  it('gives the weights of one site back', () => {
    expect(apart(fuse([drawn[1]]), drawn[1].weights)).toBeLessThan(1e-14);
  });

  it('does not depend on the order of the sites, to the bit', () => {
    const [a, b, c] = drawn;
    expect(fuse([c, a, b])).toEqual(fuse([b, c, a]));
    const same = [a, b, c].map((site) => changed(site, { rows: 20 }));
    expect(fuse([same[2], same[0], same[1]])).toEqual(fuse(same));
  });

  it('ignores a site without rows', () => {
    const weights = new Float64Array(plan.weights).fill(Number.NaN);
    const empty = changed(drawn[2], { rows: 0, weights });
    expect(fuse([drawn[0], empty, drawn[1]])).toEqual(fuse([drawn[0], drawn[1]]));
    expect(() => fuse([empty])).toThrow('a fusion needs at least one site with rows');
  });

  it('differs from the average of different sites, unless it is the average', () => {
    const distance = apart(fuse(drawn), averageNetwork(weightSums(drawn)));
    expect(distance > 1e-3).toBe(name !== 'average');
  });
});

describe('fusions that are one', () => {
  const identity = (d: number) => {
    const packed = new Float64Array(packedLength(d));
    for (let i = 0, at = 0; i < d; at += d - i, i++) packed[at] = 1;
    return packed;
  };

  it('K-FAC with G = I = RegMean with the damping in A', () => {
    const sites = drawn.map((site) => ({
      ...site,
      factors: site.factors.map(({ inputs }, l) => ({
        inputs,
        outputs: identity(plan.blocks[l].rows),
      })),
    }));
    const shifts = plan.blocks.map(({ index, columns }) => {
      const one = identity(columns);
      const traces = sites.map(
        ({ rows, inputs }) =>
          (rows / 100) * inputs[index].reduce((sum, entry, k) => sum + entry * one[k], 0),
      );
      return (0.3 * traces.reduce((a, b) => a + b)) / columns;
    });
    const shifted = sites.map((site) => ({
      ...site,
      inputs: site.inputs.map((packed, l) => {
        const one = identity(plan.blocks[l].columns);
        return packed.map((entry, k) => entry + shifts[l] * one[k]);
      }),
    }));
    const whole = regMean(plan, regMeanSums(plan, shifted, 1));
    expect(apart(dampedKfac(plan, sites, 0.3, 1e-13), whole)).toBeLessThan(1e-9);
  });

  it('K-FAC with diagonal factors = diagonal = full with a diagonal', () => {
    const rows = [30, 50, 20];
    const weights = drawn.map((site) => site.weights);
    const diagonals = rows.map((_, i) =>
      plan.blocks.map(({ index, rows: r, columns: c }) => ({
        inputs: stream(10 * i + index, c).map((x) => x * x),
        outputs: stream(99 + 10 * i + index, r).map((x) => x * x),
      })),
    );
    const packedDiagonal = (entries: Float64Array) => {
      const packed = identity(entries.length);
      let next = 0;
      return packed.map((x) => (x === 1 ? entries[next++] : 0));
    };
    const fisher = diagonals.map((layers) =>
      Float64Array.from(
        layers.flatMap(({ inputs, outputs }) =>
          Array.from(outputs).flatMap((g) => Array.from(inputs, (a) => g * a)),
        ),
      ),
    );
    const kfac = rows.map((n, i) => ({
      rows: n,
      weights: weights[i],
      factors: diagonals[i].map(({ inputs, outputs }) => ({
        inputs: packedDiagonal(inputs),
        outputs: packedDiagonal(outputs),
      })),
    }));
    const sums = diagonalSums(
      rows.map((n, i) => ({ rows: n, weights: weights[i], fisher: fisher[i] })),
    );
    const full = fullSums(
      rows.map((n, i) => ({ rows: n, weights: weights[i], fisher: packedDiagonal(fisher[i]) })),
    );
    const expected = dampedDiagonal(plan, sums, 0.3);
    expect(apart(dampedKfac(plan, kfac, 0.3, 1e-13), expected)).toBeLessThan(1e-9);
    expect(apart(dampedFull(plan, full), expected)).toBeLessThan(1e-12);
    const descended = descendDiagonal(sums, { steps: 30 });
    expect(apart(descendFull(full, { steps: 30 }), descended)).toBeLessThan(1e-12);
    expect(apart(descendKfac(plan, kfac, { steps: 30 }), descended)).toBeLessThan(1e-5);
  });

  it('Jacobians = full Fisher JᵀJ / n', () => {
    const sites = drawn.map(({ rows, weights, jacobians: { jacobian } }) => {
      const fisher: number[] = [];
      for (let i = 0; i < plan.weights; i++) {
        for (let j = i; j < plan.weights; j++) {
          let sum = 0;
          for (let r = 0; r < rows; r++) {
            sum += jacobian[r * plan.weights + i] * jacobian[r * plan.weights + j];
          }
          fisher.push(sum / rows);
        }
      }
      return { rows, weights, fisher: Float64Array.from(fisher) };
    });
    const descent = { steps: 5000, rate: 0.01 };
    const jacobians = descendJacobians(
      drawn.map((site) => site.jacobians),
      descent,
    );
    expect(apart(descendFull(fullSums(sites), descent), jacobians)).toBeLessThan(1e-9);
  });
});

describe('a linear regression', () => {
  const [inputs, outputs] = [5, 2];
  const linear = planNetwork({ layers: [] }, plainValues(inputs), outputs);
  const width = inputs + 1;
  /** Rows (x, 1) and responses of a site, which differ in law. */
  const sites = [14, 9, 23].map((rows, i) => {
    const x = stream(70 + i, rows * width).map((value, k) =>
      k % width === inputs ? 1 : value * (i + 1) + i,
    );
    const y = stream(80 + i, rows * outputs).map(
      (value, k) => value + x[Math.floor(k / outputs) * width],
    );
    return { rows, x, y };
  });

  /** XᵀX, packed, and YᵀX of rows. */
  function moments(rows: number, x: Float64Array, y: Float64Array) {
    const packed: number[] = [];
    const cross = new Float64Array(outputs * width);
    for (let i = 0; i < width; i++) {
      for (let j = i; j < width; j++) {
        let sum = 0;
        for (let r = 0; r < rows; r++) sum += x[r * width + i] * x[r * width + j];
        packed.push(sum);
      }
      for (let o = 0; o < outputs; o++) {
        for (let r = 0; r < rows; r++)
          cross[o * width + i] += y[r * outputs + o] * x[r * width + i];
      }
    }
    return { packed: Float64Array.from(packed), cross };
  }

  /** Least squares by Gauss–Jordan elimination. */
  function leastSquares(packed: Float64Array, cross: Float64Array): Float64Array {
    const table = Array.from({ length: width }, (_, i) => {
      const row = Array.from({ length: width }, (_, j) => {
        const [a, b] = [Math.min(i, j), Math.max(i, j)];
        return packed[a * width - (a * (a - 1)) / 2 + (b - a)];
      });
      for (let o = 0; o < outputs; o++) row.push(cross[o * width + i]);
      return row;
    });
    for (let k = 0; k < width; k++) {
      const pivot = table[k][k];
      table[k] = table[k].map((value) => value / pivot);
      for (let i = 0; i < width; i++) {
        if (i === k) continue;
        const factor = table[i][k];
        table[i] = table[i].map((value, j) => value - factor * table[k][j]);
      }
    }
    return Float64Array.from({ length: outputs * width }, (_, k) => {
      const o = Math.floor(k / width);
      return table[k - o * width][width + o];
    });
  }

  const parts = sites.map(({ rows, x, y }) => ({ rows, ...moments(rows, x, y) }));
  const local = parts.map(({ rows, packed, cross }) => ({
    rows,
    weights: leastSquares(packed, cross),
    moments: packed.map((sum) => sum / rows),
  }));
  const total = (pick: (part: (typeof parts)[number]) => Float64Array) =>
    parts.map(pick).reduce((a, b) => a.map((value, k) => value + b[k]));
  const pooled = leastSquares(
    total(({ packed }) => packed),
    total(({ cross }) => cross),
  );

  it('of all rows is the RegMean of the sites’ own', () => {
    const own = local.map((site) => ({ ...site, inputs: [site.moments] }));
    expect(apart(averageNetwork(weightSums(local)), pooled)).toBeGreaterThan(0.1);
    expect(apart(regMean(linear, regMeanSums(linear, own, 1)), pooled)).toBeLessThan(1e-10);
  });

  it('of all rows is the fusion by the full Fisher information', () => {
    const own = local.map(({ rows, weights, moments: a }) => {
      // I ⊗ A: one block for each output.
      const fisher: number[] = [];
      for (let i = 0; i < outputs * width; i++) {
        for (let j = i; j < outputs * width; j++) {
          const [o, k] = [Math.floor(i / width), i % width];
          const inside = Math.floor(j / width) === o;
          fisher.push(inside ? a[k * width - (k * (k - 1)) / 2 + ((j % width) - k)] : 0);
        }
      }
      return { rows, weights, fisher: Float64Array.from(fisher) };
    });
    expect(apart(dampedFull(linear, fullSums(own), 0), pooled)).toBeLessThan(1e-10);
    const long = descendFull(fullSums(own), { steps: 1e9 });
    expect(apart(long, pooled)).toBeLessThan(1e-10);
    const [{ weights }] = own;
    const blind = { rows: 1, weights, fisher: new Float64Array(own[0].fisher.length) };
    expect(() => dampedFull(linear, fullSums([blind]), 0)).toThrow(
      'the Fisher information of all sites together does not determine every weight',
    );
  });
});

describe('inputs that are always 0', () => {
  it('keep the average weight in RegMean', () => {
    const fused = regMean(plan, regMeanSums(plan, drawn));
    const mean = averageNetwork(weightSums(drawn));
    const { start, rows, columns } = plan.blocks[1];
    for (let o = 0; o < rows; o++) {
      const dead = start + o * columns + 3;
      expect(fused[dead]).toBe(mean[dead]);
      expect(fused[dead + 1]).not.toBe(mean[dead + 1]);
    }
  });

  it('keep the average of a whole layer in RegMean, K-FAC and the diagonal', () => {
    const dead = drawn.map((site) => ({
      ...site,
      inputs: site.inputs.map((packed, l) => (l === 1 ? packed.map(() => 0) : packed)),
      factors: site.factors.map(({ inputs, outputs }, l) => ({
        inputs: l === 1 ? inputs.map(() => 0) : inputs,
        outputs,
      })),
      fisher: site.diagonal.fisher.map((entry, k) => (k >= 20 && k < 96 ? 0 : entry)),
    }));
    const mean = averageNetwork(weightSums(drawn));
    const part = (weights: Float64Array) => weights.slice(20, 96);
    expect(part(regMean(plan, regMeanSums(plan, dead)))).toEqual(part(mean));
    expect(part(dampedKfac(plan, dead))).toEqual(part(mean));
    expect(part(dampedDiagonal(plan, diagonalSums(dead)))).toEqual(part(mean));
    expect(part(fisherMerge(diagonalSums(dead)))).toEqual(part(mean));
  });

  it('and directions that no input takes are near the average without shrinkage', () => {
    // Two inputs that are always equal: only the sum of their weights is known.
    const linear = planNetwork({ layers: [], bias: false }, plainValues(3), 1);
    const site = (rows: number, seed: number, weights: readonly number[]) => {
      const [a, b, c] = drawnGram(seed, 5, 2);
      return {
        rows,
        weights: Float64Array.from(weights),
        inputs: [Float64Array.of(a, a, b, a, b, c)],
      };
    };
    const sites = [site(10, 3, [1, 5, 2]), site(10, 4, [3, 1, -1])];
    const fused = regMean(linear, regMeanSums(linear, sites, 1));
    const mean = averageNetwork(weightSums(sites));
    expect(fused[0] - fused[1]).toBeCloseTo(mean[0] - mean[1], 6);
    expect(Math.abs(fused[0] - mean[0])).toBeGreaterThan(1e-3);
  });
});

describe('hidden units in another order', () => {
  const [{ weights }] = drawn;
  /** The same network with its channels and units in another order. */
  function shuffled(source: Float64Array): Float64Array {
    const [first, second, last] = plan.blocks;
    const result = new Float64Array(source.length);
    const orders = [
      [1, 0],
      [2, 0, 3, 1],
    ];
    const at = ({ start, columns }: WeightBlock, i: number, j: number) => start + i * columns + j;
    for (let i = 0; i < 2; i++) {
      for (let j = 0; j < 10; j++) result[at(first, orders[0][i], j)] = source[at(first, i, j)];
    }
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 19; j++) {
        const channel = Math.floor(j / 9);
        const to = j === 18 ? 18 : orders[0][channel] * 9 + (j % 9);
        result[at(second, orders[1][i], to)] = source[at(second, i, j)];
      }
    }
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 5; j++) {
        result[at(last, i, j === 4 ? 4 : orders[1][j])] = source[at(last, i, j)];
      }
    }
    return result;
  }
  const other = shuffled(weights);

  it('are put back exactly', () => {
    expect(other).not.toEqual(weights);
    expect(alignUnits(plan, other, weights)).toEqual(weights);
    expect(alignUnits(plan, weights, weights)).toEqual(weights);
  });

  it('fuse to the same network by OTFusion and by PFNM', () => {
    const sites = [weights, other].map((own) => ({ rows: 8, weights: own.map((w) => 4 * w) }));
    const fused = otFusion(plan, sites);
    expect(
      [weights, other].map((own) =>
        apart(
          fused,
          own.map((w) => 4 * w),
        ),
      ),
    ).toContain(0);
    const { network, weights: matched } = pfnm(smallNetwork, plan, sites, { variance: 1e-8 });
    expect(network).toEqual(smallNetwork);
    expect(apart(matched, fused)).toBeLessThan(1e-6);
  });

  it('with a common start OTFusion is the average', () => {
    const sites = drawn.map((site) => ({
      rows: site.rows,
      weights: site.weights.map((w, k) => weights[k] + 0.1 * w),
    }));
    expect(otFusion(plan, sites)).toEqual(averageNetwork(weightSums(sites)));
  });
});

describe('PFNM', () => {
  const sites = drawn.map((site) => ({
    ...site,
    weights: site.weights.map((w, k) => 2 * stream(900, plan.weights)[k] + 0.9 * w),
  }));
  const terms = { variance: 0.5, priorVariance: 2, gamma: 3 };
  const grown = pfnm(smallNetwork, plan, sites, terms);

  it('grows, and its network holds its weights', () => {
    const wide = planNetwork(grown.network, plan.input, plan.outputs);
    expect(wide.weights).toBe(grown.weights.length);
    expect(wide.weights).toBeGreaterThan(plan.weights);
  });

  it('does not depend on the order of the sites, nor on a site without rows', () => {
    const [a, b, c] = sites;
    expect(pfnm(smallNetwork, plan, [c, a, b], terms)).toEqual(grown);
    expect(pfnm(smallNetwork, plan, [a, { ...a, rows: 0 }, b, c], terms)).toEqual(grown);
  });

  it('weights the last layer by rows without counts, and by counts with them', () => {
    const counts = sites.map(({ rows }) => Float64Array.of(rows, rows, rows));
    const withCounts = sites.map((site, i) => ({ ...site, classCounts: counts[i] }));
    expect(pfnm(smallNetwork, plan, withCounts, terms)).toEqual(grown);
    counts[0][1] = 0;
    expect(pfnm(smallNetwork, plan, withCounts, terms)).not.toEqual(grown);
  });
});
