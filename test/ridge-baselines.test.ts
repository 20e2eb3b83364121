import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { affineFedAvg } from '../experiments/baselines/affine-fed-avg.ts';
import type { Baseline } from '../experiments/baselines/baseline.ts';
import { baselineClient } from '../experiments/baselines/client.ts';
import { conjugateGradientBaseline } from '../experiments/baselines/conjugate-gradient.ts';
import { dualFedAvg } from '../experiments/baselines/dual-fed-avg.ts';
import { fedAvg, fedProx, PROXIMAL } from '../experiments/baselines/fed-avg.ts';
import { averagedFits } from '../experiments/baselines/local-fits.ts';
import {
  doubledMeanLoss,
  halvedObjective,
  heavierMeanLoss,
  meanLossObjective,
  paperSteps,
  sameObjective,
} from '../experiments/baselines/local-steps.ts';
import { miniBatchFedAvg } from '../experiments/baselines/mini-batch-fed-avg.ts';
import { plainOneShot } from '../experiments/baselines/plain-seconds.ts';
import { rowFedAvg } from '../experiments/baselines/row-fed-avg.ts';
import { rowMatrix } from '../experiments/baselines/row-matrix.ts';
import { scaffold } from '../experiments/baselines/scaffold.ts';
import { roundsWithin } from '../experiments/baselines/trajectory.ts';
import { decodeMessage, encodeMessage, trafficOf } from '../experiments/baselines/wire.ts';
import type { Rows } from '../experiments/data/generator.ts';
import { shown } from '../experiments/ridge/cells.ts';
import { drawOf } from '../experiments/ridge/draw.ts';
import {
  numberedSite,
  oneShotExperiment,
  oracle,
  ridgeStudy,
  sentAndRead,
  signedBytes,
  siteContribution,
} from '../experiments/ridge/exact.ts';
import { defaultRidgePlan, settingOf } from '../experiments/ridge/plan.ts';
import { projectedFits } from '../experiments/ridge/projected-fits.ts';
import { projectionRivals } from '../experiments/ridge/projection-rivals.ts';
import { sameBits } from '../experiments/ridge/same-bits.ts';
import { siteStream } from '../experiments/ridge/site-stream.ts';
import { advisedDimension, leftOutShare } from '../experiments/ridge/spectrum.ts';
import { mseOf, testLoss } from '../experiments/ridge/test-loss.ts';
import { finish } from '../experiments/ridge/work.ts';
import { projectionMatrix } from '../src/features/projection.ts';
import { createKernels, reproducibleKernels } from '../src/numeric/kernels.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { agreement } from './linear.ts';

interface Table {
  readonly rows: readonly (readonly number[])[];
  readonly response: readonly number[];
}

interface Vector {
  readonly ridge: number;
  readonly clients: readonly Table[];
  readonly test: Table;
  readonly rounds: readonly number[];
  readonly fedAvg: readonly number[][];
  readonly fedProx: readonly number[][];
  readonly scaffold: readonly number[][];
  readonly conjugateGradient: readonly number[][];
  readonly exact: readonly number[];
  readonly averaged: readonly number[];
  readonly readings: Readonly<
    Record<string, { readonly fedAvg: readonly number[]; readonly fedProx: readonly number[] }>
  >;
  readonly mse: number;
}

// numpy, by rows: see baselines.py beside it.
const vector: Vector = JSON.parse(
  readFileSync(new URL('vectors/baselines.json', import.meta.url), 'utf8'),
);

const rowsOf = ({ rows, response }: Table): Rows => ({
  count: rows.length,
  features: rows[0].map((_, j) => Float64Array.from(rows, (row) => row[j])),
  response: Float64Array.from(response),
});

const sites = vector.clients.map(rowsOf);
const kernels = reproducibleKernels();
const clients = sites.map((rows) => baselineClient(kernels, rows));

