import { useEffect, useState } from 'preact/hooks';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { call } from '../../worker/call.ts';
import type { FormPrediction } from '../../worker/form-prediction.ts';
import type { ModelField } from '../../worker/model-fields.ts';
import type { OpenedModel } from '../../worker/opened-model.ts';
import { AddsUp } from './adds-up.tsx';
import { RowPrediction } from './row-prediction.tsx';

interface OneRowProps {
  readonly model: OpenedModel;
  readonly extrapolate: boolean;
  readonly onExtrapolate: (extrapolate: boolean) => void;
}

/** A form for one row, and its prediction, which follows the typing. */
export function OneRow({ model, extrapolate, onExtrapolate }: OneRowProps) {
  const [cells, setCells] = useState(() => startOf(model.fields));
  const [level, setLevel] = useState(0.95);
  const [chosen, setChosen] = useState('');
  const [said, setSaid] = useState<FormPrediction>();
  const [failure, setFailure] = useState<PageFailure>();
  useEffect(() => {
    let wanted = true;
    call('predictRow', [{ cells, extrapolate, level }]).then(
      (prediction) => wanted && setSaid(prediction),
      (error) => wanted && setFailure(pageFailureOf(error)),
    );
    return () => {
      wanted = false;
    };
  }, [cells, extrapolate, level]);
  const set = (name: string) => (text: string) => setCells({ ...cells, [name]: text });
  const shown = said?.responses.find(({ response }) => response === chosen) ?? said?.responses[0];
  const isClass = said !== undefined && said.classes.length > 0;
  return (
    <>
      <div class="columns predict-columns">
        <Card title="One row" about={startText(model.fields)}>
          <div class="predict-fields">
            {model.fields.map((field) => (
              <FieldFor
                key={field.name}
                field={field}
                text={cells[field.name]}
                said={said}
                onText={set(field.name)}
              />
            ))}
          </div>
          <CheckField checked={extrapolate} onChange={onExtrapolate}>
            Extrapolate: accept values outside the study’s ranges too
          </CheckField>
          <div class="row">
            <Button onClick={() => setCells(startOf(model.fields))}>Start over</Button>
          </div>
        </Card>
        <Card title="Prediction" about="It follows what you type.">
          {failure !== undefined && <FailureNotice failure={failure} />}
          <RowPrediction
            model={model}
            said={said}
            shown={shown}
            onResponse={setChosen}
            level={level}
            onLevel={setLevel}
          />
        </Card>
      </div>
      {(said === undefined || shown !== undefined) && (
        <Card
          title="How it adds up"
          about={`Each coefficient times the value of its term; together they are the ${isClass ? 'score' : 'prediction'}.`}
        >
          {isClass && shown !== undefined && (
            <div class="predict-narrower">
              <SelectField
                label="Score of"
                value={shown.response}
                options={said.responses.map(({ response }) => [response, response])}
                onChange={setChosen}
              />
            </div>
          )}
          {said === undefined && <div class="waiting" />}
          {shown !== undefined && (
            <AddsUp said={shown} sum={isClass ? 'Score' : 'Prediction'} family={model.family} />
          )}
        </Card>
      )}
    </>
  );
}

function FieldFor({
  field,
  text,
  said,
  onText,
}: {
  readonly field: ModelField;
  readonly text: string;
  readonly said: FormPrediction | undefined;
  readonly onText: (text: string) => void;
}) {
  const { name } = field;
  const problem = said?.problems[name];
  if (field.kind === 'category') {
    const [baseline] = field.levels;
    return (
      <SelectField
        label={name === '.site' ? 'Site' : name}
        hint={name === '.site' ? 'Each site has its own effect' : `Baseline ${baseline}`}
        problem={problem}
        value={text}
        options={field.levels.map((level) => [level, level])}
        onChange={onText}
      />
    );
  }
  const { unit, range } = field;
  const hint = said?.outside.includes(name)
    ? `Outside ${range?.[0]} to ${range?.[1]}: no site has such rows, so this is a guess`
    : range && `${range[0]} to ${range[1]}${unit === undefined ? '' : ` ${unit}`}`;
  return (
    <TextField
      label={unit === undefined ? name : `${name} (${unit})`}
      hint={hint}
      problem={problem}
      value={text}
      inputMode="decimal"
      onInput={onText}
    />
  );
}

function startOf(fields: readonly ModelField[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.map((field) => [field.name, field.kind === 'number' ? field.start : field.levels[0]]),
  );
}

function startText(fields: readonly ModelField[]): string {
  if (fields.length === 0) return 'The model needs no values.';
  const starts = new Set(fields.flatMap((one) => (one.kind === 'number' ? [one.startsAt] : [])));
  if (starts.size === 0) return 'Each field starts at its baseline.';
  const where = starts.has('mean') ? 'the mean over all sites' : 'the middle of its range';
  return `Each number starts at ${where}.`;
}
