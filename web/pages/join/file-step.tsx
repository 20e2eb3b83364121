import { useState } from 'preact/hooks';
import { fileEndings } from '../../../src/rows/file-endings.ts';
import type { ReadingWishes } from '../../desk/join.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { DropZone } from '../../ui/drop-zone.tsx';
import { TextField } from '../../ui/field.tsx';
import { TroubleNotice } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { ReadingFields } from './reading-fields.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';
import type { Readiness } from './use-readiness.ts';

interface FileStepProps {
  readonly readiness: Readiness;
  readonly wishes: ReadingWishes;
  readonly onWish: (wishes: ReadingWishes) => void;
  readonly onFile: (file: File) => void;
  readonly hasFocus: boolean;
}

/** The place for the file: dropped, chosen or pasted, and how it is to be read. */
export function FileStep({ readiness, wishes, onWish, onFile, hasFocus }: FileStepProps) {
  const { ready, trouble } = readiness;
  const part = useHeadingFocus(hasFocus);
  const barred = ready ? undefined : 'what reads your file is still being loaded';
  return (
    <div ref={part}>
      <Card
        title="Your file"
        about="It is read here, in this tab. From the moment you choose it until you approve, this page makes no request at all."
        aside={
          <Tag kind={ready ? 'good' : 'plain'}>
            {ready ? 'Ready for your file' : 'Getting ready'}
          </Tag>
        }
      >
        {trouble !== undefined && (
          <TroubleNotice trouble={trouble}>
            <div class="row">
              {/* A browser asks only once for a part of a page that did not come. */}
              <Button onClick={() => location.reload()}>Reload the page</Button>
            </div>
          </TroubleNotice>
        )}
        <DropZone
          action="Choose a file"
          accept={`${fileEndings},text/csv`}
          barred={barred}
          onFile={onFile}
        >
          <p>
            <strong>Drop a CSV or Parquet file here</strong>
          </p>
          <p class="soft">Of any size: it is read piece by piece.</p>
        </DropZone>
        <details>
          <summary>How the file is read</summary>
          <ReadingFields wishes={wishes} onWish={onWish} />
        </details>
        <details>
          <summary>Paste rows instead</summary>
          <Pasting barred={barred} onFile={onFile} />
        </details>
      </Card>
    </div>
  );
}

function Pasting({
  barred,
  onFile,
}: Pick<FileStepProps, 'onFile'> & { readonly barred: string | undefined }) {
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
          barred={barred ?? (text.trim() === '' ? 'nothing is pasted yet' : undefined)}
        >
          Read what is pasted
        </Button>
      </div>
    </form>
  );
}
