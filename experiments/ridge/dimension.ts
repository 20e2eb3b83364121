import { fedAvg } from '../baselines/fed-avg.ts';
import { plainSeconds } from '../baselines/plain-seconds.ts';
import { trajectory } from '../baselines/trajectory.ts';
import { bothWays, trafficOf } from '../baselines/wire.ts';
import type { Experiment, ExperimentResult } from '../paper-result.ts';
import { cell, meanCell, printedSeries, series, shown, trialsText } from './cells.ts';
import {
  type DimensionFound,
  dimensionStatements,
  TABLE_FOUR_ROUNDS,
  tableFour,
} from './dimension-statements.ts';
import { clientsOneByOne, drawnSiteBySite } from './draw.ts';
import { oneShotExperiment, ridgeStudy } from './exact.ts';
import { exactPair } from './exact-pair.ts';
import { type RidgePlan, seedsOf, settingOf } from './plan.ts';
import { sameBits } from './same-bits.ts';
import { mseOf } from './test-loss.ts';
import { progressPart } from './work.ts';

const TRIALS = 3;

/** Experiment 3: Table IV and Figure 2. */
export function* dimension(plan: RidgePlan): Experiment {
  const begun = performance.now();
  const dimensions = tableFour.dimensions.filter((d) => !plan.quick || d <= 100);
  const seeds = seedsOf(plan, TRIALS);
  const bits = sameBits();
  const found = dimensions.map((): DimensionFound[] => []);
  // The work grows with the square of the dimension.
  const costs = dimensions.map((d) => d * d);
  const whole = costs.reduce((sum, cost) => sum + cost, 0) * seeds.length;
  let done = 0;
  for (const [i, d] of dimensions.entries()) {
    for (const [t, seed] of seeds.entries()) {
      const at = (share: number) => (done + share * costs[i]!) / whole;
      const what = `dimension d = ${d}, trial ${t + 1} of ${seeds.length}`;
      yield { done: at(0), what };
      const setting = { ...settingOf(plan), features: d };
      const draw = yield* progressPart([at(0), at(0.1)], what, drawnSiteBySite(setting, seed));
      const pair = yield* progressPart([at(0.1), at(0.4)], what, exactPair(draw, plan.ridge));
      bits.compare(pair.fused, pair.central);
      const study = ridgeStudy(draw.setting, plan.ridge, { arithmetic: 'compact' });
      const small = yield* progressPart(
        [at(0.4), at(0.5)],
        what,
        oneShotExperiment(study, draw.sites),
      );
      const reduced = yield* progressPart([at(0.5), at(0.6)], what, clientsOneByOne(draw));
      const { clients, seconds: reducing } = reduced;
      const run = trajectory(fedAvg(), clients, plan.ridge, {
        rounds: TABLE_FOUR_ROUNDS,
        look: () => 0,
      });
      const { weights, seconds } = yield* progressPart([at(0.6), at(1)], `${what}, FedAvg`, run);
      found[i]!.push({
        sites: draw.sites.length,
        mse: pair.fused.mse,
        exact: pair.fused.traffic,
        compact: small.traffic,
        fedAvg: trafficOf(fedAvg(), d, draw.sites.length, TABLE_FOUR_ROUNDS),
        fedAvgMse: mseOf(draw.test, weights),
        seconds: pair.fused.seconds,
        fedAvgSeconds: reducing + seconds.at(-1)!,
        plain: plainSeconds(draw.sites, plan.ridge),
      });
      done += costs[i]!;
    }
  }
  return resultOf(plan, begun, dimensions, found, [bits.conclusion()]);
}

