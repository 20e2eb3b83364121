import type { ExperimentResult, ReadingExperiment, ResultFigure } from '../paper-result.ts';
import { paperStatement } from '../paper-result.ts';
import { type CellOutcome, cellOutcome, fixedFeatures } from './fusion-table.ts';
import { fisherMatters } from './matters.ts';
import { type FusionMethodName, fusionMethodOf } from './methods.ts';
import { type FisherContext, type FisherSet, onImages } from './on-images.ts';
import { type FisherPlan, trialSeeds } from './plan.ts';
import { meanPercent, percentSpread, signedPoints } from './points-text.ts';

const ALPHA = 0.3;
const counts = [10, 20, 30] as const;
const baselines: readonly FusionMethodName[] = ['average', 'otfusion', 'pfnm', 'regmean', 'merge'];
const fishers: readonly FusionMethodName[] = ['diagonalPaper', 'kfacPaper', 'kfac'];
const methods: readonly FusionMethodName[] = [...baselines, ...fishers];

interface ClientsRun {
  readonly of: FisherSet;
  readonly plan: FisherPlan;
  readonly cells: readonly CellOutcome[];
  readonly ridge: number;
  readonly seconds: number;
}

/** Figure 3: more clients, each with fewer images. */
export async function* clientsExperiment(of: FisherSet, context: FisherContext): ReadingExperiment {
  const begun = performance.now();
  const { plan } = context;
  const seeds = trialSeeds(plan);
  const { cells, ridge } = yield* onImages(
    of,
    context,
    ({ data, imageSeconds }) =>
      counts.length * seeds.length * (imageSeconds * data.train.count * (plan.epochs + 10) + 400),
    async (run) => {
      const found = counts.flatMap((clients) =>
        seeds.map((seed) =>
          cellOutcome(run, { alpha: ALPHA, clients, seed, epochs: plan.epochs }, { methods }),
        ),
      );
      const fixed = fixedFeatures(run, of.fixed.dimension, of.fixed.size);
      const [outcomes, { accuracy }] = await Promise.all([Promise.all(found), fixed]);
      return { cells: outcomes, ridge: accuracy };
    },
  );
  return clientsResult({ of, plan, cells, ridge, seconds: (performance.now() - begun) / 1000 });
}

function clientsResult(run: ClientsRun): ExperimentResult {
  const { plan, cells, ridge, seconds } = run;
  const accuraciesAt = (clients: number, name: FusionMethodName) =>
    cells.filter((cell) => cell.clients === clients).map(({ fused }) => fused[name]!);
  return {
    id: 'clients',
    title: 'Figure 3: 10, 20 and 30 clients',
    about: `${run.of.set.name}, α = ${ALPHA}, ${plan.epochs} epochs, ${plan.trials} ${plan.trials === 1 ? 'seed' : 'seeds'} (the paper has 5). All images are divided among the clients, so each has fewer of them. The figure of the paper has no numbers that could be printed here.`,
    seconds,
    tables: [
      {
        id: 'clients',
        title: `Accuracy on the test images of ${run.of.set.name} by clients, in %`,
        of: 'method',
        columns: counts.map((clients) => ({ label: `M = ${clients}` })),
        rows: [
          ...methods.map((name) => ({
            label: fusionMethodOf(name).label,
            cells: counts.map((clients) => ({
              measured: percentSpread(accuraciesAt(clients, name)),
            })),
          })),
          {
            label: 'exact ridge on fixed features',
            cells: counts.map(() => ({ measured: { mean: 100 * ridge, count: 1 } })),
          },
        ],
      },
    ],
    figures: [clientsFigure(run)],
    differences: [],
    conclusions: [
      paperStatement({
        matter: fisherMatters.clients,
        where: '§5.2, Figure 3',
        claim:
          'FedFisher(K-FAC) continues to outperform baselines across different M with up to 10% improvement in some cases',
        readings: (['kfacPaper', 'kfac'] as const).map((name) => {
          const gaps = counts.map((clients) => {
            const rivals = baselines.map((one) => meanPercent(accuraciesAt(clients, one)));
            return meanPercent(accuraciesAt(clients, name)) - Math.max(...rivals);
          });
          return {
            as: `${fusionMethodOf(name).label}, against the best baseline`,
            holds: gaps.every((gap) => gap > 0),
            because: gaps.map((gap, k) => `${signedPoints(gap)} at M = ${counts[k]}`).join(', '),
          };
        }),
        because: 'Points of accuracy, means over the seeds. DENSE was not run.',
      }),
    ],
  };
}

function clientsFigure({ cells, ridge }: ClientsRun): ResultFigure {
  return {
    id: '3',
    title: 'Figure 3: accuracy by number of clients, means',
    kind: 'lines',
    x: { label: 'clients M' },
    y: { label: 'accuracy in %' },
    series: [
      ...(['average', 'regmean', 'pfnm', 'kfacPaper', 'kfac'] as const).map((name) => ({
        name: fusionMethodOf(name).label,
        role: 'other' as const,
        points: counts.map((clients) => ({
          x: clients,
          y: meanPercent(
            cells.filter((cell) => cell.clients === clients).map(({ fused }) => fused[name]!),
          ),
        })),
      })),
      {
        name: 'ridge, fixed features',
        role: 'exact' as const,
        points: counts.map((clients) => ({ x: clients, y: 100 * ridge })),
      },
    ],
  };
}
