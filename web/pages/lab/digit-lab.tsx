import { useId, useState } from 'preact/hooks';
import type { DigitOutcome, DigitPlan } from '../../../experiments/fisher/digit-trial.ts';
import { SelectField } from '../../ui/field.tsx';
import { call } from '../../worker/call.ts';
import { DigitAccuracies } from './digit-accuracies.tsx';
import { DigitClients } from './digit-clients.tsx';
import { DigitConfusion } from './digit-confusion.tsx';
import { digitSettingNames, digitSettings } from './digit-settings.ts';
import { NumberInput } from './number-field.tsx';
import { TrialForm } from './trial-form.tsx';
import { useExperiment } from './use-experiment.ts';

/** FedFisher on 1,797 digits: clients train in this tab, and their networks are fused. */
export function DigitLab({
  plan,
  onPlan,
}: {
  readonly plan: DigitPlan;
  readonly onPlan: (plan: DigitPlan) => void;
}) {
  const id = useId();
  const [method, setMethod] = useState('kfac');
  const { trial, start, stop } = useExperiment<DigitPlan, DigitOutcome>(plan, (wanted, options) =>
    call('labDigits', [wanted], options),
  );
  const { result } = trial;
  const models = result?.models ?? [];
  const chosen = models.find(({ name }) => name === method) ?? models[0];
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>Networks fused once</h2>
        <p>
          Some clients have digits of their own, and each trains the same small network on them, in
          this tab. Then the networks become one, in several ways. A smaller α gives each client
          fewer of the ten digits. Then averaging often breaks the networks, and methods that know
          more of each client, such as its Fisher information, can mend a part of it; try several
          seeds. Ridge regression on fixed features is exact: it is the same however the digits are
          divided.
        </p>
        <p class="small">
          The 1,797 digits are those of examples/digits; a quarter of them tests the models. The
          script with them (70 kB) is loaded when you start. Nothing is sent.
        </p>
      </header>
      <TrialForm trial={trial} onStart={start} onStop={stop}>
        {digitSettingNames.map((key) => (
          <NumberInput
            key={key}
            setting={digitSettings[key]}
            value={plan[key]}
            onChange={(value) => onPlan({ ...plan, [key]: value })}
          />
        ))}
      </TrialForm>
      {result !== undefined && (
        <div class={trial.stale ? 'stack lab-digits stale' : 'stack lab-digits'}>
          <DigitClients clients={result.clients} epochs={plan.epochs} />
          <div class="lab-figures">
            <DigitAccuracies outcome={result} chosen={chosen?.name} />
            <div class="stack">
              {chosen !== undefined && (
                <>
                  <SelectField
                    label="What digits are taken for, by"
                    value={chosen.name}
                    options={models.map(({ name, label }) => [name, label])}
                    onChange={setMethod}
                  />
                  <DigitConfusion model={chosen} />
                </>
              )}
            </div>
          </div>
        </div>
      )}
    </section>
  );
}
