import { useState } from 'preact/hooks';
import { fileEndings } from '../../../src/rows/files.ts';
import type { Chosen } from '../../tab/chosen-files.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { DropZone } from '../../ui/drop-zone.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FailureNotice, Notice } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { call } from '../../worker/call.ts';
import type { ReadingOptions } from '../../worker/join.ts';
import { epochsText } from './training-part.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';
import type { Readiness } from './use-readiness.ts';

interface FileStepProps {
  readonly readiness: Readiness;
  readonly options: ReadingOptions;
  readonly onOptions: (options: ReadingOptions) => void;
  readonly onFile: (file: Chosen) => void;
  /** Whether the study reads images, which come in folders too. */
  readonly images: boolean;
  /** The columns of the study stay in memory: a party exchanges them with others. */
  readonly inMemory: boolean;
  /** Epochs of an interrupted training that this browser keeps. */
  readonly trained: number | undefined;
  readonly hasFocus: boolean;
}

/** The place for the file (dropped, chosen or pasted) and the options for reading it. */
export function FileStep(props: FileStepProps) {
  const { readiness, options, onOptions, onFile, images, inMemory, trained, hasFocus } = props;
  const { ready, failure } = readiness;
  const part = useHeadingFocus(hasFocus);
  const disabledReason = ready ? undefined : 'the code that reads your file is still loading';
  return (
    <div ref={part}>
      <Card
        title="Your file"
        about="It is read here, in this tab. From the moment you choose it until you approve, this page makes no request."
        aside={
          <Tag kind={ready ? 'good' : 'plain'}>
            {ready ? 'Ready for your file' : 'Getting ready'}
          </Tag>
        }
      >
        {failure !== undefined && (
          <FailureNotice failure={failure}>
            <div class="row">
              {/* A browser does not load a failed script again without a reload. */}
              <Button onClick={() => location.reload()}>Reload the page</Button>
            </div>
          </FailureNotice>
        )}
        {trained !== undefined && <KeptTraining epochs={trained} />}
        <DropZone
          action={images ? 'Choose files' : 'Choose a file'}
          accept={images ? '' : `${fileEndings},text/csv`}
          disabledReason={disabledReason}
          onFile={onFile}
          onFolder={images ? onFile : undefined}
        >
          <p>
            <strong>
              {images ? 'Drop a folder or files of images here' : 'Drop a CSV or Parquet file here'}
            </strong>
          </p>
          <p class="soft">
            {images
              ? 'A folder has PNG files in a sub-folder for each class. IDX files come in pairs: images and labels. A table of pixels is a CSV or Parquet file. Files of SVHN, CIFAR (binary) and GTSRB are read as they are.'
              : inMemory
                ? 'The columns of the study are kept in memory while you take part.'
                : 'Of any size: it is read piece by piece.'}
          </p>
        </DropZone>
        <details>
          <summary>How the file is read</summary>
          <ReadingFields options={options} onOptions={onOptions} />
        </details>
        <details>
          <summary>Paste rows instead</summary>
          <Pasting disabledReason={disabledReason} onFile={onFile} />
        </details>
      </Card>
    </div>
  );
}

/** What to do with an interrupted training. */
function KeptTraining({ epochs }: { readonly epochs: number }) {
  const [forgotten, setForgotten] = useState(false);
  const forget = async () => {
    await call('forgetTraining', []);
    setForgotten(true);
    announce('The interrupted training is forgotten');
  };
  if (forgotten) return null;
  return (
    <Notice kind="info" title="A training for this study was interrupted in this browser.">
      <p>
        It had done {epochsText(epochs)}. Choose the same file, and it goes on from there; with
        another file a new training starts.
      </p>
      <div class="row">
        <Button kind="quiet" onClick={() => void forget()}>
          Forget it
        </Button>
      </div>
    </Notice>
  );
}

