import { useId } from 'preact/hooks';
import type { ResultFigure } from '../../../experiments/paper-result.ts';
import { defaultRidgePlan, type RidgePlan } from '../../../experiments/ridge/plan.ts';
import { ChartNumber } from '../../charts/chart-text.tsx';
import { Button } from '../../ui/button.tsx';
import { call } from '../../worker/call.ts';
import { originText } from './earlier.ts';
import type { EarlierResults } from './earlier-results.ts';
import { FigurePlace } from './figure-place.tsx';
import type { RidgeChoice } from './lab-query.ts';
import { NumberInput } from './number-field.tsx';
import { Conclusions, Numbers } from './result-text.tsx';
import {
  isPapers,
  papersSettings,
  type RidgeCardName,
  type RidgeSetting,
  ridgeCards,
  ridgeSettings,
} from './ridge-cards.ts';
import { inOrder, measuredOf } from './series-order.ts';
import { TakeAlong } from './take-along.tsx';
import { TrialForm } from './trial-form.tsx';
import { useExperiment } from './use-experiment.ts';

/** One experiment of the ridge paper: its settings, its curve, and a slider that shows the numbers at a point. */
export function RidgeFigure({
  name,
  earlier,
  choice,
  onChoice,
  onStart,
}: {
  readonly name: RidgeCardName;
  /** Shown until the experiment is started. */
  readonly earlier: EarlierResults | undefined;
  readonly choice: RidgeChoice;
  readonly onChoice: (choice: RidgeChoice) => void;
  readonly onStart: () => void;
}) {
  const id = useId();
  const card = ridgeCards[name];
  const plan: RidgePlan = { ...defaultRidgePlan, ...choice.settings };
  const { trial, start, stop } = useExperiment(plan, (wanted, options) =>
    call('labRidge', [card.id, wanted], options),
  );
  const { result } = trial;
  const isEarlier = result === undefined && trial.state === 'idle';
  const [first] = (isEarlier ? earlier?.ridge[name] : result?.figures) ?? [];
  // What was measured earlier is not with the paper's settings.
  const figure = first && shownFigure(first, isEarlier ? usualPlan : plan);
  return (
    <section class="card lab-ridge" id={name} aria-labelledby={id}>
      <header>
        <h3 id={id}>{card.title}</h3>
        <p>{card.about}</p>
      </header>
      <TrialForm
        trial={trial}
        aside={
          <Button
            kind="quiet"
            disabledReason={
              isPapers(choice.settings) ? 'These are the paper’s settings.' : undefined
            }
            onClick={() => onChoice({ ...choice, settings: papersSettings(choice.settings) })}
          >
            The paper’s settings
          </Button>
        }
        onStart={() => {
          onStart();
          start();
        }}
        onStop={stop}
      >
        {card.settings.map((key) => (
          <NumberInput
            key={key}
            setting={ridgeSettings[key]}
            value={choice.settings[key]}
            onChange={(value) =>
              onChoice({ ...choice, settings: { ...choice.settings, [key]: value } })
            }
          />
        ))}
      </TrialForm>
      <div class={trial.stale ? 'lab-figure stale' : 'lab-figure'}>
        <small>{originText(isEarlier, earlier)}</small>
        <FigurePlace
          figure={figure}
          cursor={figure && placeNear(figure, choice.at)}
          onCursor={(at) => onChoice({ ...choice, at })}
        />
        <Along
          label={card.along}
          unit={card.unit ?? ''}
          figure={figure}
          at={choice.at}
          onAt={(at) => onChoice({ ...choice, at })}
        />
      </div>
      {result !== undefined && (
        <div class="lab-text stack">
          <Conclusions result={result} asPaper={isPapers(plan)} />
          <Numbers result={result} />
        </div>
      )}
      <TakeAlong
        trial={trial}
        name={`ridge-${name}-seed${plan.seed}`}
        command={commandOf(card.id, plan)}
      />
    </section>
  );
}

/** The slider along the curve, and the value of each line there. */
function Along({
  label,
  unit,
  figure,
  at,
  onAt,
}: {
  readonly label: string;
  readonly unit: string;
  readonly figure: ResultFigure | undefined;
  readonly at: number | undefined;
  readonly onAt: (at: number) => void;
}) {
  const places = figure === undefined ? [] : placesOf(figure);
  const place = figure === undefined ? undefined : placeNear(figure, at);
  const ordered = inOrder(figure?.series ?? []);
  const here = ordered.flatMap((one) => {
    const found = one.points.find(({ x }) => x === place);
    if (found === undefined) return [];
    // The chart's colours: by the order of the measured lines.
    const line = measuredOf(one, ordered);
    const style = line === undefined ? 'series' : `series s${ordered.indexOf(line) + 1}`;
    return [{ name: one.name, style, value: found.y }];
  });
  const texts = distinctTexts(here.map(({ value }) => value));
  const placeText = place === undefined ? undefined : `${place}${unit}`;
  return (
    <div class="lab-along">
      <label>
        <span>
          {label} {placeText === undefined ? '' : `= ${placeText}`}
        </span>
        <input
          type="range"
          min={0}
          max={Math.max(1, places.length - 1)}
          step={1}
          disabled={place === undefined}
          value={place === undefined ? 0 : places.indexOf(place)}
          aria-valuetext={placeText}
          onInput={(event) => onAt(places[Number(event.currentTarget.value)])}
        />
      </label>
      <dl class="facts">
        {here.map(({ name, style }, k) => (
          <div key={name} class={style}>
            <dt>{name}</dt>
            <dd>{texts[k]}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Numbers with four digits, or with up to seven if that makes more of them distinct. */
function distinctTexts(values: readonly number[]): string[] {
  return [4, 5, 6, 7]
    .map((digits) => values.map((value) => ChartNumber(value, digits)))
    .reduce((best, texts) => (new Set(texts).size > new Set(best).size ? texts : best));
}

function placesOf({ series }: ResultFigure): number[] {
  const places = series.flatMap(({ points }) => points.map(({ x }) => x));
  return [...new Set(places)].sort((a, b) => a - b);
}

/** The nearest place of the figure; the first if none was chosen. */
function placeNear(figure: ResultFigure, at: number | undefined): number | undefined {
  const places = placesOf(figure);
  if (at === undefined) return places[0];
  return places.reduce<number | undefined>(
    (best, place) =>
      best === undefined || Math.abs(place - at) < Math.abs(best - at) ? place : best,
    undefined,
  );
}

const usualPlan: RidgePlan = {
  ...defaultRidgePlan,
  ...(Object.fromEntries(
    Object.entries(ridgeSettings).map(([key, { usual }]) => [key, usual]),
  ) as Record<RidgeSetting, number>),
};

/** Printed values are for the paper's settings only: with others they would mislead. */
function shownFigure(figure: ResultFigure, plan: RidgePlan): ResultFigure {
  if (isPapers(plan)) return figure;
  return { ...figure, series: figure.series.filter(({ role }) => role !== 'printed') };
}

function commandOf(id: string, plan: RidgePlan): string {
  const { sites, rowsPerSite, features, heterogeneity, trials, seed } = plan;
  return `suffice paper ridge --experiment ${id} --sites ${sites} --rows ${rowsPerSite} --features ${features} --heterogeneity ${heterogeneity} --trials ${trials} --seed ${seed} --json`;
}