function resultOf(
  plan: RidgePlan,
  begun: number,
  dimensions: readonly number[],
  found: readonly (readonly DimensionFound[])[],
  bits: ExperimentResult['conclusions'],
): ExperimentResult {
  const of = (i: number, value: (trial: DimensionFound) => number) => found[i]!.map(value);
  const perClient = (i: number, value: (trial: DimensionFound) => number) =>
    of(i, (trial) => value(trial) / plan.sites);
  const ratio = (i: number, kind: 'exact' | 'compact') =>
    of(i, (trial) => trial.fedAvg.up / trial[kind].up);
  const twoWays = (i: number, kind: 'exact' | 'compact') =>
    of(i, (trial) => bothWays(trial.fedAvg) / bothWays(trial[kind]));
  const numbers = (d: number) => (TABLE_FOUR_ROUNDS * d) / ((d * (d + 1)) / 2 + d);
  const curve = (value: (trial: DimensionFound) => number) =>
    dimensions.map((_, i) => of(i, value));
  const last = dimensions.length - 1;
  const plainRounds = (f: DimensionFound) => TABLE_FOUR_ROUNDS * f.plain.round;
  return {
    id: '3',
    title: 'Communication and computation by dimension',
    about: `d from ${dimensions[0]} to ${dimensions[last]}, K = ${plan.sites}, nₖ = ${plan.rowsPerSite}, ${trialsText(found[0]!.length)} (at most ${TRIALS}: bytes do not vary). Bytes are of encoded messages, signed contributions of 16 bytes an entry (exact) or 8 (compact). Table IV mixes units: its One-Shot column is one client’s full d² matrix, its FedAvg column the uploads of all 20 clients. Here every byte column is one client’s upload.`,
    seconds: (performance.now() - begun) / 1000,
    tables: [
      {
        id: 'IV',
        title: `Upload of one client, FedAvg with ${TABLE_FOUR_ROUNDS} rounds`,
        of: 'd',
        columns: [
          { label: 'One-Shot', form: 'bytes' },
          { label: 'One-Shot, compact', form: 'bytes' },
          { label: `FedAvg-${TABLE_FOUR_ROUNDS}`, form: 'bytes' },
          { label: 'FedAvg / One-Shot', form: 'ratio' },
          { label: 'FedAvg / compact', form: 'ratio' },
          { label: 'the same, both ways', form: 'ratio' },
        ],
        rows: dimensions.map((d, i) => ({
          label: String(d),
          cells: [
            cell(
              perClient(i, (f) => f.exact.up),
              `${tableFour.oneShot[i]} MB`,
            ),
            cell(perClient(i, (f) => f.compact.up)),
            cell(
              perClient(i, (f) => f.fedAvg.up),
              `${tableFour.fedAvg[i]} MB (20 clients)`,
            ),
            cell(ratio(i, 'exact'), tableFour.ratio[i]!),
            cell(ratio(i, 'compact')),
            cell(twoWays(i, 'compact')),
          ],
        })),
      },
      {
        id: 'time',
        title:
          'Test MSE and seconds of all parties, one after the other: in plain float64, and with exact sums and checks beside clients that keep their Gram',
        of: 'd',
        columns: [
          { label: 'One-Shot MSE' },
          { label: `FedAvg-${TABLE_FOUR_ROUNDS} MSE` },
          { label: 'One-Shot, plain', form: 'seconds' },
          { label: `FedAvg-${TABLE_FOUR_ROUNDS}, over the rows`, form: 'seconds' },
          { label: 'One-Shot, exact', form: 'seconds' },
          { label: `FedAvg-${TABLE_FOUR_ROUNDS}, by Gram`, form: 'seconds' },
        ],
        rows: dimensions.map((d, i) => ({
          label: String(d),
          cells: [
            cell(of(i, (f) => f.mse)),
            cell(of(i, (f) => f.fedAvgMse)),
            cell(of(i, (f) => f.plain.oneShot)),
            cell(of(i, plainRounds)),
            cell(of(i, (f) => f.seconds)),
            cell(of(i, (f) => f.fedAvgSeconds)),
          ],
        })),
      },
    ],
    figures: [
      {
        id: '2a',
        title: 'Bytes of all clients, both ways',
        kind: 'lines',
        x: { label: 'd', log: true },
        y: { label: 'bytes', log: true },
        series: [
          series(
            `FedAvg-${TABLE_FOUR_ROUNDS}`,
            'other',
            dimensions,
            curve((f) => bothWays(f.fedAvg)),
          ),
          series(
            'One-Shot, compact',
            'other',
            dimensions,
            curve((f) => bothWays(f.compact)),
          ),
          series(
            'One-Shot',
            'exact',
            dimensions,
            curve((f) => bothWays(f.exact)),
          ),
          printedSeries(
            'FedAvg-200',
            dimensions,
            tableFour.fedAvg.map((mb) => mb * 1e6),
          ),
          printedSeries(
            'One-Shot (one client)',
            dimensions,
            tableFour.oneShot.map((mb) => mb * 1e6),
          ),
        ],
      },
      {
        id: '2b',
        title: 'Seconds of all parties, plain float64',
        kind: 'lines',
        x: { label: 'd', log: true },
        y: { label: 'seconds', log: true },
        series: [
          series(`FedAvg-${TABLE_FOUR_ROUNDS}`, 'other', dimensions, curve(plainRounds)),
          series(
            'One-Shot',
            'exact',
            dimensions,
            curve((f) => f.plain.oneShot),
          ),
        ],
      },
    ],
    differences: [
      `Like for like, one client’s upload at d = ${dimensions[0]} is ${shown(meanCell(ratio(0, 'compact')))} times smaller than FedAvg-${TABLE_FOUR_ROUNDS}’s with 8 bytes an entry and ${shown(meanCell(ratio(0, 'exact')))} times with 16; by counting numbers it is ${shown(numbers(dimensions[0]!))}. The printed 80× divides the bytes of 20 clients by those of one.`,
      `At d = ${dimensions[last]} the ratio is ${shown(meanCell(ratio(last, 'compact')))} (compact) and ${shown(meanCell(ratio(last, 'exact')))} (exact); printed are ${tableFour.ratio[last]}.`,
      `With exact sums, checks and standard errors our One-Shot takes ${shown(meanCell(of(last, (f) => f.seconds)))} s at d = ${dimensions[last]}, and a FedAvg-${TABLE_FOUR_ROUNDS} whose clients keep their Gram ${shown(meanCell(of(last, (f) => f.fedAvgSeconds)))} s.`,
      `Against FedAvg-${TABLE_FOUR_ROUNDS} the most that is saved both ways is ${shown(Math.max(...dimensions.map((_, i) => meanCell(twoWays(i, 'compact')))))} times, 8 bytes an entry; the abstract’s 38× is reached against FedAvg-500.`,
    ],
    conclusions: [...dimensionStatements(dimensions, found), ...bits],
  };
}
