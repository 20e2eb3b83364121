import { significant } from '../../../src/text/number-text.ts';
import { Choice } from '../../ui/choice.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import type {
  FormPrediction,
  IntervalBounds,
  PredictedClasses,
  PredictedResponse,
} from '../../worker/form-prediction.ts';
import type { OpenedModel } from '../../worker/opened-model.ts';
import { Shares } from './shares.tsx';

/** The prediction for one row: a value with intervals, or a class. */
export function RowPrediction({
  model,
  said,
  shown,
  onResponse,
  level,
  onLevel,
}: {
  readonly model: OpenedModel;
  readonly said: FormPrediction | undefined;
  /** The response that is shown; undefined if there is no prediction. */
  readonly shown: PredictedResponse | undefined;
  readonly onResponse: (response: string) => void;
  readonly level: number;
  readonly onLevel: (level: number) => void;
}) {
  if (said === undefined) return <div class="waiting" />;
  const { responses, classes, refused, problems } = said;
  if (shown === undefined) {
    return refused === undefined ? (
      <Notice kind="warn" title="There is no prediction until every field is valid.">
        <ul class="small">
          {Object.entries(problems).map(([name, problem]) => (
            <li key={name}>
              <strong>{name}</strong>: {problem}
            </li>
          ))}
        </ul>
      </Notice>
    ) : (
      <Notice kind="warn" title={sentence(refused)} />
    );
  }
  const isClass = classes.length > 0;
  return (
    <div class="stack">
      {classes.map((one) => (
        <ClassAnswer key={one.label} classes={one} kind={model.classes ?? 'score'} />
      ))}
      {!isClass && responses.length > 1 && (
        <SelectField
          label="Response"
          value={shown.response}
          options={responses.map(({ response }) => [response, response])}
          onChange={onResponse}
        />
      )}
      {!isClass && <ValueAnswer said={shown} level={said.level} />}
      {!isClass && model.intervals.length > 0 && (
        <div class="row">
          <span class="small soft">Confidence level</span>
          <Choice
            label="Confidence level of the intervals"
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
  const text = levels === undefined ? valueText : probabilityText;
  return (
    <div class="predict-answer">
      <p class="predict-name">
        {levels === undefined ? response : `${response}: probability of ${levels[0]}`}
      </p>
      <p class="predict-value" aria-live="polite">
        <data value={String(fitted)}>{text(fitted)}</data> <span>{unit}</span>
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
        <Interval
          label={`${percent} for the mean of such rows`}
          bounds={confidence}
          unit={unit}
          text={text}
        />
      )}
      {prediction !== undefined && (
        <Interval
          label={`${percent} for one new row`}
          bounds={prediction}
          unit={unit}
          text={text}
        />
      )}
      {confidence !== undefined && prediction !== undefined && (
        <IntervalPicture fitted={fitted} confidence={confidence} prediction={prediction} />
      )}
    </div>
  );
}

function Interval({
  label,
  bounds: [low, high],
  unit,
  text,
}: {
  readonly label: string;
  readonly bounds: IntervalBounds;
  readonly unit: string;
  readonly text: (value: number) => string;
}) {
  return (
    <p class="predict-interval">
      <span class="soft">{label}</span>
      <span>
        <data value={String(low)}>{text(low)}</data> to{' '}
        <data value={String(high)}>{text(high)}</data> {unit}
      </span>
    </p>
  );
}

function valueText(value: number): string {
  return significant(value, 5).replace('-', '−');
}

/** Never rounds a probability to 0 or 1. */
function probabilityText(value: number): string {
  if (value > 0 && value < 0.0001) return '< 0.0001';
  if (value < 1 && value > 0.9999) return '> 0.9999';
  return value.toFixed(4);
}

/** The two intervals as bars around the value. */
function IntervalPicture({
  fitted,
  confidence,
  prediction: [from, to],
}: {
  readonly fitted: number;
  readonly confidence: IntervalBounds;
  readonly prediction: IntervalBounds;
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
          ? 'Probabilities from the same sums: normal classes, one covariance.'
          : 'These are scores that add up to 1, not probabilities.'}
      </p>
    </div>
  );
}
