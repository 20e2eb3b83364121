import { DataError } from '../data-error.ts';
import { createDesign, type Design } from '../features/design.ts';
import { type NetworkAnswers, networkAnswers } from '../features/network-answers.ts';
import { type NetworkInputs, networkInputs } from '../features/network-inputs.ts';
import { withFeatures } from '../features/study-design.ts';
import { type NetworkPlan, planNetwork, valueCount } from '../network/network-plan.ts';
import { parseFormula } from '../study/formula.ts';
import type { TableStudy } from '../study/study.ts';
import type { NetworkTerms } from './network-terms.ts';
import { refuseOffset } from './refuse-offset.ts';

/** What follows from a study that trains a network. */
export interface NetworkStudy {
  readonly design: Design;
  readonly inputs: NetworkInputs;
  readonly plan: NetworkPlan;
  readonly answers: NetworkAnswers;
}

/** The network of a study: its inputs are the formula's columns, its outputs the classes or responses. */
export function networkStudy(study: TableStudy, { network }: NetworkTerms): NetworkStudy {
  const { formula, codebook, weights, features = [] } = study;
  if (weights !== undefined) throw refused('weighted rows', 'leave the weights out', weights);
  if (features.length > 0) throw refused('a feature map', 'leave the features out');
  const plain = createDesign(parseFormula(formula), codebook, { coding: 'one-hot' });
  refuseOffset(plain, 'a network');
  const design = withFeatures(plain, study);
  const inputs = networkInputs(design, network);
  if (valueCount(inputs.shape) === 0) {
    throw refused('a formula without columns', 'name at least one column after "~"');
  }
  const answers = networkAnswers(design);
  return { design, inputs, answers, plan: planNetwork(network, inputs.shape, answers.outputs) };
}

function refused(what: string, remedy: string, column?: string): DataError {
  return new DataError(
    `a network is not offered for ${what}`,
    column === undefined ? {} : { column },
    remedy,
  );
}
