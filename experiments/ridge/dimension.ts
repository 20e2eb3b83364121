import { fedAvg } from '../baselines/fed-avg.ts';
import { type PlainSeconds, plainSeconds } from '../baselines/plain-seconds.ts';
import { trajectory } from '../baselines/trajectory.ts';
import { bothWays, trafficOf, type WireTraffic } from '../baselines/wire.ts';
import {
  type Experiment,
  type ExperimentResult,
  type PaperStatement,
  paperStatement,
  type StatementReading,
} from '../paper-result.ts';
import { cell, meanCell, printedSeries, reaches, series, shown, trialsText } from './cells.ts';
import { clientsOneByOne, drawnSiteBySite } from './draw.ts';
import { oneShotExperiment, ridgeStudy } from './exact.ts';
import { exactPair } from './exact-pair.ts';
import { type RidgePlan, seedsOf, settingOf } from './plan.ts';
import { plainReading, ridgeMatters, speedRemark } from './readings.ts';
import { sameBits } from './same-bits.ts';
import { mseOf } from './test-loss.ts';
import { progressPart } from './work.ts';

/** Table IV as printed: One-Shot is one client’s full G, FedAvg-200 is 20 clients’ uploads. */
const printed = {
  dimensions: [50, 100, 200, 400],
  oneShot: [0.02, 0.08, 0.32, 1.28],
  fedAvg: [1.6, 3.2, 6.4, 12.8],
  ratio: ['80×', '40×', '20×', '10×'],
} as const;

const ROUNDS = 200;
const TRIALS = 3;

/** Measurements at one dimension in one trial; bytes are those of all clients. */
interface Found {
  readonly sites: number;
  readonly mse: number;
  readonly exact: WireTraffic;
  readonly compact: WireTraffic;
  readonly fedAvg: WireTraffic;
  readonly fedAvgMse: number;
  readonly seconds: number;
  readonly fedAvgSeconds: number;
  readonly plain: PlainSeconds;
}

