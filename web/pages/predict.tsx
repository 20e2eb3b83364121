import '../style/predict.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, isSite, type PageProps, type StudyLink } from '../app/here.ts';
import { useTitle } from '../app/shell.tsx';
import { ask } from '../desk/call.ts';
import type { OpenedModel } from '../desk/opened-model.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { Notice, TroubleNotice } from '../ui/notice.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { countText, timeText } from '../ui/words.ts';
import { Elsewhere } from './predict/elsewhere.tsx';
import { FileRows } from './predict/file-rows.tsx';
import { NotYet } from './predict/not-yet.tsx';
import { OneRow } from './predict/one-row.tsx';

/** The model of a study, applied to rows that stay in the tab. */
export function PredictPage({ here: { link } }: PageProps) {
  return (
    <>
      {link === undefined ? (
        <>
          <Heading />
          <Notice kind="warn" title="This address names no study.">
            <p>
              Open the link you were given in full: what stands behind # is part of it, and some
              mail programs cut it off.
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
  const { value, trouble } = useAnswer(() => ask('openModel', [link, number]), [number, attempt]);
  if (trouble !== undefined) {
    return (
      <>
        <Heading />
        {trouble.code === 'no-token' || trouble.code === 'not-allowed' ? (
          <Notice kind="bad" title="This link does not open a study here.">
            <p>
              It may have been copied in part, or its secret was replaced or revoked. Ask whoever
              sent it to you for a new one.
            </p>
          </Notice>
        ) : (
          <TroubleNotice trouble={trouble}>
            <div class="row">
              <Button onClick={() => setAttempt(attempt + 1)}>Try again</Button>
            </div>
          </TroubleNotice>
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
  const shared = { model, extrapolate, onExtrapolate: setExtrapolate };
  return (
    <>
      <Heading {...model}>
        <p class="soft">{sentenceAbout(model)} Nothing you type or drop here leaves this tab.</p>
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
            Noise was added to protect single rows, so predictions are rougher than the data would
            allow. They are kept within the study’s range, {model.capped[0]} to {model.capped[1]}.
          </p>
        </Notice>
      )}
      <OneRow key={model.number} {...shared} />
      <FileRows key={`file ${model.number}`} {...shared} />
      <Elsewhere model={model} result={addressOf('result', link)} />
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

function sentenceAbout({ n, sites, number, method, capped }: OpenedModel): string {
  const rows = capped === undefined ? `${countText(n)} rows` : 'the rows';
  return `Resolution ${number}: ${method}, from ${rows} at ${sites} ${sites === 1 ? 'site' : 'sites'}.`;
}