/** The largest relative difference. */
function apart(ours: ArrayLike<number>, theirs: ArrayLike<number>): number {
  expect(ours.length).toBe(theirs.length);
  const size = Math.max(...Array.from(theirs, Math.abs)) || 1;
  return Math.max(...Array.from(ours, (v, i) => Math.abs(v - theirs[i]) / size));
}

function iteratesOf(baseline: Baseline, rounds: readonly number[]): Float64Array[] {
  const iterates = baseline.iterates(reproducibleKernels(), clients, vector.ridge);
  const all = Array.from({ length: Math.max(...rounds) }, () => iterates.next().value.slice());
  return rounds.map((round) => all[round - 1]);
}

describe('baselines have the iterates that numpy has, by rows', () => {
  it.each([
    ['FedAvg', fedAvg(), vector.fedAvg, vector.rounds],
    ['FedProx', fedProx(), vector.fedProx, vector.rounds],
    ['SCAFFOLD', scaffold(), vector.scaffold, vector.rounds],
    ['conjugate gradients', conjugateGradientBaseline, vector.conjugateGradient, [1, 2, 3, 4]],
  ] as const)('%s', (_, baseline, theirs, rounds) => {
    iteratesOf(baseline, rounds).forEach((weights, i) => {
      expect(apart(weights, theirs[i])).toBeLessThan(1e-12);
    });
  });

  it('averaged local fits', () => {
    const ours = averagedFits(kernels, clients, vector.ridge);
    expect(apart(ours, vector.averaged)).toBeLessThan(1e-12);
  });

  it('FedProx differs from FedAvg, SCAFFOLD from both: the vectors tell them apart', () => {
    expect(apart(vector.fedProx[3], vector.fedAvg[3])).toBeGreaterThan(1e-6);
    expect(apart(vector.scaffold[3], vector.fedAvg[3])).toBeGreaterThan(1e-6);
  });

  it('steps among rows, and over the rows, are the steps themselves', () => {
    const [, , , after40] = iteratesOf(fedAvg(), vector.rounds);
    for (const rounds of [
      dualFedAvg(kernels, sites, vector.ridge),
      rowFedAvg(kernels, sites, vector.ridge),
      miniBatchFedAvg(sites.map(rowMatrix), vector.ridge, 1000, 1),
    ]) {
      for (let round = 1; round < 40; round++) rounds.next();
      expect(apart(rounds.next().value, after40)).toBeLessThan(1e-12);
    }
  });

  it('mini-batches go through all rows, in an order that the seed decides', () => {
    const first = (batch: number, seed: number) =>
      miniBatchFedAvg(sites.map(rowMatrix), vector.ridge, batch, seed).next().value;
    expect(first(2, 1)).toEqual(first(2, 1));
    expect(apart(first(2, 1), first(2, 2))).toBeGreaterThan(1e-6);
    // Short steps in small batches add up to as many full-batch steps as there are batches.
    expect(Math.hypot(...first(2, 1))).toBeGreaterThan(3 * Math.hypot(...first(1000, 1)));
  });

  it.each([
    ['same', sameObjective],
    ['halved', halvedObjective],
    ['meanLoss', meanLossObjective],
    ['doubledMeanLoss', doubledMeanLoss],
    ['heavierMeanLoss', heavierMeanLoss],
  ] as const)(
    '%s: each reading of the clients’ loss, by steps and as affine maps',
    (name, objective) => {
      const theirs = vector.readings[name];
      const ours = [
        [affineFedAvg({ objective }), theirs.fedAvg],
        [affineFedAvg({ objective, proximal: PROXIMAL }), theirs.fedProx],
        [fedProx(PROXIMAL, paperSteps, objective), theirs.fedProx],
      ] as const;
      for (const [baseline, model] of ours) {
        expect(apart(iteratesOf(baseline, [40])[0], model)).toBeLessThan(1e-12);
      }
      expect(apart(theirs.fedProx, theirs.fedAvg)).toBeGreaterThan(1e-6);
    },
  );
});

