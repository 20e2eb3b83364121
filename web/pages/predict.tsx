import '../style/predict.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useTitle } from '../app/shell.tsx';
import { addressOf } from '../tab/own-address.ts';
import { isSite, type PageProps, type StudyLink } from '../tab/page-address.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { FailureNotice, Notice } from '../ui/notice.tsx';
import { countText, timeText } from '../ui/text.ts';
import { useAnswer } from '../ui/use-answer.ts';
import { call } from '../worker/call.ts';
import type { OpenedModel } from '../worker/opened-model.ts';
import { FileRows } from './predict/file-rows.tsx';
import { NotYet } from './predict/not-yet.tsx';
import { OneRow } from './predict/one-row.tsx';
import { OtherPrograms } from './predict/other-programs.tsx';

/** Predictions with the model of a study; the rows stay in the tab. */
export function PredictPage({ here: { link } }: PageProps) {
  return (
    <>
      {link === undefined ? (
        <>
          <Heading />
          <Notice kind="warn" title="This address names no study.">
            <p>
              Open the whole link you were given: the part after # belongs to it, and some mail
              programs cut it off.
            </p>
          </Notice>
        </>
      ) : (
        <Model link={link} />
      )}
    </>
  );
}

function Model({ link }: { readonly link: StudyLink }) {
  const [number, setNumber] = useState<number | 'latest'>('latest');
  const [extrapolate, setExtrapolate] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const { value, failure } = useAnswer(() => call('openModel', [link, number]), [number, attempt]);
  if (failure !== undefined) {
    return (
      <>
        <Heading />
        {failure.code === 'no-token' || failure.code === 'not-allowed' ? (
          <Notice kind="bad" title="This link does not open a study here.">
            <p>
              It may be incomplete, or its secret was replaced or revoked. Ask the person who sent
              it for a new one.
            </p>
          </Notice>
        ) : (
          <FailureNotice failure={failure}>
            <div class="row">
              <Button onClick={() => setAttempt(attempt + 1)}>Try again</Button>
            </div>
          </FailureNotice>
        )}
      </>
    );
  }
  if (value === undefined) {
    return (
      <>
        <Heading />
        <div class="waiting predict-waiting" />
      </>
    );
  }
  if ('none' in value) {
    return (
      <>
        <Heading {...value.none} />
        <NotYet none={value.none} place={isSite(link) ? undefined : addressOf('study', link)} />
      </>
    );
  }
  const { model } = value;
  return (
    <>
      <Heading {...model}>
        <p class="soft">{sentenceAbout(model)} What you type or drop here stays in this tab.</p>
        {model.resolutions.length > 1 && (
          <div class="predict-narrower">
            <SelectField
              label="Resolution"
              value={String(model.number)}
              options={[...model.resolutions]
                .reverse()
                .map((one) => [
                  String(one.number),
                  `${one.number}, of ${timeText(one.resolvedAt)}, ${one.sites} sites`,
                ])}
              onChange={(chosen) => setNumber(Number(chosen))}
            />
          </div>
        )}
      </Heading>
      {model.capped !== undefined && (
        <Notice kind="info" title="This is a private model.">
          <p>
            Noise was added to protect single rows, so predictions are less exact. They are limited
            to the study’s range, {model.capped[0]} to {model.capped[1]}.
          </p>
        </Notice>
      )}
      {model.images === undefined && (
        <OneRow
          key={model.number}
          model={model}
          extrapolate={extrapolate}
          onExtrapolate={setExtrapolate}
        />
      )}
      <FileRows key={`file ${model.number}`} model={model} />
      <OtherPrograms model={model} result={addressOf('result', link)} />
    </>
  );
}

function Heading({
  name,
  formula,
  children,
}: {
  readonly name?: string;
  readonly formula?: string;
  readonly children?: ComponentChildren;
}) {
  const title = name === undefined ? 'Predict' : `Predict with ${name}`;
  useTitle(title);
  return (
    <div class="heading">
      <h1>{title}</h1>
      {formula !== undefined && <code class="formula">{formula}</code>}
      {children}
    </div>
  );
}

function sentenceAbout({ n, sites, round, number, method, capped }: OpenedModel): string {
  const rows = capped === undefined ? `${countText(n)} rows` : 'the rows';
  const which = round === undefined ? 'Resolution' : `Round ${round}, resolution`;
  return `${which} ${number}: ${method}, from ${rows} at ${sites} ${sites === 1 ? 'site' : 'sites'}.`;
}
