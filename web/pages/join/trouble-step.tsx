import type { ReadingWishes } from '../../desk/join.ts';
import type { StudyTold } from '../../desk/study-told.ts';
import type { Trouble } from '../../desk/trouble.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Notice, sentence, TroubleNotice } from '../../ui/notice.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';

interface TroubleStepProps {
  readonly trouble: Trouble;
  readonly study: StudyTold;
  readonly wishes: ReadingWishes;
  /** Reads the same file in another way. */
  readonly onAgain: (change: Partial<ReadingWishes>) => void;
}

/** Why nothing came of a file, where, and what would help. */
export function TroubleStep(props: TroubleStepProps) {
  const { trouble } = props;
  const part = useHeadingFocus();
  if (trouble.kind === 'cancelled') {
    return (
      <Notice kind="info" title="You stopped the reading.">
        <p>Nothing was sent, and nothing of the file is kept.</p>
      </Notice>
    );
  }
  return (
    <div ref={part}>
      <Card title={titleOf(trouble)} about="Nothing was sent.">
        <TroubleNotice trouble={trouble} />
        {trouble.mismatches !== undefined && <Mismatches mismatches={trouble.mismatches} />}
        <OtherWays {...props} />
      </Card>
    </div>
  );
}

function titleOf({ kind }: Trouble): string {
  if (kind === 'mismatch') return 'The file does not fit the study';
  return kind === 'data' ? 'The file cannot be used as it is' : 'It did not work';
}

function Mismatches({ mismatches }: { readonly mismatches: NonNullable<Trouble['mismatches']> }) {
  return (
    <ul class="join-rules" aria-label="Columns that do not match">
      {mismatches.map(({ column, problem, remedy, otherDecimal }) => (
        <li key={`${column} ${problem}`} class="block">
          <p>
            <code>{column}</code>: {problem}
          </p>
          <p class="remedy">
            {sentence(remedy)}
            {otherDecimal === true && ' Its cells look like numbers with the other decimal mark.'}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** Ways to read the same file that would explain what went wrong. */
function OtherWays({ trouble, study, wishes, onAgain }: TroubleStepProps) {
  const column = trouble.mismatches?.find(({ otherDecimal }) => otherDecimal === true)?.column;
  const declared = study.columns.find(({ name }) => name === column)?.decimal ?? '.';
  const other = (wishes.decimal ?? declared) === '.' ? ',' : '.';
  const encoding = likelyEncoding(trouble, wishes);
  const whole = wishes.missing === 'refuse' && /cell is missing/.test(trouble.problem);
  if (column === undefined && encoding === undefined && !whole) return null;
  return (
    <div class="row">
      {column !== undefined && (
        <Button kind="primary" onClick={() => onAgain({ decimal: other })}>
          {`Read again with a decimal ${other === ',' ? 'comma' : 'point'}`}
        </Button>
      )}
      {whole && (
        <Button kind="primary" onClick={() => onAgain({ missing: 'drop' })}>
          Read again and leave such rows out
        </Button>
      )}
      {encoding !== undefined && (
        <Button kind="primary" onClick={() => onAgain({ encoding })}>
          {`The encoding is the likely cause: read again as ${encoding === 'utf-8' ? 'UTF-8' : 'Western European (latin1)'}`}
        </Button>
      )}
    </div>
  );
}

function likelyEncoding(
  { kind, problem, remedy }: Trouble,
  { encoding }: ReadingWishes,
): string | undefined {
  // Read as something else than it is, names and levels do not match; read as UTF-8 it would have been refused.
  if (kind === 'mismatch')
    return encoding === undefined || encoding === 'utf-8' ? undefined : 'utf-8';
  const suspected = kind === 'data' && /utf-8|encoding/i.test(`${problem} ${remedy}`);
  return suspected && (encoding === undefined || encoding === 'utf-8') ? 'latin1' : undefined;
}