/** Experiment 3: Table IV and Figure 2. */
export function* dimension(plan: RidgePlan): Experiment {
  const begun = performance.now();
  const dimensions = printed.dimensions.filter((d) => !plan.quick || d <= 200);
  const seeds = seedsOf(plan, TRIALS);
  const bits = sameBits();
  const found = dimensions.map((): Found[] => []);
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
      const run = trajectory(fedAvg(), clients, plan.ridge, { rounds: ROUNDS, look: () => 0 });
      const { weights, seconds } = yield* progressPart([at(0.6), at(1)], `${what}, FedAvg`, run);
      found[i]!.push({
        sites: draw.sites.length,
        mse: pair.fused.mse,
        exact: pair.fused.traffic,
        compact: small.traffic,
        fedAvg: trafficOf(fedAvg(), d, draw.sites.length, ROUNDS),
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
  found: readonly (readonly Found[])[],
  bits: ExperimentResult['conclusions'],
): ExperimentResult {
  const of = (i: number, value: (trial: Found) => number) => found[i]!.map(value);
  const perClient = (i: number, value: (trial: Found) => number) =>
    of(i, (trial) => value(trial) / plan.sites);
  const ratio = (i: number, kind: 'exact' | 'compact') =>
    of(i, (trial) => trial.fedAvg.up / trial[kind].up);
  const twoWays = (i: number, kind: 'exact' | 'compact') =>
    of(i, (trial) => bothWays(trial.fedAvg) / bothWays(trial[kind]));
  const numbers = (d: number) => (ROUNDS * d) / ((d * (d + 1)) / 2 + d);
  const curve = (value: (trial: Found) => number) => dimensions.map((_, i) => of(i, value));
  const last = dimensions.length - 1;
  const plainRounds = (f: Found) => ROUNDS * f.plain.round;
  const faster = (i: number) =>
    meanCell(of(i, plainRounds)) / meanCell(of(i, (f) => f.plain.oneShot));
  return {
    id: '3',
    title: 'Communication and computation by dimension',
    about: `d from ${dimensions[0]} to ${dimensions[last]}, K = ${plan.sites}, nₖ = ${plan.rowsPerSite}, ${trialsText(found[0]!.length)} (at most ${TRIALS}: bytes do not vary). Bytes are of encoded messages, signed contributions of 16 bytes an entry (exact) or 8 (compact). Table IV mixes units: its One-Shot column is one client’s full d² matrix, its FedAvg column the uploads of all 20 clients. Here every byte column is one client’s upload.`,
    seconds: (performance.now() - begun) / 1000,
    tables: [
      {
        id: 'IV',
        title: `Upload of one client, FedAvg with ${ROUNDS} rounds`,
        of: 'd',
        columns: [
          { label: 'One-Shot', form: 'bytes' },
          { label: 'One-Shot, compact', form: 'bytes' },
          { label: `FedAvg-${ROUNDS}`, form: 'bytes' },
          { label: 'FedAvg / One-Shot', form: 'ratio' },
          { label: 'FedAvg / compact', form: 'ratio' },
          { label: 'the same, both ways', form: 'ratio' },
        ],
        rows: dimensions.map((d, i) => ({
          label: String(d),
          cells: [
            cell(
              perClient(i, (f) => f.exact.up),
              `${printed.oneShot[i]} MB`,
            ),
            cell(perClient(i, (f) => f.compact.up)),
            cell(
              perClient(i, (f) => f.fedAvg.up),
              `${printed.fedAvg[i]} MB (20 clients)`,
            ),
            cell(ratio(i, 'exact'), printed.ratio[i]!),
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
          { label: `FedAvg-${ROUNDS} MSE` },
          { label: 'One-Shot, plain', form: 'seconds' },
          { label: `FedAvg-${ROUNDS}, over the rows`, form: 'seconds' },
          { label: 'One-Shot, exact', form: 'seconds' },
          { label: `FedAvg-${ROUNDS}, by Gram`, form: 'seconds' },
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
            `FedAvg-${ROUNDS}`,
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
            printed.fedAvg.map((mb) => mb * 1e6),
          ),
          printedSeries(
            'One-Shot (one client)',
            dimensions,
            printed.oneShot.map((mb) => mb * 1e6),
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
          series(`FedAvg-${ROUNDS}`, 'other', dimensions, curve(plainRounds)),
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
      `Like for like, one client’s upload at d = ${dimensions[0]} is ${shown(meanCell(ratio(0, 'compact')))} times smaller than FedAvg-${ROUNDS}’s with 8 bytes an entry and ${shown(meanCell(ratio(0, 'exact')))} times with 16; by counting numbers it is ${shown(numbers(dimensions[0]!))}. The printed 80× divides the bytes of 20 clients by those of one.`,
      `At d = ${dimensions[last]} the ratio is ${shown(meanCell(ratio(last, 'compact')))} (compact) and ${shown(meanCell(ratio(last, 'exact')))} (exact); printed are ${printed.ratio[last]}.`,
      `With exact sums, checks and standard errors our One-Shot takes ${shown(meanCell(of(last, (f) => f.seconds)))} s at d = ${dimensions[last]}, and a FedAvg-${ROUNDS} whose clients keep their Gram ${shown(meanCell(of(last, (f) => f.fedAvgSeconds)))} s.`,
      `Against FedAvg-${ROUNDS} the most that is saved both ways is ${shown(Math.max(...dimensions.map((_, i) => meanCell(twoWays(i, 'compact')))))} times, 8 bytes an entry; the abstract’s 38× is reached against FedAvg-500.`,
    ],
    conclusions: [
      savingStatement(dimensions, found),
      paperStatement({
        matter: ridgeMatters.speed,
        where: '§V-D',
        claim: 'The ratio exceeds 10× across all settings.',
        readings: [
          {
            as: plainReading,
            holds: dimensions.every((_, i) => faster(i) > 10),
            because: dimensions.map((d, i) => `${shown(faster(i), 2)}× at d = ${d}`).join(', '),
          },
        ],
        because: speedRemark,
      }),
      ...tableFourStatements(dimensions, ratio, twoWays),
      ...bits,
    ],
  };
}

/** Most rounds in the paper: FedAvg-500 of Table II. */
const MOST_ROUNDS = 500;

/** The abstract names neither d nor R: “up to” is the most over the paper's own. */
function savingStatement(
  dimensions: readonly number[],
  found: readonly (readonly Found[])[],
): PaperStatement {
  const counted = dimensions.map((d) => (2 * MOST_ROUNDS * d) / ((d * (d + 1)) / 2 + 2 * d));
  const sent = dimensions.map((d, i) => {
    const rounds = bothWays(trafficOf(fedAvg(), d, 1, MOST_ROUNDS));
    const sites = found[i]![0]!.sites;
    return meanCell(found[i]!.map(({ compact }) => (sites * rounds) / bothWays(compact)));
  });
  const reading = (as: string, times: readonly number[]): StatementReading => ({
    as,
    holds: reaches(Math.max(...times), 38),
    because: dimensions.map((d, i) => `${shown(times[i]!)}× at d = ${d}`).join(', '),
  });
  return paperStatement({
    matter: ridgeMatters.saving,
    where: 'Abstract',
    claim: 'one-shot fusion matches FedAvg accuracy while requiring up to 38× less communication',
    readings: [
      reading(`against FedAvg-${MOST_ROUNDS}, both ways, numbers counted`, counted),
      reading(`against FedAvg-${MOST_ROUNDS}, both ways, our bytes, 8 an entry`, sent),
    ],
    because: `“Up to” is taken over the paper’s own settings, d from 50 to 400 and up to ${MOST_ROUNDS} rounds.`,
  });
}

function tableFourStatements(
  dimensions: readonly number[],
  up: (i: number, kind: 'compact') => number[],
  twoWays: (i: number, kind: 'compact') => number[],
): PaperStatement[] {
  const listed = (times: (i: number) => number) =>
    dimensions.map((d, i) => `${shown(times(i))}× at d = ${d}`).join(', ');
  const reading = (as: string, times: (i: number) => number): StatementReading => ({
    as,
    holds: dimensions.every((_, i) => reaches(times(i), Number.parseFloat(printed.ratio[i]!))),
    because: listed(times),
  });
  const numbers = (d: number) => (d * (d + 1)) / 2 + d;
  const quotes = [
    [
      '§V-D, Table IV',
      'd = 50, One-Shot requires only 0.02 MB versus FedAvg’s 1.60 MB—an 80× reduction.',
    ],
    ['§V-I', '10–80× reduction versus FedAvg depending on dimension'],
  ] as const;
  const readings = [
    reading('one client’s upload, numbers counted (Theorem 4)', (i) => {
      const d = dimensions[i]!;
      return (ROUNDS * d) / numbers(d);
    }),
    reading('one client both ways, numbers counted (Corollary 2)', (i) => {
      const d = dimensions[i]!;
      return (2 * ROUNDS * d) / (numbers(d) + d);
    }),
    reading('one client’s upload, our bytes, 8 an entry', (i) => meanCell(up(i, 'compact'))),
    reading('one client both ways, our bytes, 8 an entry', (i) => meanCell(twoWays(i, 'compact'))),
  ];
  return quotes.map(([where, claim]) =>
    paperStatement({
      matter: ridgeMatters.tableFour,
      where,
      claim,
      readings,
      because:
        'The table’s two columns are in different units: 0.02 MB is one client’s full d × d matrix, 1.60 MB the uploads of all 20 clients. Theorem 4 and Corollary 2 give the ratios above.',
    }),
  );
}