describe('one-shot fusion on rows of another origin', () => {
  const study = ridgeStudy({ features: 5 }, vector.ridge);
  const one = finish(oneShotExperiment(study, sites));
  const all = finish(oracle(study, sites));

  it('is numpy’s ridge regression, with its test error', () => {
    expect(apart(one.weights, vector.exact)).toBeLessThan(1e-12);
    expect(mseOf(rowsOf(vector.test), one.weights)).toBeCloseTo(vector.mse, 14);
  });

  it('is the same in plain float64, up to rounding', () => {
    const plain = plainOneShot(createKernels(), sites.map(rowMatrix), vector.ridge);
    expect(apart(plain, vector.exact)).toBeLessThan(1e-12);
  });

  it('is the oracle to the last bit, which a change of one bit would show', () => {
    const bits = sameBits();
    expect(bits.compare({ ...one, mse: 1 }, { ...all, mse: 1 })).toBe(true);
    expect(bits.conclusion().holds).toBe(true);
    const words = new BigUint64Array(one.weights.slice().buffer);
    words[0] ^= 1n;
    const other = { weights: new Float64Array(words.buffer), mse: 1 };
    expect(bits.compare(other, { ...all, mse: 1 })).toBe(false);
    expect(bits.conclusion()).toMatchObject({
      holds: false,
      claim: 'One-Shot equals the centralised oracle to the last bit in 1 of 2 cells',
    });
  });

  it('is the same from a stream of sites that are forgotten', () => {
    const stream = siteStream(study);
    for (const rows of sites) stream.add(rows);
    expect(stream.fused().weights).toEqual(one.weights);
    expect(stream.central()).toEqual(one.weights);
  });

  it('has gaps that are those of the rows', () => {
    const rows = rowsOf(vector.test);
    const loss = testLoss(rows, one.weights);
    const [weights] = iteratesOf(fedAvg(), [3]);
    expect(loss.gap(weights)).toBeCloseTo(mseOf(rows, weights) / mseOf(rows, one.weights) - 1, 10);
    expect(loss.gap(one.weights)).toBe(0);
  });
});

describe('bytes are those of encoded messages', () => {
  it('a message survives its encoding, and its data are where its header says', () => {
    const [weights] = iteratesOf(fedAvg(), [2]);
    const file = encodeMessage({ round: 17, vectors: { weights, control: clients[0].moments } });
    expect(decodeMessage(file)).toEqual({
      round: 17,
      vectors: { weights, control: clients[0].moments },
    });
    const start = 8 + new DataView(file.buffer).getUint32(0, true);
    expect(start % 8).toBe(0);
    expect(file.length - start).toBe(2 * 5 * 8);
    expect(new Float64Array(file.buffer.slice(start, start + 40))).toEqual(weights);
  });

  it('traffic is the sum of messages with the numbers in them', () => {
    for (const baseline of [fedAvg(), scaffold()]) {
      const rounds = Array.from({ length: 12 }, (_, r) => r + 1);
      const sent = iteratesOf(baseline, rounds).map((weights, r) => {
        const vectors = Object.fromEntries(baseline.up.map((name) => [name, weights]));
        return 3 * encodeMessage({ round: r + 1, vectors }).length;
      });
      const sum = sent.reduce((a, b) => a + b, 0);
      expect(trafficOf(baseline, 5, 3, 12)).toEqual({ up: sum, down: sum });
    }
  });

  it('a contribution is as long as one that is really signed, and grows as d² by 16 bytes an entry', () => {
    const agreed = agreement(ridgeStudy({ features: 5 }, 0.1));
    const own = siteContribution(agreed, numberedSite(4), sites[1], createKernels());
    const signed = encodeContribution(signContribution(own, createSigningKey()));
    expect(signedBytes(own)).toBe(signed.length);
    const { traffic } = finish(oneShotExperiment(ridgeStudy({ features: 5 }, 0.1), sites));
    expect(traffic.up).toBe(3 * signed.length);
    expect(sentAndRead(agreed, own).statistic).toEqual(own.statistic);
    expect(signed.length).toBeGreaterThan(16 * ((7 * 8) / 2));
  });
});

