import type { Plan, PrivacyPlan } from '../../desk/plan.ts';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { Forecast } from './forecast.tsx';
import type { Planning } from './use-plan.ts';

/** What keeps single rows from being told: rules, or noise. */
export function ProtectionCard({ planning }: { readonly planning: Planning }) {
  const { plan, change, problemOf } = planning;
  const { privacy } = plan;
  return (
    <Card
      title="Protection"
      about="Rows never leave a site. This is about what could be worked out from sums."
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

const profiles: Readonly<Record<Plan['disclosure'], string>> = {
  default:
    'No sum over fewer than 5 rows, at least 10 rows a site, and nine more rules. What breaks one does not leave.',
  datashield: 'As DataSHIELD: no sum over fewer than 3 rows, at least 6 rows a site.',
  agency: 'As a census bureau: no sum over fewer than 10 rows, at least 20 rows a site.',
  none: 'No rules. Only for rows that are public anyway.',
};

function PrivacyFields({ planning }: { readonly planning: Planning }) {
  const { plan, change, problemOf } = planning;
  const { privacy } = plan;
  const set = (part: Partial<PrivacyPlan>) => change({ privacy: { ...privacy, ...part } });
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
        {number('delta', 'δ', 'The chance that the promise fails: well below one over the rows.')}
        {number('expectedRows', 'Rows expected in all', 'A public guess, for the forecast.')}
        <SelectField
          label="What is hidden"
          value={privacy.unit}
          options={[
            ['row', 'a row'],
            ['person', 'a person, with all rows of theirs'],
          ]}
          onChange={(unit) => set({ unit })}
        />
        {privacy.unit === 'person' && (
          <>
            <TextField
              label="Column that says whose row it is"
              value={privacy.person}
              problem={problemOf('privacy.person')}
              onInput={(person) => set({ person })}
            />
            {number('rowsPerPerson', 'Rows a person may have at a site', 'More are left out.')}
          </>
        )}
        <SelectField
          label="Who adds the noise"
          value={privacy.placement}
          hint={
            privacy.placement === 'central'
              ? 'Less noise; the sites trust the coordinator.'
              : 'The sites trust nobody; more noise.'
          }
          options={[
            ['central', 'the coordinator'],
            ['local', 'each site'],
          ]}
          onChange={(placement) => set({ placement })}
        />
      </div>
      {general !== undefined && <p class="problem">{general}</p>}
      <Forecast forecast={planning.checked?.review?.forecast} rows={privacy.expectedRows} />
      {(planning.checked?.review?.forecast?.drowned === true || privacy.forced) && (
        <CheckField checked={privacy.forced} onChange={(forced) => set({ forced })}>
          Create it all the same
        </CheckField>
      )}
      <details>
        <summary>More of the promise</summary>
        <div class="fields">
          <SelectField
            label="Data that cannot be told apart"
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
              ['labels', 'the response alone'],
            ]}
            onChange={(protects) => set({ protects })}
          />
          <SelectField
            label="How a noisy sum is solved"
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
