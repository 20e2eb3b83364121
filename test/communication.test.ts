import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  communication,
  crossoverRounds,
  fedAvgBytes,
  parametersOf,
} from '../src/protocol/communication.ts';
import type { SiteStatus } from '../src/protocol/messages.ts';
import type { TableStudy } from '../src/study/study.ts';
import { agreement } from './linear.ts';

function studyOf(formula: string): TableStudy {
  return {
    schema: 'suffice/study@1',
    formula,
    codebook: {
      y: { type: 'number', range: [0, 9] },
      z: { type: 'number', range: [0, 9] },
      x: { type: 'number', range: [0, 9] },
      g: { type: 'category', levels: ['a', 'b', 'c'] },
    },
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
  };
}

function site(name: string, up: number, down: number, n?: number): SiteStatus {
  const state = n === undefined ? 'invited' : 'contributed';
  return { name, state, late: 0, traffic: { up, down }, ...(n === undefined ? {} : { n }) };
}

describe('FedAvg beside the one message (arXiv 2601.08216, Theorem 4 and Corollary 2)', () => {
  it.each([
    ['y ~ x', 2],
    ['y ~ x - 1', 1],
    ['y ~ x + g', 4],
    ['cbind(y, z) ~ x + g', 8],
  ])('%s has %i numbers to send a round', (formula, parameters) => {
    expect(parametersOf(agreement(studyOf(formula)).layout)).toBe(parameters);
  });

  it('sends R·d numbers up and R·d down', () => {
    // The paper’s d = 100 and R = 200 for one client; its tables count up only.
    expect(fedAvgBytes(100, 200)).toEqual({ up: 160_000, down: 160_000 });
  });

  it('costs more than d(d+1)/2 + 2d numbers exactly when R > (d + 5) / 4', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), (d) => {
        const oneShot = ((d * (d + 1)) / 2 + 2 * d) * 8;
        expect(crossoverRounds(d, oneShot)).toBe(Math.floor((d + 5) / 4) + 1);
      }),
    );
  });

  it('crossover is the first number of rounds that moves more bytes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 0, max: 1e7 }),
        (d, bytes) => {
          const rounds = crossoverRounds(d, bytes);
          const moved = (count: number) => fedAvgBytes(d, count).up + fedAvgBytes(d, count).down;
          expect(moved(rounds)).toBeGreaterThan(bytes);
          expect(moved(rounds - 1)).toBeLessThanOrEqual(bytes);
        },
      ),
    );
  });
});

describe('the meter of a study', () => {
  const { layout } = agreement(studyOf('y ~ x'));

  it('adds up, and charges FedAvg for the sites that contributed', () => {
    const meter = communication(layout, [
      site('a', 900, 2000, 10),
      site('b', 1100, 2500, 5),
      site('c', 0, 300),
    ]);
    expect(meter.total).toEqual({ up: 2000, down: 4800 });
    expect(meter.fedAvg).toEqual([
      { rounds: 100, up: 1600, down: 1600 },
      { rounds: 200, up: 3200, down: 3200 },
    ]);
    expect(meter.fedAvgTotal[0]).toEqual({ rounds: 100, up: 3200, down: 3200 });
    expect(meter.crossover).toBe(crossoverRounds(2, 3600));
  });

  it('has no crossover before anything was sent', () => {
    const meter = communication(layout, [site('a', 0, 0)], [50]);
    expect(meter.crossover).toBeUndefined();
    expect(meter.fedAvg.map(({ rounds }) => rounds)).toEqual([50]);
  });
});
