import { useEffect, useRef, useState } from 'preact/hooks';
import { fileEndings } from '../../../src/rows/file-endings.ts';
import { ask } from '../../desk/call.ts';
import type { FileChoices, FileSummary, ReadingNews } from '../../desk/file-prediction.ts';
import type { OpenedModel } from '../../desk/opened-model.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { download } from '../../ui/download.ts';
import { DropZone } from '../../ui/drop-zone.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { TroubleNotice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { byteText, countText } from '../../ui/words.ts';
import { FilePredictions } from './file-predictions.tsx';

interface FileRowsProps {
  readonly model: OpenedModel;
  readonly extrapolate: boolean;
  readonly onExtrapolate: (extrapolate: boolean) => void;
}

interface Reading extends ReadingNews {
  readonly words: string;
}

type Interval = 'none' | 'confidence' | 'prediction';

const OWN_SITES = 'the file’s column .site';

/** Predictions for every row of a file; the tab makes no request meanwhile. */
export function FileRows({ model, extrapolate, onExtrapolate }: FileRowsProps) {
  const [file, setFile] = useState<File>();
  const [interval, setInterval] = useState<Interval>('none');
  const [site, setSite] = useState(OWN_SITES);
  const [reading, setReading] = useState<Reading>();
  const [summary, setSummary] = useState<FileSummary>();
  const [trouble, setTrouble] = useState<Trouble>();
  const [beside, setBeside] = useState<'nothing' | 'own columns'>('nothing');
  const control = useRef<AbortController>(undefined);
  const result = useRef<HTMLDivElement>(null);
  const sites = model.fields.find(({ name }) => name === '.site');

  // Fetched before any file is there: while one is read the tab asks for nothing.
  useEffect(() => void import('../../charts/histogram.tsx'), []);

  const choices: FileChoices = {
    extrapolate,
    ...(interval === 'none' ? {} : { interval: { kind: interval, level: 0.95 } }),
    ...(site === OWN_SITES ? {} : { site }),
  };
  const follow = async <T,>(
    words: string,
    work: (following: {
      readonly signal: AbortSignal;
      readonly onNews: (news: ReadingNews) => void;
    }) => Promise<T>,
  ): Promise<T | undefined> => {
    control.current = new AbortController();
    setTrouble(undefined);
    setReading({ words, bytes: 0, rows: 0 });
    try {
      return await work({
        signal: control.current.signal,
        onNews: (news) => setReading({ words, ...news }),
      });
    } catch (failure) {
      setTrouble(withoutSending(troubleOf(failure)));
      return undefined;
    } finally {
      setReading(undefined);
      requestAnimationFrame(() => result.current?.focus());
    }
  };
  const look = async (chosen: File) => {
    setFile(chosen);
    setSummary(undefined);
    setBeside('nothing');
    const found = await follow('Predicting', (following) =>
      ask('lookAtFile', [chosen, choices], following),
    );
    if (found === undefined) return;
    setSummary(found);
    announce(`${countText(found.rows)} rows predicted`);
  };
  const keep = async (chosen: File) => {
    const written = await follow('Writing predictions', (following) =>
      ask('writePredictions', [chosen, { ...choices, beside }], following),
    );
    if (written === undefined) return;
    download(`${chosen.name.replace(/\.[^.]*$/, '')}-predictions.csv`, [written], 'text/csv');
    announce('The predictions are downloaded');
  };
  const change = (apply: () => void) => {
    apply();
    setSummary(undefined);
    setTrouble(undefined);
  };

  return (
    <Card
      title="Every row of a file"
      about="CSV or Parquet. It is read in this tab, and nothing of it is sent. It need not have the response."
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
            label="Whose rows they are"
            value={site}
            options={[OWN_SITES, ...sites.levels].map((name) => [name, name])}
            onChange={(chosen) => change(() => setSite(chosen))}
          />
        )}
        <CheckField
          checked={extrapolate}
          onChange={(checked) => change(() => onExtrapolate(checked))}
        >
          Extrapolate, rather than refuse a file with values outside the study’s ranges
        </CheckField>
      </div>
      {reading === undefined && (
        <DropZone
          accept={fileEndings}
          action={file === undefined ? 'Choose a file' : 'Choose another file'}
          onFile={(chosen) => void look(chosen)}
        >
          <p>
            {file === undefined ? 'Drop a file here, or' : <strong>{file.name}</strong>}
            {file !== undefined && <span class="soft"> {byteText(file.size)}</span>}
          </p>
          {file !== undefined && summary === undefined && (
            <Button onClick={() => void look(file)}>Predict it again</Button>
          )}
        </DropZone>
      )}
      {reading !== undefined && file !== undefined && (
        <div class="stack predict-reading">
          <ProgressBar
            label={`${reading.words}: ${file.name}`}
            share={reading.bytes / Math.max(1, file.size)}
            detail={`${countText(reading.rows)} rows, ${byteText(reading.bytes)} of ${byteText(file.size)}`}
          />
          <div class="row">
            <Button onClick={() => control.current?.abort()}>Stop</Button>
          </div>
        </div>
      )}
      <div ref={result} tabIndex={-1} class="stack predict-result">
        {trouble !== undefined && <TroubleNotice trouble={trouble} />}
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

function withoutSending(trouble: Trouble): Trouble {
  if (trouble.kind !== 'cancelled') return trouble;
  return { ...trouble, problem: 'you stopped it; no file was written' };
}
