import { useEffect, useRef, useState } from 'preact/hooks';
import { shapeText } from '../../../src/study/image-study.ts';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import type { Chosen } from '../../tab/chosen-files.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { SheetOfImages } from '../../ui/contact-sheet.tsx';
import { DropZone } from '../../ui/drop-zone.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { bytesText, countText } from '../../ui/text.ts';
import { call } from '../../worker/call.ts';
import type { SampleOverview, SampleReading } from '../../worker/sample.ts';

/** A file of the analyst with rows like those of the sites. It is read in the tab and never sent. */
export function SampleCard({
  sample,
  onSample,
}: {
  readonly sample: SampleOverview | undefined;
  readonly onSample: (sample: SampleOverview | undefined) => void;
}) {
  const [file, setFile] = useState<Chosen>();
  const [share, setShare] = useState<number>();
  const [failure, setFailure] = useState<PageFailure>();
  const [decimal, setDecimal] = useState<'' | '.' | ','>('');
  const [markers, setMarkers] = useState('');
  const [encoding, setEncoding] = useState('');
  const [pasted, setPasted] = useState('');
  const place = useRef<HTMLDivElement>(null);
  const moves = useRef(false);
  // The pressed button is gone, so the keyboard focus moves to the new content.
  useEffect(() => {
    if (moves.current)
      place.current?.querySelector<HTMLElement>('[tabindex="-1"], button')?.focus();
    moves.current = false;
  }, [sample]);

  const read = async (
    chosen: Chosen,
    reading: SampleReading = readingOf(decimal, markers, encoding),
  ) => {
    setFile(chosen);
    setFailure(undefined);
    setShare(0);
    try {
      const found = await call('readSample', [chosen, reading], { onUpdate: setShare });
      moves.current = sample === undefined;
      onSample(found);
      announce(`${chosen.name}: ${contentOf(found)}`);
    } catch (error) {
      setFailure(pageFailureOf(error));
    } finally {
      setShare(undefined);
    }
  };
  const forget = async () => {
    await call('forgetSample', []);
    setFile(undefined);
    setFailure(undefined);
    moves.current = true;
    onSample(undefined);
  };
  return (
    <Card
      title="A sample"
      about="Your own file with rows like those of the sites. The columns are drafted from it. It is read in this tab and never sent. The study keeps the names, types, levels and ranges of its columns, but no rows."
    >
      <div ref={place} class="stack">
        {sample === undefined ? (
          <>
            <DropZone
              accept=""
              action="Choose a file"
              onFile={(chosen) => void read(chosen)}
              onFolder={(chosen) => void read(chosen)}
            >
              <p>Drop a CSV or Parquet file here, or a folder or files of images</p>
            </DropZone>
            <details>
              <summary>Paste rows instead, or continue without a sample</summary>
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
                    disabledReason={pasted.trim() === '' ? 'Nothing was pasted yet' : undefined}
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
              <strong>{sample.file}</strong>, {contentOf(sample)}, {bytesText(sample.bytes)}
            </p>
            <Button kind="quiet" onClick={() => void forget()}>
              Remove the sample
            </Button>
          </div>
        )}
      </div>
      {sample?.images !== undefined && <SheetOfImages sheet={sample.images.sheet} />}
      {share !== undefined && <ProgressBar label="Reading the sample" share={share} />}
      {failure !== undefined && <FailureNotice failure={failure} />}
      {file !== undefined && (
        <details>
          <summary>How the file is read</summary>
          <div class="fields">
            <SelectField
              label="Decimal mark"
              value={decimal}
              options={[
                ['', 'as the cells show'],
                ['.', 'point, as in 3.14'],
                [',', 'comma, as in 3,14'],
              ]}
              onChange={setDecimal}
            />
            <TextField
              label="Other texts that mean missing"
              hint="Separated by commas. Empty cells and NA are always missing."
              value={markers}
              onInput={setMarkers}
            />
            <TextField
              label="Encoding"
              hint="UTF-8 unless you write another, such as latin1."
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

function contentOf({ rows, columns, images }: SampleOverview): string {
  if (images !== undefined) return `${countText(rows)} images, ${shapeText(images.data)}`;
  return `${countText(rows)} rows, ${countText(columns.length)} columns`;
}

function readingOf(decimal: '' | '.' | ',', markers: string, encoding: string): SampleReading {
  const missingMarkers = markers
    .split(',')
    .map((marker) => marker.trim())
    .filter((marker) => marker !== '');
  return {
    missingMarkers,
    ...(decimal === '' ? {} : { decimal }),
    ...(encoding.trim() === '' ? {} : { encoding: encoding.trim() }),
  };
}
