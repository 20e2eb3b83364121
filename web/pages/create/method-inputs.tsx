import type { ComponentType } from 'preact';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import type { MethodField } from '../../worker/method-kind.ts';
import type { MethodPlan, PlannedImages } from '../../worker/plan.ts';
import type { Planning } from './use-plan.ts';

interface Given {
  readonly method: MethodPlan;
  readonly set: (part: Partial<MethodPlan>) => void;
  readonly problemOf: Planning['problemOf'];
  /** The images that the study reads. */
  readonly images: PlannedImages | undefined;
}

type Inputs = Readonly<Partial<Record<MethodField, ComponentType<Given>>>>;

/** Text and select fields of methods, by name. */
export const fieldInputs: Inputs = {
  penalty: chosen('penalty', 'Penalty', [
    ['gcv', 'chosen by GCV'],
    ['leave-one-site-out', 'chosen by leaving out one site at a time'],
    ['k-fold', 'chosen by leaving out groups of sites'],
    ['marginal-likelihood', 'chosen by marginal likelihood'],
    ['value', 'a number'],
  ]),
  ridge: typed('ridge', 'Ridge'),
  folds: typed('folds', 'Groups of sites', '5 unless given.', 'numeric'),
  lasso: chosen('lasso', 'Penalty', [
    ['leave-one-site-out', 'chosen by leaving out one site at a time'],
    ['value', 'a number'],
  ]),
  lambda: typed('lambda', 'λ, as in glmnet'),
  mix: typed('mix', 'Mix', '1, the lasso, unless given; less is an elastic net.'),
  siteEffects: chosen('siteEffects', 'Site effects', [
    ['none', 'none'],
    ['fixed', 'an intercept for each site'],
    ['random', 'a random intercept (REML)'],
    ['random-ml', 'a random intercept (ML)'],
  ]),
  ownRidge: typed(
    'ownRidge',
    'Ridge of each site’s own regression',
    'None unless given. With a ridge, a site with few rows can take part.',
  ),
  prior: typed(
    'prior',
    'Prior for a small site',
    'Firth’s correction, unless you give a ridge on its slopes.',
  ),
  networkFusion: NetworkFusions,
  architecture: Architecture,
  units: typed(
    'units',
    'Units of the hidden layers',
    'From the first to the last, such as 64, 32; without any, the model is linear.',
    'text',
  ),
  epochs: typed(
    'epochs',
    'Epochs',
    'Passes over the rows at each site; 30 unless given.',
    'numeric',
  ),
  trainingRounds: typed(
    'trainingRounds',
    'Rounds',
    '1 unless given. In a further round, sites train on from the fused network.',
    'numeric',
  ),
};

/** Checkboxes of methods, by name. */
export const checkInputs: Inputs = {
  covariance: ticked('covariance', 'Sites also send the covariance of their coefficients'),
  standardize: ticked('standardize', 'Penalise coefficients of columns scaled by their SD'),
  oneStandardError: ticked(
    'oneStandardError',
    'Take the largest penalty within one standard error of the best',
  ),
  clustered: ticked('clustered', 'Standard errors robust to correlation within sites'),
  repairHead: ticked(
    'repairHead',
    'One more contact in the end, which fits the last layer exactly on the rows of all sites',
  ),
};

const networkFusions: readonly (readonly [MethodPlan['networkFusion'], string, string])[] = [
  ['fisher-diagonal', 'FedFisher, diagonal', 'A weight counts by how sure each site is of it.'],
  [
    'fisher-kfac',
    'FedFisher, K-FAC',
    'Weights of a layer count together. Usually better; more bytes.',
  ],
  ['regmean', 'RegMean', 'Each layer by least squares on its inputs at each site.'],
  ['network-average', 'averaged by rows', 'One round of FedAvg: poor where sites differ.'],
  ['fisher-merge', 'Fisher merging', 'Each weight is averaged by how sure each site is of it.'],
  ['otfusion', 'OTFusion', 'Hidden units of the sites are matched, then averaged.'],
  ['pfnm', 'PFNM', 'Hidden units are matched, or added: the network may grow.'],
  [
    'dense',
    'DENSE',
    'A network learns from generated rows. Classes only; takes minutes at the coordinator.',
  ],
  ['fisher-full', 'FedFisher, full', 'All weights count together. For very small networks.'],
];

function NetworkFusions({ method, set, problemOf }: Given) {
  return (
    <SelectField
      label="How networks are fused"
      value={method.networkFusion}
      hint={networkFusions.find(([name]) => name === method.networkFusion)?.[2]}
      problem={problemOf('method.networkFusion')}
      options={networkFusions.map(([name, text]) => [name, text])}
      onChange={(networkFusion) => set({ networkFusion })}
    />
  );
}

/** Known networks are offered for images of the size that they take. */
function Architecture({ method, set, images }: Given) {
  const fits = (side: number, channels: number) =>
    images?.height === side && images.width === side && images.channels === channels;
  const known: readonly (readonly [MethodPlan['architecture'], string, boolean])[] = [
    ['dense', 'dense layers with ReLU', true],
    ['lenet', 'LeNet: two convolutions, three dense layers', fits(28, 1)],
    ['fednet', 'the authors’ network for 32 × 32 colour images', fits(32, 3)],
  ];
  return (
    <SelectField
      label="Layers"
      value={method.architecture}
      options={known.flatMap(([name, text, offered]) =>
        offered || name === method.architecture ? [[name, text] as const] : [],
      )}
      onChange={(architecture) => set({ architecture })}
    />
  );
}

function typed(
  key:
    | 'ridge'
    | 'folds'
    | 'lambda'
    | 'mix'
    | 'ownRidge'
    | 'prior'
    | 'units'
    | 'epochs'
    | 'trainingRounds',
  label: string,
  hint?: string,
  inputMode: 'decimal' | 'numeric' | 'text' = 'decimal',
): ComponentType<Given> {
  return ({ method, set, problemOf }) => (
    <TextField
      label={label}
      hint={hint}
      inputMode={inputMode}
      value={method[key]}
      problem={problemOf(`method.${key}`)}
      onInput={(text) => set({ [key]: text })}
    />
  );
}

function chosen<Name extends 'penalty' | 'lasso' | 'siteEffects'>(
  key: Name,
  label: string,
  options: readonly [MethodPlan[Name], string][],
): ComponentType<Given> {
  return ({ method, set, problemOf }) => (
    <SelectField
      label={label}
      value={method[key]}
      problem={problemOf(`method.${key}`)}
      options={options}
      onChange={(value) => set({ [key]: value })}
    />
  );
}

function ticked(
  key: 'covariance' | 'standardize' | 'oneStandardError' | 'clustered' | 'repairHead',
  label: string,
): ComponentType<Given> {
  return ({ method, set }) => (
    <CheckField checked={method[key]} onChange={(checked) => set({ [key]: checked })}>
      {label}
    </CheckField>
  );
}
