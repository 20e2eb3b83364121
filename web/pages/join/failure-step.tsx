import type { FileExplanation } from '../../../src/site/file-explanation.ts';
import type { PageFailure } from '../../page-failure.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FailureNotice, Notice, sentence } from '../../ui/notice.tsx';
import type { ReadingOptions } from '../../worker/join.ts';
import type { TrainingView } from '../../worker/progress.ts';
import type { StudyTermsView } from '../../worker/study-view.ts';
import { MisfitChoices } from './misfit-choices.tsx';
import { type OtherWay, otherWay, readAs } from './other-ways.ts';
import { useHeadingFocus } from './use-heading-focus.ts';

interface FailureStepProps {
  readonly failure: PageFailure;
  /** The cells that do not fit, where columns do not. */
  readonly explanation?: FileExplanation | undefined;
  /** The training that was stopped, if one was. */
  readonly training?: TrainingView | undefined;
  readonly study: StudyTermsView;
  readonly options: ReadingOptions;
  /** Reads the same file in another way. */
  readonly onAgain: (change: Partial<ReadingOptions>) => void;
}

/** Why a file cannot be used: the problem, its place, and the remedy. */
export function FailureStep(props: FailureStepProps) {
  const { failure, explanation, training } = props;
  const part = useHeadingFocus();
  if (failure.kind === 'cancelled') {
    return (
      <Notice
        kind="info"
        title={training === undefined ? 'You stopped the reading.' : 'You stopped the training.'}
      >
        <p>
          {training === undefined || training.epoch < 1
            ? 'Nothing was sent, and nothing from the file is kept.'
            : 'Nothing was sent. The training so far is kept in this browser: choose the same file, and it goes on where it was.'}
        </p>
      </Notice>
    );
  }
  return (
    <div ref={part}>
      <Card title={titleOf(failure)} about="Nothing was sent.">
        <FailureNotice failure={failure} />
        <Mismatches {...props} />
        <OtherWays {...props} />
        {explanation !== undefined && (
          <MisfitChoices
            explanation={explanation}
            wording={props.options.wording}
            onAgain={(wording) => props.onAgain({ wording })}
          />
        )}
      </Card>
    </div>
  );
}

function titleOf({ kind }: PageFailure): string {
  if (kind === 'mismatch') return 'The file does not fit the study';
  return kind === 'data' ? 'The file cannot be used as it is' : 'It did not work';
}

const ABSENT = 'the file has no such column';

/** Mismatches, one on each line; missing columns share a line. */
function Mismatches(props: FailureStepProps) {
  const { mismatches = [] } = props.failure;
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
          ? 'The file has none of the study’s columns. Is it the right file? Its first line must name the columns as the study does.'
          : 'Name them in the first line of the file, as the study does.'}
      </p>
    </li>
  );
}

/** The decimal mark that was not used. */
function otherMark({ failure, study, options }: FailureStepProps): 'comma' | 'point' {
  const column = failure.mismatches?.find(({ otherDecimal }) => otherDecimal === true)?.column;
  const declared = study.columns.find(({ name }) => name === column)?.decimal ?? '.';
  return (options.decimal ?? declared) === '.' ? 'comma' : 'point';
}

/** Buttons that read the same file in another way. */
function OtherWays(props: FailureStepProps) {
  const { options, onAgain } = props;
  const ways = [suspected(props), otherWay(props.failure.option, options), misread(props)].filter(
    (way) => way !== undefined,
  );
  if (ways.length === 0) return null;
  return (
    <div class="row">
      {ways.map(({ text, change }) => (
        <Button key={text} kind="primary" onClick={() => onAgain(change)}>
          {text}
        </Button>
      ))}
    </div>
  );
}

/** The other decimal mark, if cells look like numbers with it. */
function suspected(props: FailureStepProps): OtherWay | undefined {
  if (props.failure.mismatches?.some(({ otherDecimal }) => otherDecimal === true) !== true) {
    return undefined;
  }
  const value = otherMark(props) === 'comma' ? ',' : '.';
  return otherWay({ name: 'decimal', value }, props.options);
}

/** A file that was read in another encoding may really be UTF-8: then its names and levels do not match. */
function misread({ failure, options }: FailureStepProps): OtherWay | undefined {
  const { encoding = 'utf-8' } = options;
  return failure.kind === 'mismatch' && encoding !== 'utf-8' ? readAs('utf-8') : undefined;
}
