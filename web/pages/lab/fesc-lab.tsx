import { useId } from 'preact/hooks';
import { lawNames } from '../../../experiments/fesc/laws.ts';
import type { FescPlan } from '../../../experiments/fesc/simulation.ts';
import { Choice } from '../../ui/choice.tsx';
import { SelectField } from '../../ui/field.tsx';
import { call } from '../../worker/call.ts';
import { originText } from './earlier.ts';
import type { EarlierResults } from './earlier-results.ts';
import { FigurePlace } from './figure-place.tsx';
import { type FescView, fescNumbers, fescViews, isFigureOne } from './lab-query.ts';
import { LawSketch } from './law-sketch.tsx';
import { lawTitle } from './law-text.ts';
import { NumberInput } from './number-field.tsx';
import { ReachedGammas } from './reached-gammas.tsx';
import { Conclusions, Numbers } from './result-text.tsx';
import { TakeAlong } from './take-along.tsx';
import { TrialForm } from './trial-form.tsx';
import { useExperiment } from './use-experiment.ts';

/** The demo of the FESC paper: the error of one-shot averaging, by number of rows at each site. */
export function FescLab({
  earlier,
  plan,
  view,
  onPlan,
  onView,
}: {
  /** Shown until the experiment is started. */
  readonly earlier: EarlierResults | undefined;
  readonly plan: FescPlan;
  readonly view: FescView;
  readonly onPlan: (plan: FescPlan) => void;
  readonly onView: (view: FescView) => void;
}) {
  const id = useId();
  const { trial, start, stop } = useExperiment(plan, (wanted, options) =>
    call('labFesc', [wanted], options),
  );
  const { result } = trial;
  const isEarlier = result === undefined && trial.state === 'idle';
  const figures = isEarlier ? earlier?.fesc : result?.figures;
  const figure = (name: string) => figures?.find((one) => one.id === name);
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>Averaging once, and adding once</h2>
        <p>
          Each line is one method and shows the error of its model: lower is better. Farther to the
          right, sites have more rows: m<sup>γ</sup> on average for m sites. If a line is above the
          exact fusion, averaging has lost accuracy that adding keeps.
        </p>
        <p class="small">
          The demo of “Incidence of the Sample Size Distribution on One-Shot Federated Learning”
          (IPOL 2023), with as many random runs as you like.
        </p>
      </header>
      <TrialForm trial={trial} onStart={start} onStop={stop}>
        <div class="lab-choose-law">
          <SelectField
            label="Distribution of the sites’ sizes"
            value={plan.law}
            options={lawNames.map((name) => [name, lawTitle(name)])}
            onChange={(law) => onPlan({ ...plan, law })}
          />
          <LawSketch law={plan.law} />
        </div>
        {(['nodes', 'dimension', 'runs', 'seed'] as const).map((key) => (
          <NumberInput
            key={key}
            setting={fescNumbers[key]}
            value={plan[key]}
            onChange={(value) => onPlan({ ...plan, [key]: value })}
          />
        ))}
      </TrialForm>
      <div class={trial.stale ? 'lab-figures stale' : 'lab-figures'}>
        <figure class="lab-figure">
          <figcaption>
            <Choice label="Which curves" value={view} options={fescViews} onChange={onView} />
            <span>{figure(view)?.title ?? 'The curves refine with every run.'}</span>
            <small>{originText(isEarlier, earlier)}</small>
          </figcaption>
          <FigurePlace figure={figure(view)} />
        </figure>
        <figure class="lab-figure">
          <figcaption>
            <strong>Sizes of the sites</strong>
            <span>
              {figure('histogram')?.title ?? 'Number of rows at each site, at the largest γ.'}
            </span>
            <small>{originText(isEarlier, earlier)}</small>
          </figcaption>
          <FigurePlace figure={figure('histogram')} />
        </figure>
      </div>
      {result !== undefined && (
        <div class="lab-text stack">
          <ReachedGammas result={result} />
          <Conclusions result={result} asPaper={isFigureOne(plan)} />
          <Numbers result={result} />
        </div>
      )}
      <TakeAlong trial={trial} name={fileName(plan)} command={commandOf(plan)} />
    </section>
  );
}

function fileName({ law, nodes, dimension, runs, seed }: FescPlan): string {
  return `fesc-${law}-${nodes}-${dimension}-${runs}-seed${seed}`;
}

function commandOf({ law, nodes, dimension, runs, seed }: FescPlan): string {
  return `suffice paper fesc --law ${law} --nodes ${nodes} --dimension ${dimension} --runs ${runs} --seed ${seed} --json`;
}