const encodings = [
  ['', 'as the file says, else UTF-8'],
  ['utf-8', 'UTF-8'],
  ['latin1', 'Western European (latin1, Windows-1252)'],
  ['windows-1250', 'Central European (Windows-1250)'],
  ['iso-8859-2', 'Central European (ISO 8859-2)'],
  ['windows-1251', 'Cyrillic (Windows-1251)'],
  ['utf-16le', 'UTF-16, low byte first'],
  ['utf-16be', 'UTF-16, high byte first'],
  ['gb18030', 'Chinese (GB 18030)'],
  ['shift_jis', 'Japanese (Shift JIS)'],
] as const;
const decimals = [
  ['', 'as the file or the study says'],
  ['.', 'point: 3.14'],
  [',', 'comma: 3,14'],
] as const;
const missingRules = [
  ['drop', 'leave them out and count them'],
  ['refuse', 'refuse the file'],
] as const;
const profiles = [
  ['', 'those of the study'],
  ['datashield', 'DataSHIELD: sums over 3 rows or more'],
  ['default', 'default: sums over 5 rows or more'],
  ['agency', 'statistical agency: sums over 10 rows or more'],
] as const;
const comparisonRules = [
  ['', 'allowed; the rules look at each'],
  ['forbid', 'refused, wherever they are in a formula'],
] as const;

/** Options for a file that differs from the study's codebook. */
function ReadingFields({ options, onOptions }: Pick<FileStepProps, 'options' | 'onOptions'>) {
  const { encoding, decimal, missing, profile, comparisons } = options;
  const [markers, setMarkers] = useState((options.wording?.missing ?? []).join(', '));
  const set = (choice: Partial<ReadingOptions>) => onOptions({ ...options, ...choice });
  return (
    <div class="columns join-options">
      <SelectField
        label="Encoding of a text file"
        value={encoding ?? ''}
        options={encodings}
        onChange={(value) =>
          value === '' ? onOptions(without(options, 'encoding')) : set({ encoding: value })
        }
      />
      <SelectField
        label="Decimal mark"
        value={decimal ?? ''}
        options={decimals}
        onChange={(value) =>
          value === '' ? onOptions(without(options, 'decimal')) : set({ decimal: value })
        }
      />
      <SelectField
        label="Rows with missing cells"
        value={missing}
        options={missingRules}
        onChange={(value) => set({ missing: value })}
      />
      <TextField
        label="Texts that mean missing in this file"
        hint="Beside those of the study; a comma between two."
        value={markers}
        onInput={(value) => {
          setMarkers(value);
          const missing = value.split(',').flatMap((text) => text.trim() || []);
          set({ wording: { ...options.wording, missing } });
        }}
        mono
      />
      <SelectField
        label="Your own disclosure rules"
        hint="The stricter of these rules and the study’s rules apply."
        value={profile ?? ''}
        options={profiles}
        onChange={(value) =>
          value === '' ? onOptions(without(options, 'profile')) : set({ profile: value })
        }
      />
      <SelectField
        label="Comparisons such as I(age > 65)"
        value={comparisons ?? ''}
        options={comparisonRules}
        onChange={(value) =>
          value === '' ? onOptions(without(options, 'comparisons')) : set({ comparisons: value })
        }
      />
    </div>
  );
}

function without(
  options: ReadingOptions,
  name: 'encoding' | 'decimal' | 'profile' | 'comparisons',
): ReadingOptions {
  const { [name]: _, ...rest } = options;
  return rest;
}

function Pasting({
  disabledReason,
  onFile,
}: Pick<FileStepProps, 'onFile'> & { readonly disabledReason: string | undefined }) {
  const [text, setText] = useState('');
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onFile(new File([text], 'pasted.csv', { type: 'text/csv' }));
      }}
    >
      <TextField
        label="Rows with their header, as CSV or copied from a spreadsheet"
        value={text}
        onInput={setText}
        lines={8}
        mono
      />
      <div class="row">
        <Button
          submits
          disabledReason={
            disabledReason ?? (text.trim() === '' ? 'nothing is pasted yet' : undefined)
          }
        >
          Read the pasted rows
        </Button>
      </div>
    </form>
  );
}
