import { useId, useState } from 'preact/hooks';
import { defaultFisherPlan } from '../../../experiments/fisher/plan.ts';
import { call } from '../../worker/call.ts';
import { FigurePlace } from './figure-place.tsx';
import { NumberInput } from './number-field.tsx';
import type { NumberSetting } from './number-setting.ts';
import { TrialForm } from './trial-form.tsx';
import { useExperiment } from './use-experiment.ts';

const seedSetting: NumberSetting = { label: 'Seed', least: 0, most: 9999, usual: 1 };

/** Figure 1 of the FedFisher paper, with fewer seeds: what is lost by fusing falls with the width of the network. */
export function WidthLab() {
  const id = useId();
  const [seed, setSeed] = useState(seedSetting.usual);
  const plan = { ...defaultFisherPlan, seed, quick: true };
  const { trial, start, stop } = useExperiment(plan, (wanted, options) =>
    call('labWidths', [wanted], options),
  );
  const [figure] = trial.result?.figures ?? [];
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>Wider networks lose less</h2>
        <p>
          The theory of FedFisher: two clients train a network with one hidden layer, and all of
          their Fisher information fuses it. The wider the network, the less is lost. The data are
          drawn at random.
        </p>
      </header>
      <TrialForm trial={trial} onStart={start} onStop={stop}>
        <NumberInput setting={seedSetting} value={seed} onChange={setSeed} />
      </TrialForm>
      {figure !== undefined && (
        <figure class={trial.stale ? 'lab-figure stale' : 'lab-figure'}>
          <figcaption>
            <strong>{figure.title}</strong>
          </figcaption>
          <FigurePlace figure={figure} />
        </figure>
      )}
    </section>
  );
}
