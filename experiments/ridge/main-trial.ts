import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { affineFedAvg } from '../baselines/affine-fed-avg.ts';
import type { Baseline } from '../baselines/baseline.ts';
import type { Client } from '../baselines/client.ts';
import { conjugateGradientBaseline } from '../baselines/conjugate-gradient.ts';
import { fedAvg, fedProx, PROXIMAL } from '../baselines/fed-avg.ts';
import { averagedFits, localFits } from '../baselines/local-fits.ts';
import { miniBatchFedAvg } from '../baselines/mini-batch-fed-avg.ts';
import { type PlainSeconds, plainSeconds } from '../baselines/plain-seconds.ts';
import { rowMatrix } from '../baselines/row-matrix.ts';
import { scaffold } from '../baselines/scaffold.ts';
import { atRest, roundsWithin, trajectory } from '../baselines/trajectory.ts';
import { trafficOf, type WireTraffic } from '../baselines/wire.ts';
import { meanCell } from './cells.ts';
import { clientsOf, type Draw } from './draw.ts';
import { oneShotExperiment, ridgeStudy } from './exact.ts';
import { exactPair } from './exact-pair.ts';
import type { RidgePlan } from './plan.ts';
import { objectiveReadings } from './readings.ts';
import type { SameBits } from './same-bits.ts';
import { mseOf, type TestLoss, testLoss } from './test-loss.ts';
import { share, type Work } from './work.ts';

/** Methods that work in rounds. */
export const iterative: readonly Baseline[] = [
  fedAvg(),
  fedProx(),
  scaffold(),
  conjugateGradientBaseline,
];

/** Tolerances for reaching the exact MSE: shares of it, except the third, which is a difference of MSE. */
export const withinNames: readonly string[] = ['1 %', '0.1 %', '10⁻⁶ absolute', '10⁻⁶ relative'];

function tolerancesOf(exact: number): readonly number[] {
  return [0.01, 0.001, 1e-6 / exact, 1e-6];
}

/** One line of Table II in one trial. */
export interface Line {
  readonly mse: number;
  readonly rounds: number;
  readonly traffic: WireTraffic;
  readonly seconds: number;
}

/** One trial: lines by method, and the rounds that each iterative method needs for each tolerance (undefined: not reached). */
export interface MainTrial {
  readonly lines: ReadonlyMap<string, Line>;
  readonly reached: ReadonlyMap<string, readonly (number | undefined)[]>;
  /** By reading of the clients' loss: gaps of FedAvg-100, -200, -500 and FedProx-200. */
  readonly gaps: readonly (readonly number[])[];
  /** Gaps with mini-batches, by their rows: mean over the rounds from the 51st to the 100th. */
  readonly batched: ReadonlyMap<number, number>;
  readonly plain: PlainSeconds;
}

/** Settings of a trial. */
export interface MainTrialSettings {
  readonly plan: RidgePlan;
  readonly bits: SameBits;
  /** Rows of the mini-batches to try. */
  readonly batches: readonly number[];
  readonly seed: number;
}

/** Most rounds to reach a tolerance. */
export function roundLimit({ quick }: RidgePlan): number {
  return quick ? 1000 : 2000;
}

