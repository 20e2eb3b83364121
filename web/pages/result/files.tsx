import { useState } from 'preact/hooks';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { download } from '../../ui/download.ts';
import { FailureNotice } from '../../ui/notice.tsx';
import { call } from '../../worker/call.ts';
import type { FileKind } from '../../worker/result-files.ts';
import { placeOf, type SectionProps } from './section-props.ts';

const files: readonly (readonly [FileKind, string, string])[] = [
  [
    'signed',
    'Signed resolution',
    'The input of suffice predict and suffice verify. Keep this one.',
  ],
  [
    'html',
    'HTML report',
    'One page with every table and chart, to send or archive. It has no script and makes no request.',
  ],
  [
    'tidy',
    'Coefficients, CSV',
    'For a spreadsheet: the columns of broom’s tidy() in R, with all digits.',
  ],
  ['glance', 'Fit, CSV', 'One line for each response: the columns of broom’s glance().'],
  ['markdown', 'Markdown', 'The table with five digits, for a manuscript or an issue.'],
  ['report', 'Report, JSON', 'The same bytes as suffice report --json.'],
  [
    'model',
    'Model, JSON',
    'Coefficients, coding and codebook in one documented file, for your own programs.',
  ],
  ['r', 'R', 'A function that predicts in R, without any package.'],
  ['python', 'Python', 'A function that predicts in Python, from a DataFrame or plain lists.'],
  ['onnx', 'ONNX', 'For runtimes without R or Python.'],
];

/** Files for models without coefficients too. */
const ofAnyModel: ReadonlySet<FileKind> = new Set(['signed', 'report']);

/** Files that need the columns of a formula. */
const ofFormulas: ReadonlySet<FileKind> = new Set([
  'html',
  'glance',
  'model',
  'r',
  'python',
  'onnx',
]);

function canBeMade(kind: FileKind, { responses, hasFormula }: SectionProps['shown']): boolean {
  if (responses.length === 0) return ofAnyModel.has(kind);
  return hasFormula || !ofFormulas.has(kind);
}

/** All downloads; each file is made in the tab. */
export function FilesSection({ shown, total }: SectionProps) {
  const [busy, setBusy] = useState<FileKind>();
  const [failure, setFailure] = useState<PageFailure>();
  const made = files.filter(([kind]) => canBeMade(kind, shown));
  const make = async (kind: FileKind) => {
    setBusy(kind);
    setFailure(undefined);
    try {
      const { name, type, content } = await call('makeResultFile', [...placeOf(shown), kind]);
      download(name, [content], type);
      announce(`${name} is downloaded`);
    } catch (error) {
      setFailure(pageFailureOf(error));
    }
    setBusy(undefined);
  };
  return (
    <div class="stack">
      {total.kind !== 'here' && (
        <p class="soft">
          The total is not available. Therefore the HTML report has no correlations, traces and
          tests of terms, and the model has no covariance of its coefficients.
        </p>
      )}
      <ul class="files">
        {made.map(([kind, name, use]) => (
          <li key={kind}>
            <Button busy={busy === kind} onClick={() => void make(kind)}>
              {name}
            </Button>
            <span>{use}</span>
          </li>
        ))}
      </ul>
      {failure !== undefined && <FailureNotice failure={failure} />}
    </div>
  );
}
