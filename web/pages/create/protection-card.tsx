import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import type { PlannedPrivacy, StudyPlan } from '../../worker/plan.ts';
import { ForecastTable } from './forecast.tsx';
import type { Planning } from './use-plan.ts';

/** What protects single rows: disclosure rules, or noise. */
export function ProtectionCard({ planning }: { readonly planning: Planning }) {
  const { plan, change, problemOf } = planning;
  const { privacy } = plan;
  return (
    <Card
      id="protection"
      title="Protection"
      about="Rows never leave a site. This is about what someone could compute from sums."
      aside={
        <Choice
          label="Protection"
          value={privacy.kind}
          options={[
            ['none', 'Disclosure rules'],
            ['noise', 'Noise (differential privacy)'],
          ]}
          onChange={(kind) => change({ privacy: { ...privacy, kind } })}
        />
      }
    >
      {privacy.kind === 'none' ? (
        <SelectField
          label="Profile"
          value={plan.disclosure}
          problem={problemOf('disclosure')}
          hint={profiles[plan.disclosure]}
          options={[
            ['default', 'default'],
            ['datashield', 'DataSHIELD'],
            ['agency', 'statistical agency'],
            ['none', 'none'],
          ]}
          onChange={(disclosure) => change({ disclosure })}
        />
      ) : (
        <PrivacyFields planning={planning} />
      )}
    </Card>
  );
}

const adderHints: Readonly<Record<PlannedPrivacy['placement'], string>> = {
  central: 'Less noise, but the sites must trust the coordinator.',
  local: 'The sites need to trust nobody, but there is more noise.',
  aggregators:
    'Twice the variance. Neither of the two sees an exact sum; they must not work together. Only in a study with two aggregators.',
};

const profiles: Readonly<Record<StudyPlan['disclosure'], string>> = {
  default:
    'No sum over fewer than 5 rows, at least 10 rows at each site, and nine more rules. A contribution that breaks a rule is not sent.',
  datashield: 'As DataSHIELD: no sum over fewer than 3 rows, at least 6 rows at each site.',
  agency: 'As a census bureau: no sum over fewer than 10 rows, at least 20 rows at each site.',
  none: 'No rules. Only for rows that are public anyway.',
};

function PrivacyFields({ planning }: { readonly planning: Planning }) {
  const { plan, change, problemOf } = planning;
  const { privacy } = plan;
  const set = (part: Partial<PlannedPrivacy>) => change({ privacy: { ...privacy, ...part } });
  const number = (
    key: 'epsilon' | 'delta' | 'expectedRows' | 'rowsPerPerson' | 'releases' | 'rounds',
    label: string,
    hint: string,
  ) => (
    <TextField
      label={label}
      hint={hint}
      inputMode="decimal"
      value={privacy[key]}
      problem={problemOf(`privacy.${key}`)}
      onInput={(text) => set({ [key]: text })}
    />
  );
  const general = problemOf('privacy');
  return (
    <>
      <div class="fields">
        {number('epsilon', 'ε', 'Smaller hides more; 1 is usual.')}
        {number(
          'delta',
          'δ',
          'Probability that the promise fails: much smaller than 1 / number of rows.',
        )}
        {number('expectedRows', 'Expected number of rows', 'A public guess, for the forecast.')}
        <SelectField
          label="What is hidden"
          value={privacy.unit}
          options={[
            ['row', 'a row'],
            ['person', 'a person, with all their rows'],
          ]}
          onChange={(unit) => set({ unit })}
        />
        {privacy.unit === 'person' && (
          <>
            <TextField
              label="Column that identifies the person"
              value={privacy.person}
              problem={problemOf('privacy.person')}
              onInput={(person) => set({ person })}
            />
            {number('rowsPerPerson', 'Most rows of a person at a site', 'More rows are left out.')}
          </>
        )}
        <SelectField
          label="Who adds the noise"
          value={privacy.placement}
          hint={adderHints[privacy.placement]}
          options={[
            ['central', 'the coordinator'],
            ['local', 'each site'],
            ['aggregators', 'the coordinator and the helper'],
          ]}
          onChange={(placement) => set({ placement })}
        />
      </div>
      {general !== undefined && <p class="problem">{general}</p>}
      <ForecastTable forecast={planning.checked?.review?.forecast} rows={privacy.expectedRows} />
      {(planning.checked?.review?.forecast?.tooNoisy === true || privacy.forced) && (
        <CheckField checked={privacy.forced} onChange={(forced) => set({ forced })}>
          Create the study anyway
        </CheckField>
      )}
      <details>
        <summary>More about the promise</summary>
        <div class="fields">
          <SelectField
            label="Neighbouring data"
            value={privacy.neighbours}
            options={[
              ['add-remove', 'with or without a row'],
              ['replace-one', 'with another row in its place'],
            ]}
            onChange={(neighbours) => set({ neighbours })}
          />
          <SelectField
            label="What counts as secret"
            value={privacy.protects}
            options={[
              ['rows', 'whole rows'],
              ['labels', 'only the response'],
            ]}
            onChange={(protects) => set({ protects })}
          />
          <SelectField
            label="How noisy sums are solved"
            value={privacy.solver}
            options={[
              ['cleaner', 'cleaned of noise first'],
              ['ridge', 'by ridge'],
              ['adassp', 'AdaSSP'],
            ]}
            onChange={(solver) => set({ solver })}
          />
          {number('releases', 'Resolutions that share the budget', '1 unless given.')}
          {number('rounds', 'Refinements after the first round', 'Up to 5; none unless given.')}
        </div>
      </details>
    </>
  );
}
