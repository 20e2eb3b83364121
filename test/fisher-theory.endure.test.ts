import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { circlePoints } from '../experiments/fisher/circle-points.ts';
import { etaTs, theoryTrial, trialLosses } from '../experiments/fisher/theory-trial.ts';
import { createKernels } from '../src/numeric/kernels.ts';

interface Case {
  readonly steps: number;
  readonly clients: readonly { readonly x: [number, number][]; readonly y: number[] }[];
  readonly signs: readonly number[];
  readonly weights: readonly number[];
  readonly fedAvg: number;
  readonly fedFisher: Readonly<Record<string, number>>;
  readonly central: number;
}

const kernels = createKernels({ fused: false });

/** Plain matrices in numpy, and Lemma 1's steps one by one: see fisher-theory.py beside it. */
const numpy: { readonly cases: readonly Case[] } = JSON.parse(
  readFileSync(new URL('vectors/fisher-theory.json', import.meta.url), 'utf8'),
);

describe('two-layer networks on given points', () => {
  it.each(numpy.cases)('have the losses that numpy finds: $steps local steps', (known) => {
    const clients = known.clients.map(({ x, y }) =>
      circlePoints(x.map((point, j) => ({ x: point, y: y[j]! }))),
    );
    const start = {
      signs: Float64Array.from(known.signs),
      weights: Float64Array.from(known.weights),
    };
    const found = trialLosses(kernels, clients, start, known.steps);
    expect(found.fedAvg).toBeCloseTo(known.fedAvg, 12);
    expect(found.central).toBeCloseTo(known.central, 12);
    const compared = etaTs.flatMap((etaT, k) =>
      known.fedFisher[etaT] === undefined ? [] : [[found.fedFisher[k]!, known.fedFisher[etaT]!]],
    );
    expect(compared).toHaveLength(2);
    for (const [ours, theirs] of compared) expect(ours).toBeCloseTo(theirs!, 9);
  });
});

describe('the synthetic experiment of Appendix D.1', () => {
  const at = etaTs.indexOf(100);
  const meanOf = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const [narrow, wide] = [32, 512].map((width) => {
    const losses = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => theoryTrial(kernels, width, 512, seed));
    return {
      fedAvg: meanOf(losses.map(({ fedAvg }) => fedAvg)),
      fedFisher: meanOf(losses.map(({ fedFisher }) => fedFisher[at]!)),
      central: meanOf(losses.map(({ central }) => central)),
    };
  });

  it('at ηT = 100: a wider network has a smaller loss, and FedFisher a smaller one than FedAvg', () => {
    expect(wide!.fedFisher).toBeLessThan(narrow!.fedFisher);
    for (const { fedAvg, fedFisher } of [narrow!, wide!]) expect(fedFisher).toBeLessThan(fedAvg);
  });

  // Twelve other seeds in numpy have 0.43, 0.22 and 0.19 at width 512 (research/neural.md, §4.7).
  it('has losses of the size that numpy found on other seeds', () => {
    expect(wide!.fedAvg / 0.435).toBeGreaterThan(0.4);
    expect(wide!.fedAvg / 0.435).toBeLessThan(2.5);
    expect(wide!.fedFisher / 0.222).toBeGreaterThan(0.4);
    expect(wide!.fedFisher / 0.222).toBeLessThan(2.5);
    expect(wide!.central).toBeLessThan(wide!.fedFisher);
  });
});
