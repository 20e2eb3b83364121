import { describe, expect, it } from 'vitest';
import { ratioOfMeans, reachOf } from '../experiments/fesc/estimates.ts';
import { fescExperiments } from '../experiments/fesc/experiments.ts';
import { type LawName, lawNames } from '../experiments/fesc/laws.ts';
import { lawsResult } from '../experiments/fesc/laws-result.ts';
import { reachText, simulatedEstimateText } from '../experiments/fesc/reach-text.ts';
import { noRuns } from '../experiments/fesc/runs.ts';
import { simulatedNodes } from '../experiments/fesc/simulated-nodes.ts';
import { defaultSimulationPlan, type FescPlan } from '../experiments/fesc/simulation.ts';
import { gammas } from '../experiments/fesc/streams.ts';
import { type FescTrial, meanSize, trial } from '../experiments/fesc/trial.ts';
import type { ExperimentResult } from '../experiments/paper-result.ts';

const plan: FescPlan = { ...defaultSimulationPlan, nodes: 8, dimension: 3, runs: 3 };

function resultOf(id: string, asked: FescPlan): ExperimentResult {
  const experiment = fescExperiments[id]!.run(asked);
  for (;;) {
    const { done, value } = experiment.next();
    if (done === true) return value;
  }
}

/** The trials themselves, by γ and run. */
function trialsOf(law: LawName): readonly (readonly FescTrial[])[] {
  const nodes = simulatedNodes(plan.dimension);
  return gammas.map((_, g) =>
    Array.from({ length: plan.runs }, (_, run) => trial({ ...plan, law }, run, g, nodes)),
  );
}

type Value = 'centralised' | 'average' | 'fesc' | 'drawn' | 'kept';
const values = (trials: readonly FescTrial[], key: Value) => trials.map((one) => one[key]);
const mean = (all: readonly number[]) => all.reduce((sum, x) => sum + x, 0) / all.length;

describe('errors by γ', () => {
  const result = resultOf('mse', plan);
  const trials = trialsOf(plan.law);
  const [byGamma, reached, bytes] = result.tables;

  it('has a row of each γ with the means of the trials and their ratios', () => {
    byGamma!.rows.forEach(({ label, cells }, g) => {
      const of = (key: Value) => mean(values(trials[g]!, key));
      expect(label).toBe(gammas[g]!.toFixed(1));
      const means = cells.map(({ measured }) => measured!.mean);
      expect(means).toEqual(
        [
          8 ** gammas[g]!,
          mean(trials[g]!.map(({ sizes }) => mean(sizes))),
          of('centralised'),
          of('average'),
          of('fesc'),
          of('average') / of('centralised'),
          of('fesc') / of('centralised'),
          of('kept'),
        ].map((value) => expect.closeTo(value, 10)),
      );
    });
  });

  it('tells what a site sends: θ and n, or the upper triangle of (1, x, y)', () => {
    const sent = bytes!.rows.map(({ cells }) => cells[0]!.measured!.mean);
    expect(sent).toEqual([8 * (3 + 1), 16 * ((5 * 6) / 2)]);
  });

  it('has the smallest γ of either average in its own column', () => {
    const ratios = (key: 'average' | 'fesc') =>
      trials.map((at) => ratioOfMeans(values(at, key), values(at, 'centralised')));
    const [plain, fesc] = [ratios('average'), ratios('fesc')];
    for (const { label, cells } of reached!.rows) {
      expect(cells.map(({ text }) => text)).toEqual([
        reachText(reachOf(plain, Number(label))),
        reachText(reachOf(fesc, Number(label))),
        'any γ',
      ]);
    }
    expect(reached!.rows.some(({ cells }) => cells[0]!.text !== cells[1]!.text)).toBe(true);
  });

  it('draws the ratios, and the median run with the middle 80 %', () => {
    const figure = (id: string) => result.figures.find((one) => one.id === id)!;
    const names = ['exact fusion', 'plain average', 'FESC'];
    for (const id of ['mse', 'ratio', 'runs']) {
      expect(figure(id).series.map(({ name }) => name)).toEqual(names);
    }
    (['centralised', 'average', 'fesc'] as const).forEach((key, k) => {
      trials.forEach((at, g) => {
        const point = (id: string) => figure(id).series[k]!.points[g]!;
        const ratio = mean(values(at, key)) / mean(values(at, 'centralised'));
        expect(point('ratio').y).toBeCloseTo(ratio, 10);
        const [a, b, c] = values(at, key).toSorted((x, y) => x - y) as [number, number, number];
        expect(point('runs')).toEqual({
          x: gammas[g],
          y: b,
          low: expect.closeTo(a + 0.2 * (b - a), 12),
          high: expect.closeTo(b + 0.8 * (c - b), 12),
        });
      });
    });
  });

  it('says that the paper’s claims fail where they do: few rows, many features', () => {
    const { conclusions } = resultOf('mse', { ...plan, nodes: 2, dimension: 100 });
    expect(conclusions.map(({ holds }) => holds)).toEqual([false, false, false, true]);
  });
});

describe('the laws', () => {
  it('have the means of their draws, and the gain at the smallest γ', () => {
    const { tables, conclusions } = resultOf('laws', plan);
    const trials = trialsOf('lognormal-high');
    const drawn = trials.flatMap((at, g) => values(at, 'drawn').map((x) => x / meanSize(8, g)));
    const row = tables[0]!.rows[lawNames.indexOf('lognormal-high')]!;
    expect(row.cells[0]!.measured!.mean).toBeCloseTo(mean(drawn), 10);
    const gain = ratioOfMeans(values(trials[0]!, 'average'), values(trials[0]!, 'fesc'));
    expect(JSON.stringify(conclusions[1])).toContain(
      `log-normal (high variance) ${simulatedEstimateText(gain)}`,
    );
  });

  it('take 80 runs each at most', () => {
    const { about } = resultOf('laws', { ...plan, nodes: 2, dimension: 1, runs: 200 });
    expect(about).toContain(' 80 runs a law,');
  });

  it('would be found out by a mean that is not m^γ', () => {
    const runsWith = (factor: number) => {
      const runs = noRuns(plan.nodes);
      for (const jitter of [0.99, 1, 1.01]) {
        const drawn = (g: number) => factor * jitter * meanSize(plan.nodes, g);
        const one = { centralised: 1, average: 1, fesc: 1, kept: 1, sizes: [1] };
        runs.add(gammas.map((_, g) => ({ ...one, drawn: drawn(g) })));
      }
      return runs;
    };
    const told = (factor: number) => {
      const finished = lawNames.map((law) => ({
        law,
        runs: runsWith(law === 'weibull' ? factor : 1),
      }));
      return lawsResult(plan, finished, 1).conclusions[0]!;
    };
    expect(told(1).holds).toBe(true);
    expect(told(1.02)).toMatchObject({
      holds: false,
      readings: [{ because: expect.stringContaining('Weibull') }],
    });
  });
});
