import type { Experiment, ReadingExperiment } from '../paper-result.ts';
import { clientsExperiment } from './clients-experiment.ts';
import { compressionExperiment } from './compression-experiment.ts';
import { inversionExperiment } from './inversion.ts';
import { type FisherContext, type FisherSet, fisherSets } from './on-images.ts';
import { pretrainedExperiment } from './pretrained-experiment.ts';
import { roundsExperiment } from './rounds-experiment.ts';
import { tableTwoExperiment } from './table-two.ts';
import { theoryExperiment } from './theory.ts';
import { timeExperiment } from './time.ts';

export interface NamedFisherExperiment {
  readonly title: string;
  /** Whether it runs only when it is named: it takes hours. */
  readonly isLong?: boolean;
  run(context: FisherContext): Experiment | ReadingExperiment;
}

/** An experiment of Fashion-MNIST alone. */
const onFashion =
  (run: (of: FisherSet, context: FisherContext) => ReadingExperiment) =>
  (context: FisherContext): ReadingExperiment =>
    run(fisherSets.fashion, context);

/** Every experiment on fused networks, by its own name. */
export const fisherExperiments: Readonly<Record<string, NamedFisherExperiment>> = {
  theory: {
    title: 'Figure 1: two-layer networks, the full Fisher',
    run: ({ plan }) => theoryExperiment(plan),
  },
  time: { title: 'Table 1: extra time of the Fisher information', run: onFashion(timeExperiment) },
  fashion: {
    title: 'Table 2: Fashion-MNIST',
    run: (context) => tableTwoExperiment('fashion', fisherSets.fashion, context),
  },
  pretrained: { title: 'Table 3’s setting: a public half', run: onFashion(pretrainedExperiment) },
  compression: { title: 'Tables 4 and 5: compression', run: onFashion(compressionExperiment) },
  rounds: { title: 'Figure 2: five rounds', run: onFashion(roundsExperiment) },
  clients: { title: 'Figure 3: 10, 20 and 30 clients', run: onFashion(clientsExperiment) },
  inversion: {
    title: 'Table 6 and Figure 4: inversion attacks on MNIST',
    run: ({ plan }) => inversionExperiment(plan),
  },
  cifar: {
    title: 'Table 2: CIFAR-10',
    isLong: true,
    run: (context) => tableTwoExperiment('cifar', fisherSets.cifar, context),
  },
};
