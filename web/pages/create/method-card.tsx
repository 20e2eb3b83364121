import type { MethodPlan } from '../../desk/plan.ts';
import { Card } from '../../ui/card.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import type { Planning } from './use-plan.ts';

/** How the study learns. */
export function MethodCard({
  planning,
  columns,
}: {
  readonly planning: Planning;
  readonly columns: readonly string[];
}) {
  const { plan, change, problemOf } = planning;
  const { method, weights } = plan;
  const set = (part: Partial<MethodPlan>) => change({ method: { ...method, ...part } });
  const field = (key: keyof MethodPlan) => problemOf(`method.${key}`);
  const averaged = method.kind === 'average' || method.kind === 'fesc';
  const linear = method.kind !== 'logistic' && method.kind !== 'poisson' && !averaged;
  const penalised = method.kind === 'ridge' || method.kind === 'lasso';
  const leavesOut =
    (method.kind === 'ridge' &&
      (method.penalty === 'leave-one-site-out' || method.penalty === 'k-fold')) ||
    (method.kind === 'lasso' && method.lasso === 'leave-one-site-out');
  return (
    <Card title="Method" about={about[method.kind]}>
      <div class="fields">
        <SelectField
          label="Model"
          value={method.kind}
          problem={problemOf('method')}
          options={kinds}
          onChange={(kind) => set({ kind })}
        />
        {method.kind === 'ridge' && (
          <SelectField
            label="Penalty"
            value={method.penalty}
            options={penalties}
            onChange={(penalty) => set({ penalty })}
          />
        )}
        {method.kind === 'ridge' && method.penalty === 'value' && (
          <TextField
            label="Ridge"
            inputMode="decimal"
            value={method.ridge}
            problem={field('ridge')}
            onInput={(ridge) => set({ ridge })}
          />
        )}
        {method.kind === 'ridge' && method.penalty === 'k-fold' && (
          <TextField
            label="Groups of sites"
            hint="5 unless given."
            inputMode="numeric"
            value={method.folds}
            problem={field('folds')}
            onInput={(folds) => set({ folds })}
          />
        )}
        {method.kind === 'lasso' && (
          <>
            <SelectField
              label="Penalty"
              value={method.lasso}
              options={[
                ['leave-one-site-out', 'chosen by leaving out one site at a time'],
                ['value', 'a number'],
              ]}
              onChange={(lasso) => set({ lasso })}
            />
            {method.lasso === 'value' && (
              <TextField
                label="λ, as in glmnet"
                inputMode="decimal"
                value={method.lambda}
                problem={field('lambda')}
                onInput={(lambda) => set({ lambda })}
              />
            )}
            <TextField
              label="Mix"
              hint="1, the lasso, unless given; less is an elastic net."
              inputMode="decimal"
              value={method.mix}
              problem={field('mix')}
              onInput={(mix) => set({ mix })}
            />
          </>
        )}
        {method.kind === 'least-squares' && (
          <SelectField
            label="Site effects"
            value={method.siteEffects}
            problem={field('siteEffects')}
            options={[
              ['none', 'none'],
              ['fixed', 'an intercept for each site'],
              ['random', 'a random intercept (REML)'],
              ['random-ml', 'a random intercept (ML)'],
            ]}
            onChange={(siteEffects) => set({ siteEffects })}
          />
        )}
        {averaged && (
          <TextField
            label="Ridge of each site’s own regression"
            hint="None unless given; with one, a site with few rows can take part."
            inputMode="decimal"
            value={method.ownRidge}
            problem={field('ownRidge')}
            onInput={(ownRidge) => set({ ownRidge })}
          />
        )}
        {(linear || weights !== '') && (
          <SelectField
            label="Weights of rows"
            value={weights}
            problem={problemOf('weights')}
            options={[['', 'none'], ...columns.map((name): [string, string] => [name, name])]}
            onChange={(name) => change({ weights: name })}
          />
        )}
        {!linear && !averaged && (
          <TextField
            label="Prior of a small site"
            hint="Firth’s correction unless you give a ridge on its slopes."
            inputMode="decimal"
            value={method.prior}
            problem={field('prior')}
            onInput={(prior) => set({ prior })}
          />
        )}
      </div>
      {averaged && (
        <CheckField checked={method.covariance} onChange={(covariance) => set({ covariance })}>
          Sites add the covariance of their coefficients
        </CheckField>
      )}
      {linear && (
        <div class="stack">
          {penalised && (
            <CheckField
              checked={method.standardize}
              onChange={(standardize) => set({ standardize })}
            >
              Penalise coefficients of columns scaled by their SD
            </CheckField>
          )}
          {leavesOut && (
            <CheckField
              checked={method.oneStandardError}
              onChange={(oneStandardError) => set({ oneStandardError })}
            >
              Take the largest penalty within one standard error of the best
            </CheckField>
          )}
          <CheckField checked={method.clustered} onChange={(clustered) => set({ clustered })}>
            Standard errors robust to correlation within sites
          </CheckField>
        </div>
      )}
    </Card>
  );
}

const kinds: readonly [MethodPlan['kind'], string][] = [
  ['least-squares', 'linear, least squares'],
  ['ridge', 'linear, ridge'],
  ['lasso', 'linear, lasso or elastic net'],
  ['logistic', 'logistic'],
  ['poisson', 'Poisson'],
  ['average', 'each site’s own, averaged by rows'],
  ['fesc', 'each site’s own, with FESC weights'],
];

const penalties: readonly [MethodPlan['penalty'], string][] = [
  ['gcv', 'chosen by GCV'],
  ['leave-one-site-out', 'chosen by leaving out one site at a time'],
  ['k-fold', 'chosen by leaving out groups of sites'],
  ['marginal-likelihood', 'chosen by marginal likelihood'],
  ['value', 'a number'],
];

const about: Readonly<Record<MethodPlan['kind'], string>> = {
  'least-squares': 'Exactly what all rows together would give.',
  ridge:
    'Exactly what all rows together would give, penalty included; the intercept is not penalised.',
  lasso: 'Exactly what all rows together would give. Coefficients can become 0.',
  logistic:
    'In one round, from each site’s own fit: close to pooling, not exact. The response has two levels.',
  poisson: 'For counts, in one round, from each site’s own fit: close to pooling, not exact.',
  average:
    'Each site sends its own coefficients, weighted by rows. Far fewer bytes, and not what all rows together would give.',
  fesc: 'Each site sends its own coefficients; the smallest sites count less than by rows. Far fewer bytes, and not what all rows together would give.',
};
