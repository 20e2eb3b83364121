import type { Conclusion, ExperimentResult, ReadingExperiment } from '../paper-result.ts';
import { paperStatement } from '../paper-result.ts';
import { type CellSetting, type FusionRun, fusedBy, trainedClients } from './fusion-run.ts';
import { fixedFeatures } from './fusion-table.ts';
import { fisherMatters } from './matters.ts';
import { type FusionMethodName, fusionMethodOf } from './methods.ts';
import { type FisherContext, type FisherSet, onImages } from './on-images.ts';
import { percentText, signedPoints } from './points-text.ts';
import { CLIENTS } from './table-two-run.ts';

const ALPHA = 0.1;
const ROUNDS = 5;
const methods: readonly FusionMethodName[] = [
  'average',
  'regmean',
  'diagonal',
  'kfac',
  'kfacPaper',
];
const fishers: readonly FusionMethodName[] = ['diagonal', 'kfac', 'kfacPaper'];

/** Accuracies after every round. */
interface Trajectory {
  readonly method: FusionMethodName;
  readonly accuracies: readonly number[];
}

interface RoundsRun {
  readonly of: FisherSet;
  readonly epochs: number;
  readonly seed: number;
  readonly trajectories: readonly Trajectory[];
  readonly ridge: number;
  readonly seconds: number;
}

/** Figure 2: the fused network goes back to the clients, which go on from it. */
export async function* roundsExperiment(of: FisherSet, context: FisherContext): ReadingExperiment {
  const begun = performance.now();
  const { plan } = context;
  const { seed } = plan;
  const epochs = Math.ceil(plan.epochs / 3);
  const { trajectories, ridge } = yield* onImages(
    of,
    context,
    ({ data, imageSeconds }) =>
      methods.length * ROUNDS * (imageSeconds * data.train.count * (epochs + 10) + 30),
    async (run) => {
      const found = methods.map((method) => trajectory(run, method, seed, epochs));
      const fixed = fixedFeatures(run, of.fixed.dimension, of.fixed.size);
      const [all, { accuracy }] = await Promise.all([Promise.all(found), fixed]);
      return { trajectories: all, ridge: accuracy };
    },
  );
  const seconds = (performance.now() - begun) / 1000;
  return roundsResult({ of, epochs, seed, trajectories, ridge, seconds });
}

async function trajectory(
  run: FusionRun,
  method: FusionMethodName,
  seed: number,
  epochs: number,
): Promise<Trajectory> {
  const accuracies: number[] = [];
  let start: CellSetting['start'];
  for (let round = 1; round <= ROUNDS; round++) {
    const setting: CellSetting = {
      ...{ alpha: ALPHA, clients: CLIENTS, epochs, seed },
      ...(start !== undefined && { start }),
      hasFisher: round === 1 || method !== 'average',
    };
    const clients = await trainedClients(run, setting);
    const { accuracy, weights } = await fusedBy(run, setting, clients, method);
    accuracies.push(accuracy);
    start = { name: `${method}-round${round}`, weights };
  }
  return { method, accuracies };
}

function roundsResult(run: RoundsRun): ExperimentResult {
  const { epochs, trajectories, ridge, seconds } = run;
  const rounds = Array.from({ length: ROUNDS }, (_, k) => k + 1);
  return {
    id: 'rounds',
    title: 'Figure 2: five rounds',
    about: `${run.of.set.name}, α = ${ALPHA}, ${CLIENTS} clients, one seed (${run.seed}), ${epochs} epochs a round where the paper has 30. In each round the clients go on from the fused network and compute their Fisher information anew. In FedFisher’s published code rounds do not go on from each other, so the figure cannot come from it as it is.`,
    seconds,
    tables: [
      {
        id: 'rounds',
        title: `Accuracy on the test images of ${run.of.set.name} by round, in %`,
        of: 'method',
        columns: rounds.map((round) => ({ label: `round ${round}` })),
        rows: [
          ...trajectories.map(({ method, accuracies }) => ({
            label: fusionMethodOf(method).label,
            cells: accuracies.map((share) => ({ measured: { mean: 100 * share, count: 1 } })),
          })),
          {
            label: 'exact ridge on fixed features, one contact',
            cells: [{ measured: { mean: 100 * ridge, count: 1 } }],
          },
        ],
      },
    ],
    figures: [
      {
        id: '2',
        title: 'Figure 2: accuracy by round',
        kind: 'lines',
        x: { label: 'round' },
        y: { label: 'accuracy in %' },
        series: [
          ...trajectories.map(({ method, accuracies }) => ({
            name: fusionMethodOf(method).label,
            role: 'other' as const,
            points: accuracies.map((share, k) => ({ x: k + 1, y: 100 * share })),
          })),
          {
            name: 'ridge, one contact',
            role: 'exact',
            points: rounds.map((x) => ({ x, y: 100 * ridge })),
          },
        ],
      },
    ],
    differences: [],
    conclusions: roundsClaims(trajectories),
  };
}

function roundsClaims(trajectories: readonly Trajectory[]): Conclusion[] {
  const gains = trajectories.map(({ method, accuracies }) => ({
    method,
    gain: 100 * (accuracies.at(-1)! - accuracies[0]!),
    last: 100 * accuracies.at(-1)!,
  }));
  const gainsText = gains
    .map(
      ({ method, gain, last }) =>
        `${fusionMethodOf(method).label} ${signedPoints(gain)} to ${percentText(last)}`,
    )
    .join(', ');
  const mean = gains.reduce((sum, { gain }) => sum + gain, 0) / gains.length;
  const most = gains.reduce((best, one) => (one.last > best.last ? one : best));
  const grown = gains.reduce((best, one) => (one.gain > best.gain ? one : best));
  return [
    paperStatement({
      matter: fisherMatters.rounds,
      where: '§5.2, Figure 2',
      claim:
        'while the use of multiple rounds improves the performance of all algorithms, FedFisher variants continue to show the greatest improvement',
      readings: [
        {
          as: 'all improve, and a FedFisher variant gains most from the first round to the fifth',
          holds: gains.every(({ gain }) => gain > 0) && fishers.includes(grown.method),
          because: gainsText,
        },
        {
          as: 'all improve, and a FedFisher variant is the best after the fifth round',
          holds: gains.every(({ gain }) => gain > 0) && fishers.includes(most.method),
          because: `the best is ${fusionMethodOf(most.method).label}, ${percentText(most.last)}`,
        },
      ],
      because: 'One seed. DENSE and FisherMerge were not run over rounds.',
    }),
    {
      of: 'ours',
      claim: `Five rounds improve on one, in the mean over ${gains.length} methods`,
      holds: mean > 0,
      because: `${signedPoints(mean)} points: ${gainsText}`,
    },
  ];
}