describe('small parts', () => {
  it('rounds to a tolerance count from where the gap stays within it', () => {
    expect(roundsWithin([1, 0.001, 0.5, 0.009, -0.002, 0.001], 0.01)).toBe(4);
    expect(roundsWithin([1, 0.001, 0.5], 0.01)).toBeUndefined();
    expect(roundsWithin([1, 0.001, Number.NaN], 0.01)).toBeUndefined();
    expect(roundsWithin([0.001], 0.01)).toBe(1);
  });

  it('numbers in sentences have true minus signs and powers', () => {
    expect([shown(-1.03e-6), shown(2.5e7), shown(-0.25), shown(0), shown(12.3456)]).toEqual([
      '−1.03·10⁻⁶',
      '2.5·10⁷',
      '−0.25',
      '0',
      '12.3',
    ]);
  });

  it('equal eigenvalues leave out 1 − m/d; the advice is the fewest columns that keep enough', () => {
    const flat = new Float64Array(40).fill(3);
    for (const m of [1, 10, 39]) expect(leftOutShare(flat, m)).toBeCloseTo(1 - m / 40, 12);
    expect(leftOutShare(flat, 40)).toBe(0);
    expect(advisedDimension(flat, 0.25)).toBe(30);
    const falling = Float64Array.from({ length: 40 }, (_, j) => (j + 1) ** -4);
    const advised = advisedDimension(falling, 0.01);
    expect(leftOutShare(falling, advised)).toBeLessThanOrEqual(0.01);
    expect(leftOutShare(falling, advised - 1)).toBeGreaterThan(0.01);
  });

  it('parts of a projection are the projections of a study with fewer columns', () => {
    const draw = drawOf(
      settingOf({ ...defaultRidgePlan, sites: 3, rowsPerSite: 50, features: 12 }),
      5,
    );
    const fits = finish(projectedFits(draw, [3, 8], 0.4, 77));
    for (const { dimension, fused } of fits) {
      const projection = { kind: 'projection', dimension, seed: 77 } as const;
      const study = ridgeStudy(draw.setting, 0.4, { features: [projection] });
      const { weights } = finish(oneShotExperiment(study, draw.sites));
      const matrix = projectionMatrix(12, projection);
      const model = Array.from({ length: 12 }, (_, i) =>
        weights.reduce((sum, w, j) => sum + matrix[i * dimension + j] * w, 0),
      );
      expect(apart(fused, model)).toBeLessThan(1e-9);
    }
  });

  it('rivals of a projection are what studies with their matrices find', () => {
    const draw = drawOf(
      settingOf({ ...defaultRidgePlan, sites: 3, rowsPerSite: 50, features: 12 }),
      5,
    );
    const rivals = finish(projectionRivals(draw, [3, 8], 0.4, 77, 0.5));
    for (const matrix of ['sparse', 'hadamard'] as const) {
      const projection = { kind: 'projection', matrix, dimension: 8, seed: 77 } as const;
      const study = ridgeStudy(draw.setting, 0.4, { features: [projection] });
      const { weights } = finish(oneShotExperiment(study, draw.sites));
      const r = projectionMatrix(12, projection);
      const model = Float64Array.from({ length: 12 }, (_, i) =>
        weights.reduce((sum, w, j) => sum + r[i * 8 + j] * w, 0),
      );
      expect(rivals[matrix][1] / mseOf(draw.test, model)).toBeCloseTo(1, 8);
    }
    const wider = finish(projectedFits(draw, [4, 11], 0.4, 77));
    expect(rivals.compact[0] / mseOf(draw.test, wider[0].fused)).toBeCloseTo(1, 8);
    expect(rivals.compact[1] / mseOf(draw.test, wider[1].fused)).toBeCloseTo(1, 8);
    // 10 sums of 3 projections and a response are less than one row of 13 numbers, 45 of 8 are three.
    expect(rivals.sketched).toEqual([1, 3]);
  });
});
