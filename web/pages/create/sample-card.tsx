import { useEffect, useRef, useState } from 'preact/hooks';
import { fileEndings } from '../../../src/rows/file-endings.ts';
import { ask } from '../../desk/call.ts';
import type { SampleOverview, SampleReading } from '../../desk/sample.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { DropZone } from '../../ui/drop-zone.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { TroubleNotice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { byteText, countText } from '../../ui/words.ts';

/** A file of the analyst that stands for those of the sites; it is read here and goes nowhere. */
export function SampleCard({
  sample,
  onSample,
}: {
  readonly sample: SampleOverview | undefined;
  readonly onSample: (sample: SampleOverview | undefined) => void;
}) {
  const [file, setFile] = useState<File>();
  const [share, setShare] = useState<number>();
  const [trouble, setTrouble] = useState<Trouble>();
  const [decimal, setDecimal] = useState<'.' | ','>('.');
  const [markers, setMarkers] = useState('');
  const [encoding, setEncoding] = useState('');
  const [pasted, setPasted] = useState('');
  const place = useRef<HTMLDivElement>(null);
  const moves = useRef(false);
  // What was pressed is gone with what stood here: the keyboard goes on with what came instead.
  useEffect(() => {
    if (moves.current)
      place.current?.querySelector<HTMLElement>('[tabindex="-1"], button')?.focus();
    moves.current = false;
  }, [sample]);

  const read = async (
    chosen: File,
    reading: SampleReading = readingOf(decimal, markers, encoding),
  ) => {
    setFile(chosen);
    setTrouble(undefined);
    setShare(0);
    try {
      const found = await ask('readSample', [chosen, reading], { onNews: setShare });
      moves.current = sample === undefined;
      onSample(found);
      announce(`${chosen.name}: ${found.columns.length} columns, ${found.rows} rows`);
    } catch (failure) {
      setTrouble(troubleOf(failure));
    } finally {
      setShare(undefined);
    }
  };
  const forget = async () => {
    await ask('forgetSample', []);
    setFile(undefined);
    setTrouble(undefined);
    moves.current = true;
    onSample(undefined);
  };
  return (
    <Card
      title="A sample"
      about="A file of your own with rows like those of the sites. It drafts the columns for you. It is read in this tab and never sent; the study keeps names, kinds, levels and ranges, no row."
    >
      <div ref={place} class="stack">
        {sample === undefined ? (
          <>
            <DropZone
              accept={fileEndings}
              action="Choose a file"
              onFile={(chosen) => void read(chosen)}
            >
              <p>Drop a CSV or Parquet file here</p>
            </DropZone>
            <details>
              <summary>Paste rows instead, or go on without a sample</summary>
              <div class="stack">
                <TextField
                  label="Rows with a header line"
                  mono
                  lines={5}
                  value={pasted}
                  onInput={setPasted}
                  hint="From a spreadsheet or a text file. A few rows with every level are enough."
                />
                <div class="row">
                  <Button
                    onClick={() => void read(new File([pasted], 'pasted rows'))}
                    barred={pasted.trim() === '' ? 'Nothing was pasted yet' : undefined}
                  >
                    Read these rows
                  </Button>
                </div>
                <p class="soft small">
                  Without a sample, describe the columns by hand below, or load a study or a
                  codebook as JSON.
                </p>
              </div>
            </details>
          </>
        ) : (
          <div class="row">
            <p tabIndex={-1}>
              <strong>{sample.file}</strong>, {countText(sample.rows)} rows,{' '}
              {countText(sample.columns.length)} columns, {byteText(sample.bytes)}
            </p>
            <Button kind="quiet" onClick={() => void forget()}>
              Remove the sample
            </Button>
          </div>
        )}
      </div>
      {share !== undefined && <ProgressBar label="Looking through the sample" share={share} />}
      {trouble !== undefined && <TroubleNotice trouble={trouble} />}
      {file !== undefined && (
        <details>
          <summary>How the file is read</summary>
          <div class="fields">
            <SelectField
              label="Decimal mark"
              value={decimal}
              options={[
                ['.', 'point, as in 3.14'],
                [',', 'comma, as in 3,14'],
              ]}
              onChange={setDecimal}
            />
            <TextField
              label="Also missing"
              hint="Between commas; empty cells and NA always are."
              value={markers}
              onInput={setMarkers}
            />
            <TextField
              label="Encoding"
              hint="UTF-8 unless you say otherwise, such as latin1."
              value={encoding}
              onInput={setEncoding}
            />
          </div>
          <div class="row after">
            <Button onClick={() => void read(file)} busy={share !== undefined}>
              Read it again
            </Button>
          </div>
        </details>
      )}
    </Card>
  );
}

function readingOf(decimal: '.' | ',', markers: string, encoding: string): SampleReading {
  const missingMarkers = markers
    .split(',')
    .map((marker) => marker.trim())
    .filter((marker) => marker !== '');
  return {
    decimal,
    missingMarkers,
    ...(encoding.trim() === '' ? {} : { encoding: encoding.trim() }),
  };
}
