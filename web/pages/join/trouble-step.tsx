import type { ReadingWishes } from '../../desk/join.ts';
import type { StudyTold } from '../../desk/study-told.ts';
import type { Trouble } from '../../desk/trouble.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Notice, sentence, TroubleNotice } from '../../ui/notice.tsx';
import { type OtherWay, otherWay, readAs } from './other-ways.ts';
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
        <Mismatches {...props} />
        <OtherWays {...props} />
      </Card>
    </div>
  );
}

function titleOf({ kind }: Trouble): string {
  if (kind === 'mismatch') return 'The file does not fit the study';
  return kind === 'data' ? 'The file cannot be used as it is' : 'It did not work';
}

const ABSENT = 'the file has no such column';

/** What does not match, a line a column; columns that are not there at all share one. */
function Mismatches(props: TroubleStepProps) {
  const { mismatches = [] } = props.trouble;
  if (mismatches.length === 0) return null;
  const absent = mismatches.filter(({ problem }) => problem === ABSENT);
  const together = absent.length > 1 ? absent : [];
  return (
    <ul class="join-rules" aria-label="Columns that do not match">
      {together.length > 0 && (
        <Absent
          names={together.map(({ column }) => column)}
          all={together.length === props.study.columns.length}
        />
      )}
      {mismatches
        .filter((one) => !together.includes(one))
        .map(({ column, problem, remedy, otherDecimal }) => (
          <li key={`${column} ${problem}`} class="block">
            <p>
              <code>{column}</code>: {problem}
            </p>
            <p class="remedy">
              {otherDecimal === true
                ? `They look like numbers with a decimal ${otherMark(props)}: read the file again that way.`
                : sentence(remedy)}
            </p>
          </li>
        ))}
    </ul>
  );
}

function Absent({ names, all }: { readonly names: readonly string[]; readonly all: boolean }) {
  return (
    <li class="block">
      <p>
        {names.map((name, k) => (
          <>
            {k > 0 && ', '}
            <code>{name}</code>
          </>
        ))}
        : {ABSENT}s
      </p>
      <p class="remedy">
        {all
          ? 'None of the study’s columns is there. Is it the right file? Its first line must name the columns as the study does.'
          : 'Name them in the first line of the file, as the study does.'}
      </p>
    </li>
  );
}

/** The decimal mark by which the file was not read. */
function otherMark({ trouble, study, wishes }: TroubleStepProps): 'comma' | 'point' {
  const column = trouble.mismatches?.find(({ otherDecimal }) => otherDecimal === true)?.column;
  const declared = study.columns.find(({ name }) => name === column)?.decimal ?? '.';
  return (wishes.decimal ?? declared) === '.' ? 'comma' : 'point';
}

/** Ways to read the same file that would explain what went wrong. */
function OtherWays(props: TroubleStepProps) {
  const { wishes, onAgain } = props;
  const ways = [suspected(props), otherWay(props.trouble.option, wishes), misread(props)].filter(
    (way) => way !== undefined,
  );
  if (ways.length === 0) return null;
  return (
    <div class="row">
      {ways.map(({ says, change }) => (
        <Button key={says} kind="primary" onClick={() => onAgain(change)}>
          {says}
        </Button>
      ))}
    </div>
  );
}

/** The other decimal mark, where cells look like numbers with it. */
function suspected(props: TroubleStepProps): OtherWay | undefined {
  if (props.trouble.mismatches?.some(({ otherDecimal }) => otherDecimal === true) !== true) {
    return undefined;
  }
  const value = otherMark(props) === 'comma' ? ',' : '.';
  return otherWay({ name: 'decimal', value }, props.wishes);
}

/** Read as something else than it is, names and levels do not match; read as UTF-8 it would have been refused. */
function misread({ trouble, wishes }: TroubleStepProps): OtherWay | undefined {
  const { encoding = 'utf-8' } = wishes;
  return trouble.kind === 'mismatch' && encoding !== 'utf-8' ? readAs('utf-8') : undefined;
}
