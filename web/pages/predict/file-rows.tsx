import { useEffect, useRef, useState } from 'preact/hooks';
import { fileEndings } from '../../../src/rows/files.ts';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import type { Chosen } from '../../tab/chosen-files.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { download } from '../../ui/download.ts';
import { DropZone } from '../../ui/drop-zone.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { bytesText, countText } from '../../ui/text.ts';
import { call } from '../../worker/call.ts';
import type { FileChoices, FileSummary, PredictionProgress } from '../../worker/file-prediction.ts';
import type { OpenedModel } from '../../worker/opened-model.ts';
import { FilePredictions } from './file-predictions.tsx';

interface FileRowsProps {
  readonly model: OpenedModel;
}

interface Reading extends PredictionProgress {
  readonly label: string;
}

type Interval = 'none' | 'confidence' | 'prediction';

const OWN_SITES = 'the file’s column .site';

/** Predictions for every row of a file; the tab makes no request. */
export function FileRows({ model }: FileRowsProps) {
  const [file, setFile] = useState<Chosen>();
  const [interval, setInterval] = useState<Interval>('none');
  const [site, setSite] = useState(OWN_SITES);
  const [reading, setReading] = useState<Reading>();
  const [summary, setSummary] = useState<FileSummary>();
  const [failure, setFailure] = useState<PageFailure>();
  const [beside, setBeside] = useState<'nothing' | 'own columns'>('nothing');
  const control = useRef<AbortController>(undefined);
  const result = useRef<HTMLDivElement>(null);
  const sites = model.fields.find(({ name }) => name === '.site');

  // Loaded before a file is chosen, so that reading makes no request.
  useEffect(() => void import('../../charts/histogram.tsx'), []);

  const choices: FileChoices = {
    ...(interval === 'none' ? {} : { interval: { kind: interval, level: 0.95 } }),
    ...(site === OWN_SITES ? {} : { site }),
  };
  const follow = async <T,>(
    label: string,
    work: (options: {
      readonly signal: AbortSignal;
      readonly onUpdate: (progress: PredictionProgress) => void;
    }) => Promise<T>,
  ): Promise<T | undefined> => {
    control.current = new AbortController();
    setFailure(undefined);
    setReading({ label, bytes: 0, rows: 0 });
    try {
      return await work({
        signal: control.current.signal,
        onUpdate: (progress) => setReading({ label, ...progress }),
      });
    } catch (error) {
      setFailure(withoutSending(pageFailureOf(error)));
      return undefined;
    } finally {
      setReading(undefined);
      requestAnimationFrame(() => result.current?.focus());
    }
  };
  const look = async (chosen: Chosen) => {
    setFile(chosen);
    setSummary(undefined);
    setBeside('nothing');
    const found = await follow('Predicting', (options) =>
      call('lookAtFile', [chosen, choices], options),
    );
    if (found === undefined) return;
    setSummary(found);
    announce(`${countText(found.rows)} rows predicted`);
  };
  const keep = async (chosen: Chosen) => {
    const written = await follow('Writing predictions', (options) =>
      call('predictionsFile', [chosen, { ...choices, beside }], options),
    );
    if (written === undefined) return;
    download(`${chosen.name.replace(/\.[^.]*$/, '')}-predictions.csv`, [written], 'text/csv');
    announce('The predictions are downloaded');
  };
  const change = (apply: () => void) => {
    apply();
    setSummary(undefined);
    setFailure(undefined);
  };

  return (
    <Card
      title={model.images === undefined ? 'Every row of a file' : 'Your images'}
      about={
        model.images === undefined
          ? 'CSV or Parquet. It is read in this tab and not sent. The response column is not needed.'
          : `A folder or files of images, or a table of pixels: ${model.images}. They are read in this tab and not sent. Classes are not needed; where they are there, the predictions are compared with them.`
      }
    >
      <div class="predict-choices">
        {model.intervals.length > 0 && (
          <div class="field">
            <span class="label">Interval around each prediction</span>
            <Choice
              label="Interval around each prediction"
              value={interval}
              options={[
                ['none', 'None'],
                ['confidence', 'Of the mean, 95 %'],
                ...(model.intervals.includes('prediction')
                  ? [['prediction', 'Of a new row, 95 %'] as const]
                  : []),
              ]}
              onChange={(chosen) => change(() => setInterval(chosen))}
            />
          </div>
        )}
        {sites?.kind === 'category' && (
          <SelectField
            label="Site of the rows"
            value={site}
            options={[OWN_SITES, ...sites.levels].map((name) => [name, name])}
            onChange={(chosen) => change(() => setSite(chosen))}
          />
        )}
      </div>
      {reading === undefined && (
        <DropZone
          accept={model.images === undefined ? fileEndings : ''}
          action={file === undefined ? 'Choose a file' : 'Choose another file'}
          onFile={(chosen) => void look(chosen)}
          onFolder={model.images === undefined ? undefined : (chosen) => void look(chosen)}
        >
          <p>
            {file === undefined ? 'Drop a file here, or' : <strong>{file.name}</strong>}
            {file !== undefined && <span class="soft"> {bytesText(file.size)}</span>}
          </p>
          {file !== undefined && summary === undefined && (
            <Button onClick={() => void look(file)}>Predict it again</Button>
          )}
        </DropZone>
      )}
      {reading !== undefined && file !== undefined && (
        <div class="stack predict-reading">
          <ProgressBar
            label={`${reading.label}: ${file.name}`}
            share={reading.bytes / Math.max(1, file.size)}
            detail={`${countText(reading.rows)} rows, ${bytesText(reading.bytes)} of ${bytesText(file.size)}`}
          />
          <div class="row">
            <Button onClick={() => control.current?.abort()}>Stop</Button>
          </div>
        </div>
      )}
      <div ref={result} tabIndex={-1} class="stack predict-result">
        {failure !== undefined && <FailureNotice failure={failure} />}
        {summary !== undefined && file !== undefined && reading === undefined && (
          <FilePredictions
            summary={summary}
            beside={beside}
            onBeside={setBeside}
            onDownload={() => void keep(file)}
          />
        )}
      </div>
    </Card>
  );
}

function withoutSending(failure: PageFailure): PageFailure {
  if (failure.kind !== 'cancelled') return failure;
  return { ...failure, problem: 'you stopped it; no file was written' };
}
