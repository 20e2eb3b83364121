import { useState } from 'preact/hooks';
import type { Wording } from '../../../src/rows/wording.ts';
import {
  cellCount,
  codesOutside,
  outsideText,
  rowList,
} from '../../../src/site/explanation-text.ts';
import type { ColumnExplanation, FileExplanation } from '../../../src/site/file-explanation.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';

interface MisfitChoicesProps {
  readonly explanation: FileExplanation;
  /** How the file was read before. */
  readonly wording: Wording | undefined;
  readonly onAgain: (wording: Wording) => void;
}

/** What a person can say about a refused file: a question for each name or text, and its answers. */
interface Question {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly answers: readonly (readonly [key: string, text: string])[];
  /** The likely answer; '' if there is none. */
  readonly likely: string;
  /** The wording with this answer. */
  readonly say: (words: Words, answer: string) => void;
}

interface Words {
  readonly columns: Map<string, string>;
  readonly texts: Map<string, Map<string, string | null>>;
}

/** The cells of a refused file that do not fit, with their rows, and what each text may stand for in the study. */
export function MisfitChoices({ explanation, wording, onAgain }: MisfitChoicesProps) {
  const { columns, otherColumns } = explanation;
  const asked = columns.map((column) => ({ column, questions: questionsOf(column, otherColumns) }));
  const questions = asked.flatMap((one) => one.questions);
  const [answers, setAnswers] = useState<ReadonlyMap<string, string>>(
    () => new Map(questions.map(({ key, likely }) => [key, likely])),
  );
  const isAnswered = questions.some(({ key }) => (answers.get(key) ?? '') !== '');
  const submit = () => {
    const words = wordsOf(wording);
    for (const { key, say } of questions) {
      const answer = answers.get(key) ?? '';
      if (answer !== '') say(words, answer);
    }
    onAgain({ ...wording, ...words });
  };
  return (
    <section class="stack join-misfits" aria-label="Cells that do not fit">
      <p>
        Only you see these values. Rows are counted without the header. You can correct the file, or
        say what its names and texts mean; the study stays as it is.
      </p>
      {asked.map(({ column, questions: own }) => (
        <fieldset key={column.name}>
          <legend>
            <code>{column.name}</code>
          </legend>
          {column.outside !== undefined && <p>{outsideText(column.outside)}</p>}
          <div class="columns join-options">
            {own.map(({ key, label, hint, answers: possible }) => (
              <SelectField
                key={key}
                label={label}
                hint={hint}
                value={answers.get(key) ?? ''}
                options={possible}
                onChange={(answer) => setAnswers(new Map(answers).set(key, answer))}
              />
            ))}
          </div>
          {column.moreCells > 0 && <p>And {cellCount(column.moreCells)} with other texts.</p>}
        </fieldset>
      ))}
      {questions.length > 0 && (
        <div class="row">
          <Button
            kind="primary"
            onClick={submit}
            disabledReason={isAnswered ? undefined : 'nothing is chosen yet'}
          >
            Read again with these meanings
          </Button>
        </div>
      )}
    </section>
  );
}

const UNSAID = ['', 'not said'] as const;
const MISSING = ['missing', 'a missing cell'] as const;

function questionsOf(column: ColumnExplanation, otherColumns: readonly string[]): Question[] {
  const { name, absent, levels = [], texts, outside } = column;
  if (absent !== undefined)
    return otherColumns.length === 0 ? [] : [nameQuestion(name, absent, otherColumns)];
  const meanings = levels.map((level, k) => [`level ${k}`, `the study’s ${level}`] as const);
  const say = (text: string) => (words: Words, answer: string) => {
    const level = answer === MISSING[0] ? null : levels[Number(answer.slice('level '.length))];
    const own = words.texts.get(name) ?? new Map();
    words.texts.set(name, own.set(text, level));
  };
  return [
    ...texts.map(({ text, shown, cells, rows, near, likelyMissing }): Question => {
      const level = near === undefined ? -1 : levels.indexOf(near.level);
      const missing = likelyMissing === true ? MISSING[0] : '';
      return {
        key: `${name} ${text}`,
        label: `“${shown}” in ${name} is`,
        hint: `${cellCount(cells)}, ${rowList(rows, cells)}${near === undefined ? '' : `; ${near.why}`}`,
        answers: [UNSAID, MISSING, ...meanings],
        likely: level < 0 ? missing : `level ${level}`,
        say: say(text),
      };
    }),
    ...codesOutside(outside).map((code) => ({
      key: `${name} ${code}`,
      label: `${code} in ${name} is`,
      hint: 'a number outside the range',
      answers: [UNSAID, MISSING],
      likely: '',
      say: say(code),
    })),
  ];
}

function nameQuestion(name: string, near: readonly string[], others: readonly string[]): Question {
  return {
    key: name,
    label: `The study’s ${name} is in your file`,
    hint: 'the file has no column of this name',
    answers: [UNSAID, ...others.map((other) => [`column ${other}`, other] as const)],
    likely: near.length === 0 ? '' : `column ${near[0]}`,
    say: (words, answer) => words.columns.set(name, answer.slice('column '.length)),
  };
}

function wordsOf({ columns, texts }: Wording = {}): Words {
  return {
    columns: new Map(columns),
    texts: new Map([...(texts ?? [])].map(([name, own]) => [name, new Map(own)])),
  };
}
