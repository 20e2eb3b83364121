import type { ComponentType } from 'preact';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import type { MethodField } from '../../worker/method-kind.ts';
import type { MethodPlan } from '../../worker/plan.ts';
import type { Planning } from './use-plan.ts';

interface Given {
  readonly method: MethodPlan;
  readonly set: (part: Partial<MethodPlan>) => void;
  readonly problemOf: Planning['problemOf'];
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
};

function typed(
  key: 'ridge' | 'folds' | 'lambda' | 'mix' | 'ownRidge' | 'prior',
  label: string,
  hint?: string,
  inputMode: 'decimal' | 'numeric' = 'decimal',
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
  key: 'covariance' | 'standardize' | 'oneStandardError' | 'clustered',
  label: string,
): ComponentType<Given> {
  return ({ method, set }) => (
    <CheckField checked={method[key]} onChange={(checked) => set({ [key]: checked })}>
      {label}
    </CheckField>
  );
}