/** All methods of Table II, on one draw. */
export function* mainTrial(
  draw: Draw,
  { plan, bits, batches, seed }: MainTrialSettings,
): Work<MainTrial> {
  const { ridge } = plan;
  const d = draw.setting.features;
  const K = draw.sites.length;
  const { fused, central } = yield* share(0, 0.1, exactPair(draw, ridge));
  bits.compare(fused, central);
  const compact = ridgeStudy(draw.setting, ridge, { arithmetic: 'compact' });
  const small = yield* share(0.1, 0.15, oneShotExperiment(compact, draw.sites));
  const lines = new Map<string, Line>([
    ['One-Shot', { ...fused, rounds: 1 }],
    ['One-Shot, compact', { ...small, rounds: 1, mse: mseOf(draw.test, small.weights) }],
  ]);
  const clock = performance.now();
  const clients = clientsOf(draw);
  const reducing = (performance.now() - clock) / 1000;
  const loss = testLoss(draw.test, fused.weights);
  const reached = new Map<string, readonly (number | undefined)[]>();
  const options = { rounds: roundLimit(plan), look: loss.gap, enough: atRest };
  for (const [b, baseline] of iterative.entries()) {
    const from = 0.15 + (b * 0.5) / iterative.length;
    const work = trajectory(baseline, clients, ridge, options);
    const run = yield* share(from, from + 0.5 / iterative.length, work);
    const rounds = tolerancesOf(loss.exact).map((tolerance) => roundsWithin(run.seen, tolerance));
    reached.set(baseline.name, rounds);
    for (const count of shownRounds(baseline, rounds)) {
      lines.set(lineName(baseline, count), {
        mse: loss.exact * (1 + run.seen[count - 1]!),
        rounds: count,
        traffic: trafficOf(baseline, d, K, count),
        seconds: reducing + run.seconds[count - 1]!,
      });
    }
  }
  addLocal(lines, draw, clients, ridge, reducing);
  lines.set('Centralised', { ...central, rounds: 0 });
  const gaps = yield* share(0.65, 0.8, readingGaps(clients, ridge, loss));
  const batched = new Map<number, number>();
  for (const [b, rows] of batches.entries()) {
    const work = batchGap(draw, ridge, rows, seed, loss);
    batched.set(rows, yield* share(0.8 + b / 10, 0.9 + b / 10, work));
  }
  return { lines, reached, gaps, batched, plain: plainSeconds(draw.sites, ridge) };
}

function* readingGaps(
  clients: readonly Client[],
  ridge: number,
  { gap }: TestLoss,
): Work<number[][]> {
  const gaps: number[][] = [];
  for (const { objective } of objectiveReadings) {
    const at = (x: number) => (gaps.length + x) / objectiveReadings.length;
    const options = { rounds: 500, look: gap };
    const average = affineFedAvg({ objective });
    const { seen } = yield* share(at(0), at(0.7), trajectory(average, clients, ridge, options));
    const proximal = affineFedAvg({ objective, proximal: PROXIMAL });
    const run = trajectory(proximal, clients, ridge, { ...options, rounds: 200 });
    const after = [100, 200, 500].map((round) => seen[round - 1]!);
    gaps.push([...after, (yield* share(at(0.7), at(1), run)).seen[199]!]);
  }
  return gaps;
}

/** Rounds of FedAvg with mini-batches, the second half of which is averaged. */
const BATCH_ROUNDS = 100;

function* batchGap(
  { sites }: Draw,
  ridge: number,
  rows: number,
  seed: number,
  { gap }: TestLoss,
): Work<number> {
  const rounds = miniBatchFedAvg(sites.map(rowMatrix), ridge, rows, seed);
  const late: number[] = [];
  for (let round = 1; round <= BATCH_ROUNDS; round++) {
    const weights = rounds.next().value;
    if (round > BATCH_ROUNDS / 2) late.push(gap(weights));
    yield round / BATCH_ROUNDS;
  }
  return meanCell(late);
}

/** Rounds of a method in Table II; for conjugate gradients, as many as reach 1e-6. */
function shownRounds({ name }: Baseline, reached: readonly (number | undefined)[]): number[] {
  if (name === 'FedAvg') return [100, 200, 500];
  return name === conjugateGradientBaseline.name ? [reached.at(-1) ?? 200] : [200];
}

function lineName({ name }: Baseline, rounds: number): string {
  return name === conjugateGradientBaseline.name ? name : `${name}-${rounds}`;
}

function addLocal(
  lines: Map<string, Line>,
  { test, setting }: Draw,
  clients: readonly Client[],
  ridge: number,
  reducing: number,
): void {
  const kernels = reproducibleKernels();
  const begun = performance.now();
  const average = averagedFits(kernels, clients, ridge);
  const seconds = reducing + (performance.now() - begun) / 1000;
  const once = { down: ['weights'], up: ['weights'] };
  lines.set('Averaged local fits', {
    mse: mseOf(test, average),
    rounds: 1,
    traffic: trafficOf(once, setting.features, clients.length, 1),
    seconds,
  });
  lines.set('Local only', {
    mse: meanCell(localFits(kernels, clients, ridge).map((weights) => mseOf(test, weights))),
    rounds: 0,
    traffic: { up: 0, down: 0 },
    seconds,
  });
}
