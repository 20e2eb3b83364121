import { defined } from '../../src/defined.ts';
import type { NetworkFusion } from '../../src/fusion/network-terms.ts';
import { fedNet, leNet, perceptron } from '../../src/network/known-networks.ts';
import type { Network } from '../../src/network/network.ts';
import { canonicalJson } from '../../src/study/canonical-json.ts';
import type { Fusion } from '../../src/study/study.ts';
import { type MethodKind, reading } from './method-kind.ts';
import { type MethodPlan, namesIn } from './plan.ts';
import type { PlanReading } from './plan-problems.ts';

type Name = NetworkFusion['kind'];

const fisher = ['server', 'damping', 'labels'] as const;

/** What a fusion alone may say, beside what all fusions of networks say. */
const ownTerms: Readonly<Record<Name, readonly string[]>> = {
  'network-average': [],
  otfusion: ['starts'],
  pfnm: ['starts'],
  'fisher-full': fisher,
  'fisher-diagonal': fisher,
  'fisher-kfac': fisher,
  'fisher-merge': ['labels'],
  regmean: ['shrink'],
  dense: ['distillation'],
};

const sharedTerms = ['at', 'from', 'lastLayer', 'heldOut'];

const known = { lenet: leNet, fednet: fedNet } as const;

/** Networks: each site trains the same one, and the coordinator fuses them. */
export const networkKind: MethodKind = {
  name: 'network',
  label: 'neural network',
  about:
    'Each site trains the same network on its own rows and sends it once; the coordinator fuses them. This is not the network of all rows together. A ridge regression on fixed features is, and is usually more accurate: train networks where the features themselves must be learnt.',
  fields: ({ architecture }) => [
    'networkFusion',
    'architecture',
    ...(architecture === 'dense' ? (['units'] as const) : []),
    'epochs',
    'trainingRounds',
    'repairHead',
  ],
  toFusion(method, given, unshown = {}) {
    const kind = method.networkFusion;
    const network = plannedNetwork(method, given);
    const count = (key: 'epochs' | 'trainingRounds', from: number, to: number) =>
      given.optional(`method.${key}`, method[key], { from, to, whole: true });
    const epochs = count('epochs', 1, 10_000);
    const rounds = count('trainingRounds', 1, 100);
    if (network === undefined) return undefined;
    const { training: others, ...rest } = unshown;
    const training = { ...(others as object | undefined), ...defined({ epochs }) };
    const allowed = [...sharedTerms, ...ownTerms[kind]];
    const more = Object.entries(rest).filter(([key]) => allowed.includes(key));
    return {
      kind,
      network,
      ...(Object.keys(training).length === 0 ? {} : { training }),
      ...defined({ rounds }),
      ...(method.repairHead ? { head: 'ridge' } : {}),
      ...Object.fromEntries(more),
    } as Fusion;
  },
  fromFusion: reading<NetworkFusion>(Object.keys(ownTerms) as Name[], (fusion) => {
    const { kind, network, training = {}, rounds, head, ...unshown } = fusion;
    const form = formOf(network);
    if (form === undefined) return undefined;
    const { epochs, ...others } = training;
    return {
      method: {
        networkFusion: kind,
        ...form,
        epochs: epochs === undefined ? '' : String(epochs),
        trainingRounds: rounds === undefined ? '' : String(rounds),
        repairHead: head !== undefined,
      },
      unshown: {
        ...unshown,
        ...(Object.keys(others).length === 0 ? {} : { training: others }),
      },
    };
  }),
};

function plannedNetwork(
  { architecture, units }: MethodPlan,
  { problems }: PlanReading,
): Network | undefined {
  if (architecture !== 'dense') return known[architecture];
  const counts = namesIn(units).map(Number);
  if (counts.every((count) => Number.isInteger(count) && count > 0)) return perceptron(...counts);
  problems.push({
    field: 'method.units',
    problem: 'units are whole numbers above 0',
    remedy: 'write one number for each layer, such as 64, 32',
  });
  return undefined;
}

/** The fields of a network that the form can show. */
function formOf(network: Network): Pick<MethodPlan, 'architecture' | 'units'> | undefined {
  const same = (other: Network) => canonicalJson(other) === canonicalJson(network);
  if (same(leNet)) return { architecture: 'lenet', units: '' };
  if (same(fedNet)) return { architecture: 'fednet', units: '' };
  const units = network.layers.flatMap((layer) => (layer.kind === 'dense' ? [layer.units] : []));
  return same(perceptron(...units))
    ? { architecture: 'dense', units: units.join(', ') }
    : undefined;
}
