import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { baselineClient } from '../experiments/baselines/client.ts';
import { conjugateGradientBaseline } from '../experiments/baselines/conjugate-gradient.ts';
import { dpFedAvg, scaledRows } from '../experiments/baselines/dp-fed-avg.ts';
import {
  dpFedAvgPrinted,
  dpFedAvgPrintedSteps,
} from '../experiments/baselines/dp-fed-avg-printed.ts';
import { fedAvg, fedProx } from '../experiments/baselines/fed-avg.ts';
import { scaffold } from '../experiments/baselines/scaffold.ts';
import { atRest } from '../experiments/baselines/trajectory.ts';
import { trafficOf } from '../experiments/baselines/wire.ts';
import type { Rows } from '../experiments/data/generator.ts';
import { reproducibleKernels } from '../src/numeric/kernels.ts';

interface Vector {
  readonly ridge: number;
  readonly clients: readonly {
    readonly rows: readonly (readonly number[])[];
    readonly response: readonly number[];
  }[];
  readonly normals: readonly number[];
  readonly dpFedAvg: readonly number[];
  readonly dpFedAvgLocal: readonly number[];
  readonly dpFedAvgPrinted: readonly number[];
  readonly stepNormals: readonly number[];
  readonly dpFedAvgSteps: readonly number[];
}

// numpy, by rows: see baselines.py beside it.
const vector: Vector = JSON.parse(
  readFileSync(new URL('vectors/baselines.json', import.meta.url), 'utf8'),
);

const sites: readonly Rows[] = vector.clients.map(({ rows, response }) => ({
  count: rows.length,
  features: rows[0].map((_, j) => Float64Array.from(rows, (row) => row[j])),
  response: Float64Array.from(response),
}));

/** The vector's normals in order, and no more of them than there are. */
function normals(drawn: readonly number[] = vector.normals): () => number {
  let at = 0;
  return () => {
    if (at === drawn.length) throw new RangeError('more noise than numpy drew');
    return drawn[at++];
  };
}

function farthest(ours: ArrayLike<number>, theirs: readonly number[]): number {
  expect(ours.length).toBe(theirs.length);
  return Math.max(...Array.from(ours, (v, i) => Math.abs(v - theirs[i])));
}

describe('DP-FedAvg has the model that numpy has, by rows and with the same noise', () => {
  const rows = scaledRows(sites);
  // Features are kept in 24 bits, which is 6e-8.
  it('with one noise on the sum', () => {
    const plan = { rounds: 4, clip: 1 / 4, step: 1 / 2 };
    const ours = dpFedAvg(rows, plan, { mu: 0.7, noises: 1 }, normals());
    expect(farthest(ours, vector.dpFedAvg)).toBeLessThan(1e-6);
  });

  it('with a noise at each site', () => {
    const plan = { rounds: 8, clip: 1 / 8, step: 1 / 4 };
    const ours = dpFedAvg(rows, plan, { mu: 2, noises: sites.length }, normals());
    expect(farthest(ours, vector.dpFedAvgLocal)).toBeLessThan(1e-6);
  });

  it('and as the paper accounts for it, which is not private', () => {
    const clients = sites.map((site) => baselineClient(reproducibleKernels(), site));
    const noise = { ridge: vector.ridge, rounds: 3, deviation: 1.5 };
    const ours = dpFedAvgPrinted(clients, noise, normals());
    expect(farthest(ours, vector.dpFedAvgPrinted)).toBeLessThan(1e-12);
    const steps = { ridge: vector.ridge, rounds: 2, deviation: 1.5 };
    const each = dpFedAvgPrintedSteps(clients, steps, normals(vector.stepNormals));
    expect(farthest(each, vector.dpFedAvgSteps)).toBeLessThan(1e-12);
  });

  it('no row moves the sum of a round by more than is paid for, and some move it by that much', () => {
    // One round whose step makes the model the sum itself.
    const sumOf = (some: readonly Rows[]) => {
      const own = scaledRows(some);
      const plan = { rounds: 1, clip: 1 / 4, step: own.count / own.columns };
      return dpFedAvg(own, plan, { mu: 1, noises: 1 }, () => 0);
    };
    const whole = sumOf(sites);
    const moves = Array.from({ length: sites[0].count }, (_, r) => {
      const less = sumOf([without(sites[0], r), ...sites.slice(1)]);
      return Math.sqrt(whole.reduce((sum, v, j) => sum + (v - less[j]) ** 2, 0));
    });
    const paid = 2.5 / 4 / Math.sqrt(5);
    expect(Math.max(...moves) / paid).toBeCloseTo(1, 6);
  });
});

// Between d = 16 and d = 24 no header changes its length, so the difference is numbers alone: 8 of 8 bytes a vector.
it.each([
  ['FedAvg', fedAvg(), 1, 0],
  ['FedProx', fedProx(), 1, 0],
  ['SCAFFOLD, model and control', scaffold(), 2, 0],
  ['conjugate gradients, which ask for h by nothing', conjugateGradientBaseline, 1, 1],
])('%s: as many numbers travel as the method says', (_, baseline, vectors, unsent) => {
  const [clients, rounds] = [3, 10];
  const [less, more] = [16, 24].map((d) => trafficOf(baseline, d, clients, rounds));
  expect(more.up - less.up).toBe(64 * vectors * clients * rounds);
  expect(more.down - less.down).toBe(64 * vectors * clients * (rounds - unsent));
});

it('a method is at rest once 50 rounds change its gap by less than 1e-11, and not before round 500', () => {
  const falling = (rounds: number, each: number) =>
    Array.from({ length: rounds }, (_, r) => 0.5 - r * each);
  expect(atRest(falling(500, 1e-13))).toBe(true);
  expect(atRest(falling(500, 3e-13))).toBe(false);
  expect(atRest(falling(499, 0))).toBe(false);
});

function without({ count, features, response }: Rows, row: number): Rows {
  const drop = (column: Float64Array) => column.filter((_, r) => r !== row);
  return { count: count - 1, features: features.map(drop), response: drop(response) };
}
