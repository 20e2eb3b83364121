import { useState } from 'preact/hooks';
import { significant } from '../../../src/model/number-text.ts';
import type {
  Bounds,
  FormPrediction,
  PredictedClasses,
  PredictedResponse,
} from '../../desk/form-prediction.ts';
import type { OpenedModel } from '../../desk/opened-model.ts';
import { Choice } from '../../ui/choice.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import { AddsUp } from './adds-up.tsx';
import { Shares } from './shares.tsx';

/** What the model says of one row: the value or the class, how sure it is, and how it adds up. */
export function RowPrediction({
  model,
  said,
  level,
  onLevel,
}: {
  readonly model: OpenedModel;
  readonly said: FormPrediction | undefined;
  readonly level: number;
  readonly onLevel: (level: number) => void;
}) {
  const [chosen, setChosen] = useState('');
  if (said === undefined) return <div class="waiting" />;
  const { responses, classes, refused } = said;
  if (responses.length === 0) {
    return refused === undefined ? (
      <p class="predict-nothing soft">No prediction until every field is right.</p>
    ) : (
      <Notice kind="warn" title={sentence(refused)} />
    );
  }
  const shown = responses.find(({ response }) => response === chosen) ?? responses[0];
  const isClass = classes.length > 0;
  return (
    <div class="stack">
      {classes.map((one) => (
        <ClassAnswer key={one.label} classes={one} kind={model.classes ?? 'score'} />
      ))}
      {responses.length > 1 && (
        <SelectField
          label={isClass ? 'Score of' : 'Response'}
          value={shown.response}
          options={responses.map(({ response }) => [response, response])}
          onChange={setChosen}
        />
      )}
      {!isClass && <ValueAnswer said={shown} level={said.level} />}
      {!isClass && model.intervals.length > 0 && (
        <div class="row">
          <span class="small soft">How sure</span>
          <Choice
            label="How sure the intervals are"
            value={String(level)}
            options={[
              ['0.8', '80 %'],
              ['0.9', '90 %'],
              ['0.95', '95 %'],
              ['0.99', '99 %'],
            ]}
            onChange={(text) => onLevel(Number(text))}
          />
        </div>
      )}
      {!isClass && model.withoutInterval !== undefined && (
        <p class="small soft">{sentence(model.withoutInterval)}</p>
      )}
      <AddsUp said={shown} sum={isClass ? 'Score' : 'Prediction'} family={model.family} />
    </div>
  );
}

function ValueAnswer({
  said,
  level,
}: {
  readonly said: PredictedResponse;
  readonly level: number;
}) {
  const { response, unit = '', fitted, levels, confidence, prediction } = said;
  const percent = `${Math.round(level * 100)} %`;
  return (
    <div class="predict-answer">
      <p class="predict-name">
        {levels === undefined ? response : `${response}: probability of ${levels[0]}`}
      </p>
      <p class="predict-value" aria-live="polite">
        <data value={String(fitted)}>{significant(fitted, 5)}</data> <span>{unit}</span>
        <CopyButton text={() => String(fitted)}>Copy</CopyButton>
      </p>
      {levels !== undefined && (
        <Shares
          shares={[
            { level: levels[0], share: fitted },
            { level: levels[1], share: 1 - fitted },
          ]}
        />
      )}
      {confidence !== undefined && (
        <Interval words={`${percent} for the mean of such rows`} bounds={confidence} unit={unit} />
      )}
      {prediction !== undefined && (
        <Interval words={`${percent} for one new row`} bounds={prediction} unit={unit} />
      )}
      {confidence !== undefined && prediction !== undefined && (
        <IntervalPicture fitted={fitted} confidence={confidence} prediction={prediction} />
      )}
    </div>
  );
}

function Interval({
  words,
  bounds: [low, high],
  unit,
}: {
  readonly words: string;
  readonly bounds: Bounds;
  readonly unit: string;
}) {
  return (
    <p class="predict-interval">
      <span class="soft">{words}</span>
      <span>
        <data value={String(low)}>{significant(low, 5)}</data> to{' '}
        <data value={String(high)}>{significant(high, 5)}</data> {unit}
      </span>
    </p>
  );
}

/** The two intervals as bars around the value. */
function IntervalPicture({
  fitted,
  confidence,
  prediction: [from, to],
}: {
  readonly fitted: number;
  readonly confidence: Bounds;
  readonly prediction: Bounds;
}) {
  const place = (value: number) => 2 + (96 * (value - from)) / (to - from || 1);
  return (
    <svg class="predict-picture" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="one" x={place(from)} width={place(to) - place(from)} y="3" height="2" />
      <rect
        class="mean"
        x={place(confidence[0])}
        width={Math.max(0.4, place(confidence[1]) - place(confidence[0]))}
        y="1.5"
        height="5"
      />
      <rect class="value" x={place(fitted) - 0.2} width="0.4" y="0" height="8" />
    </svg>
  );
}

function ClassAnswer({
  classes: { label, level, shares },
  kind,
}: {
  readonly classes: PredictedClasses;
  readonly kind: 'probability' | 'score';
}) {
  return (
    <div class="predict-answer">
      <p class="predict-name">{label}</p>
      <p class="predict-value" aria-live="polite">
        <data value={level}>{level}</data>
      </p>
      <Shares shares={shares} />
      <p class="small soft">
        {kind === 'probability'
          ? 'Probabilities by discriminant analysis of the same sums.'
          : 'Scores that add up to 1, not probabilities: those need the total, which only who runs the study can see.'}
      </p>
    </div>
  );
}
