import type { Report } from '../model/report.ts';
import { type NetworkPlan, planNetwork, valueCount } from '../network/network-plan.ts';
import { multiplications } from '../network/train.ts';
import { fullTraining } from '../network/training.ts';
import { digestJson } from '../study/digest.ts';
import type { TableStudy } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import { byClass, refuseWithoutClasses } from './class-layer.ts';
import { drawnLayers } from './drawn-layers.ts';
import { type FusionEntry, notUnderNoise, tableColumns, tableFusion } from './fusion-entry.ts';
import type { Method, Questions } from './method.ts';
import type { NetworkKind } from './network-kind.ts';
import { networkLayout, segmented } from './network-numbers.ts';
import { resolveNetworks } from './network-resolve.ts';
import { networkRounds } from './network-rounds.ts';
import { networkSchemas } from './network-schema.ts';
import { refuseLarge } from './network-size.ts';
import { type NetworkStudy, networkStudy } from './network-study.ts';
import { networkSummarizer } from './network-summary.ts';
import type { NetworkTerms } from './network-terms.ts';
import {
  leavesText,
  networkRemembers,
  networkSays,
  plainRidgeNote,
  whoSeesNetworks,
} from './network-text.ts';
import { startWeights } from './network-weights.ts';
import { impossibleNetwork } from './possible-networks.ts';

const questions: Questions = {
  none: {
    problem:
      'the sites sent networks, not sums of their columns: nothing but the report is available',
    remedy: 'ask for the report alone, or make a study with the ridge fusion, which is exact',
  },
};

/** The entry of one way to fuse networks. */
export function networkEntry<Terms extends NetworkTerms & { readonly kind: string }>(
  name: Terms['kind'],
  kindOf: (terms: Terms) => NetworkKind<Terms>,
): FusionEntry<Terms> {
  return tableFusion<Terms>({
    method(study, terms) {
      const own = kindOf(terms);
      return networkMethod(study, terms, terms.lastLayer === undefined ? own : byClass(own));
    },
    schema: (z: Zod) => networkSchemas[name](z),
    questions,
    underNoise: notUnderNoise(
      'networks: one row can change every weight of a training, by an amount that nobody can bound',
      'leave out privacy; or fit a ridge on fixed features, whose noise is known',
    ),
  });
}

function networkMethod<Terms extends NetworkTerms & { readonly kind: string }>(
  study: TableStudy,
  terms: Terms,
  kind: NetworkKind<Terms>,
): Method {
  const known = networkStudy(study, terms);
  const { design, plan, inputs, answers } = known;
  const { loss } = answers;
  kind.refuse?.(plan, terms, loss);
  if (terms.lastLayer !== undefined) refuseWithoutClasses(loss);
  if (terms.at !== undefined) startWeights(terms.at, plan);
  const { network } = terms;
  const segments = kind.segments(plan, terms);
  refuseLarge(plan, terms, segments, kind.sendsProducts === true);
  const layout = networkLayout(
    `network ${digestJson({ network, input: inputs.shape, outputs: plan.outputs })}`,
    segments,
  );
  const text = kind.text(terms);
  return {
    layout,
    rowsLayout: layout,
    columns: tableColumns(study, design),
    additive: 'sites',
    wholeFile: true,
    needsSites: kind.needs === 'sites',
    network: {
      multiplications: trainingWork(plan, terms),
      layers: (report) => drawnLayers(fusedPlan(known, report)),
      ...(loss === 'classes' ? { classes: design.classes[0].levels } : {}),
      ...(kind.sendsProducts && plan.layers[0].kind === 'dense'
        ? { products: valueCount(inputs.shape) }
        : {}),
    },
    questions,
    text: {
      method: text,
      learnt: text,
      notes: [plainRidgeNote],
      whoSees: whoSeesNetworks(study),
      leaves: leavesText(kind.leaves(plan, terms)),
      says: (summary) => networkSays(summary, plan),
      own: networkRemembers,
    },
    sections: ['network'],
    ...networkRounds(study, terms, known),
    summarize: (options) => networkSummarizer(known, layout, kind, terms, options),
    release: (sums) => sums,
    resolve: (collected) => resolveNetworks(collected, known, kind, terms),
    impossible: (sent) => impossibleNetwork(segmented(sent)),
  };
}

/** The plan of the network in a report: a fusion may have changed its widths. */
function fusedPlan({ inputs, plan }: NetworkStudy, { network }: Report): NetworkPlan {
  return network === undefined ? plan : planNetwork(network.network, inputs.shape, plan.outputs);
}

/** Multiplications for each value of the inputs: of all epochs, and of what is measured, about one more for each output. */
function trainingWork(plan: NetworkPlan, { training }: NetworkTerms): number {
  const passes = fullTraining(training).epochs + plan.outputs;
  return (passes * multiplications(plan)) / valueCount(plan.input);
}
