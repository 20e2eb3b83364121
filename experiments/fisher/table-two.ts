import { fullTraining } from '../../src/network/training.ts';
import type { ReadingExperiment } from '../paper-result.ts';
import { computed, type FusionRun, firstWeights, fuseSeconds } from './fusion-run.ts';
import { cellOutcome, fixedFeatures } from './fusion-table.ts';
import { type FisherContext, type FisherSet, onImages, THREADS } from './on-images.ts';
import { trialSeeds } from './plan.ts';
import { everyRow } from './shared-images.ts';
import { tableTwoResult } from './table-two-result.ts';
import { CLIENTS, repairedMethods, tableAlphas } from './table-two-run.ts';

/** Table 2: clients trained once for each α and seed, and fused by every method. */
export async function* tableTwoExperiment(
  id: string,
  of: FisherSet,
  context: FisherContext,
): ReadingExperiment {
  const { plan } = context;
  const seeds = trialSeeds(plan);
  const secondsOf = (run: FusionRun) => {
    const images = run.imageSeconds * run.data.train.count;
    const fusing = of.methods.reduce((sum, method) => sum + fuseSeconds(run, method), 0);
    const cells = tableAlphas.length * seeds.length;
    return cells * (images * (plan.epochs + 12) + fusing) + images * (plan.epochs + 4);
  };
  const done = yield* onImages(of, context, secondsOf, async (run) => {
    const cells = tableAlphas.flatMap((alpha) =>
      seeds.map((seed) =>
        cellOutcome(
          run,
          { alpha, clients: CLIENTS, seed, epochs: plan.epochs },
          { methods: of.methods, repairs: repairedMethods, hasLocal: true },
        ),
      ),
    );
    const fixed = fixedFeatures(run, of.fixed.dimension, of.fixed.size);
    const central = centralAccuracy(run, seeds[0]!, plan.epochs);
    const images = { train: run.data.train.count, test: run.data.test.count };
    const [outcomes, ridge, accuracy] = await Promise.all([Promise.all(cells), fixed, central]);
    const seconds = run.load.spent() / THREADS;
    return { images, cells: outcomes, fixed: ridge, central: accuracy, seconds };
  });
  return tableTwoResult({ ...done, id, of, plan });
}

/** One network trained on all images. */
async function centralAccuracy(run: FusionRun, seed: number, epochs: number): Promise<number> {
  const { network, isAugmented, data } = run;
  const rows = everyRow(data.train);
  const model = await computed(
    run,
    `central-s${seed}-e${epochs}`,
    ['all images', run.imageSeconds * rows.length * epochs],
    'train',
    {
      ...{ network, rows, isAugmented, hasFisher: false },
      start: firstWeights(run, seed),
      training: fullTraining({ epochs, seed }),
    },
  );
  const { weights } = model;
  return computed(
    run,
    `central-s${seed}-e${epochs}-test`,
    ['all images, test', fuseSeconds(run, 'average')],
    'accuracy',
    { network, weights },
  );
}
