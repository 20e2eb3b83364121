import { describe, expect, it } from 'vitest';
import { leNet, perceptron } from '../src/network/known-networks.ts';
import type { Fusion } from '../src/study/study.ts';
import {
  methodKind,
  methodKinds,
  methodOfFusion,
  offeredKinds,
} from '../web/worker/method-kinds.ts';
import { emptyPlan } from '../web/worker/plan.ts';
import { createReading } from '../web/worker/plan-problems.ts';

const fusions: readonly (readonly [kind: string, Fusion])[] = [
  ['least-squares', { kind: 'ridge', ridge: 0 }],
  ['least-squares', { kind: 'ridge', ridge: 0, errors: 'clustered' }],
  ['least-squares', { kind: 'ridge', ridge: 0, siteEffects: 'random-ml' }],
  ['ridge', { kind: 'ridge', ridge: 2.5, standardize: true }],
  ['ridge', { kind: 'ridge', ridge: 'gcv' }],
  ['ridge', { kind: 'ridge', ridge: 'k-fold', folds: 3, prefer: 'one-standard-error' }],
  ['lasso', { kind: 'ridge', ridge: 0, lasso: { lambda: 0.5, mix: 0.3 } }],
  ['lasso', { kind: 'ridge', ridge: 0, lasso: { lambda: 'leave-one-site-out' } }],
  ['discriminant', { kind: 'discriminant', shrinkage: 'gcv' }],
  ['naive-bayes', { kind: 'naive-bayes' }],
  ['logistic', { kind: 'glm', family: 'binomial' }],
  ['logistic', { kind: 'glm', family: 'binomial', at: { x: 1 } }],
  ['poisson', { kind: 'glm', family: 'poisson', prior: 0.1 }],
  ['average', { kind: 'average', ridge: 3 }],
  ['fesc', { kind: 'fesc', covariance: true }],
  ['network', { kind: 'fisher-diagonal', network: perceptron(64, 32) }],
  [
    'network',
    {
      ...{ kind: 'fisher-kfac', network: leNet, training: { epochs: 5, rate: 0.1 } },
      ...{ rounds: 3, head: 'ridge', server: 'paper', heldOut: 0.2 },
    },
  ],
  ['network', { kind: 'regmean', network: perceptron(), shrink: 0.5 }],
  ['network', { kind: 'dense', network: perceptron(8), distillation: { batches: 5 } }],
];

const layers = [{ kind: 'convolution', channels: 3, size: 2 }] as const;

/** A fusion of which the form has never heard. */
const strange = { kind: 'histogram', bins: 12 } as unknown as Fusion;

function again(fusion: Fusion, kind = methodOfFusion(fusion).method.kind) {
  const { method, unshown } = methodOfFusion(fusion);
  const reading = createReading();
  const made = methodKind({ kind }).toFusion({ ...method, kind }, reading, unshown);
  return { made, problems: reading.problems };
}

describe('methods of the form', () => {
  it.for(fusions)('read %s from its fusion and write the same', ([kind, fusion]) => {
    expect(methodOfFusion(fusion).method.kind).toBe(kind);
    expect(again(fusion)).toEqual({ made: fusion, problems: [] });
  });

  it('are each read and written by some fusion of the table', () => {
    const kinds = new Set(fusions.map(([kind]) => kind));
    expect(methodKinds.map(({ name }) => name)).toEqual([...kinds]);
  });

  it('read a study of before 0.2 by the name it had', () => {
    const { method } = methodOfFusion({ kind: 'fisher', family: 'poisson' });
    expect(method.kind).toBe('poisson');
  });

  it('keep what they do not know as the file has it', () => {
    const { unshown } = methodOfFusion(strange);
    const plan = { more: { fusion: unshown! } };
    expect(again(strange)).toEqual({ made: strange, problems: [] });
    expect(offeredKinds(plan).at(-1)?.label).toBe('set in the study’s file');
    expect(offeredKinds(emptyPlan)).toBe(methodKinds);
  });

  it('keep layers that the form cannot show, and refuse units that are no numbers', () => {
    const strangeLayers: Fusion = { kind: 'regmean', network: { layers } };
    expect(methodOfFusion(strangeLayers).method.kind).toBe('file');
    expect(again(strangeLayers).made).toEqual(strangeLayers);
    const reading = createReading();
    const method = { ...emptyPlan.method, kind: 'network', units: '64, many' };
    expect(methodKind(method).toFusion(method, reading, undefined)).toBeUndefined();
    expect(reading.problems.map(({ field }) => field)).toEqual(['method.units']);
  });

  it('take nothing along into another kind', () => {
    expect(again(strange, 'logistic').made).toEqual({ kind: 'glm', family: 'binomial' });
    expect(again({ kind: 'glm', family: 'binomial', at: { x: 1 } }, 'least-squares').made).toEqual({
      kind: 'ridge',
      ridge: 0,
    });
    const kfac: Fusion = { kind: 'fisher-kfac', network: perceptron(3), server: 'paper' };
    const { method, unshown } = methodOfFusion(kfac);
    const other = { ...method, networkFusion: 'regmean' } as const;
    expect(methodKind(other).toFusion(other, createReading(), unshown)).toEqual({
      kind: 'regmean',
      network: perceptron(3),
    });
    const { made, problems } = again({ kind: 'ridge', ridge: 0 }, 'file');
    expect([made, problems.map(({ field }) => field)]).toEqual([undefined, ['method']]);
  });
});
