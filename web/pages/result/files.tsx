import { useState } from 'preact/hooks';
import { ask } from '../../desk/call.ts';
import type { FileKind } from '../../desk/result-files.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { download } from '../../ui/download.ts';
import { TroubleNotice } from '../../ui/notice.tsx';
import { type PartProps, placeOf } from './part.ts';

const files: readonly (readonly [FileKind, string, string])[] = [
  ['signed', 'Signed resolution', 'What suffice predict and suffice verify read. Keep this one.'],
  [
    'html',
    'HTML report',
    'One page with every table and picture: no script, no request, to be sent or archived.',
  ],
  [
    'tidy',
    'Coefficients, CSV',
    'For a spreadsheet: the columns of broom’s tidy() in R, with all digits.',
  ],
  ['glance', 'Fit, CSV', 'One line a response: the columns of broom’s glance().'],
  ['markdown', 'Markdown', 'The table in five digits, for a manuscript or an issue.'],
  ['report', 'Report, JSON', 'The bytes that suffice report --json prints.'],
  [
    'model',
    'Model, JSON',
    'Coefficients, coding and codebook in one documented file, for programs of your own.',
  ],
  ['r', 'R', 'A function that predicts in R, without any package.'],
  ['python', 'Python', 'A function that predicts in Python, of a DataFrame or of plain lists.'],
  ['onnx', 'ONNX', 'For runtimes that know neither R nor Python.'],
];

/** Files that say the same of a model without coefficients. */
const ofAnyModel: ReadonlySet<FileKind> = new Set(['signed', 'report']);

/** Files about the columns of a formula. */
const ofFormulas: ReadonlySet<FileKind> = new Set([
  'html',
  'glance',
  'model',
  'r',
  'python',
  'onnx',
]);

function canBeMade(kind: FileKind, { responses, hasFormula }: PartProps['shown']): boolean {
  if (responses.length === 0) return ofAnyModel.has(kind);
  return hasFormula || !ofFormulas.has(kind);
}

/** Everything one may want to take along; each file is made here, in the tab. */
export function Files({ shown, total }: PartProps) {
  const [busy, setBusy] = useState<FileKind>();
  const [trouble, setTrouble] = useState<Trouble>();
  const made = files.filter(([kind]) => canBeMade(kind, shown));
  const make = async (kind: FileKind) => {
    setBusy(kind);
    setTrouble(undefined);
    try {
      const { name, type, content } = await ask('makeResultFile', [...placeOf(shown), kind]);
      download(name, [content], type);
      announce(`${name} is downloaded`);
    } catch (failure) {
      setTrouble(troubleOf(failure));
    }
    setBusy(undefined);
  };
  return (
    <div class="stack">
      {total.kind !== 'here' && (
        <p class="soft">
          The total is not at hand, so the HTML report is without correlations, traces and tests of
          terms, and the model is without the covariance of its coefficients.
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
      {trouble !== undefined && <TroubleNotice trouble={trouble} />}
    </div>
  );
}
