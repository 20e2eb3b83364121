import type { Command } from 'commander';
import type { Answered, Question } from '../analysis/question.ts';
import { isRare, type NamedTopic, namedTopics, type TopicName } from '../analysis/topics.ts';
import { nearNames } from '../study/near-names.ts';
import { UsageError } from '../usage-error.ts';
import { repeatedFlag } from './flags.ts';
import { splitList, unquoted } from './split-list.ts';

/** Flags that ask for more than the coefficients. */
export interface QuestionFlags {
  readonly show: readonly string[];
  readonly drop: readonly string[];
  readonly contrast: readonly string[];
  readonly trend: readonly string[];
  readonly at: readonly string[];
  readonly level?: string;
}

export function withQuestions(command: Command): Command {
  return command
    .option(
      '--show <topics>',
      `more tables, by comma: all, or some of ${namedTopics.join(', ')}`,
      repeatedFlag,
      [],
    )
    .option(
      '--drop <terms>',
      'compare with the model without these terms (repeatable)',
      repeatedFlag,
      [],
    )
    .option(
      '--contrast <text>',
      'test a combination of coefficients: "sexmale - 2*age = 0"; by comma, several together (repeatable)',
      repeatedFlag,
      [],
    )
    .option(
      '--trend <term>',
      'polynomial trend over a category’s levels (repeatable)',
      repeatedFlag,
      [],
    )
    .option(
      '--at <values>',
      'predict, with intervals, at "age=50, sex=male" (repeatable)',
      repeatedFlag,
      [],
    )
    .option('--level <share>', 'confidence of the intervals of --at (default: 0.95)');
}

/** The questions that the flags ask. */
export function questionsOf(flags: QuestionFlags): Question[] {
  const level = flags.level === undefined ? {} : { level: levelOf(flags.level) };
  if (flags.level !== undefined && flags.at.length === 0) {
    throw new UsageError('--level belongs to --at', 'leave out --level, or add --at "age=50"');
  }
  return [
    ...topicsOf(flags.show).map((about): Question => ({ about })),
    ...flags.drop.map(
      (text): Question => ({
        about: 'comparison',
        without: splitList(text, '--drop'),
      }),
    ),
    ...flags.contrast.map(
      (text): Question => ({ about: 'contrast', of: splitList(text, '--contrast') }),
    ),
    ...flags.trend.flatMap((text) =>
      splitList(text, '--trend').map((term): Question => ({ about: 'trend', term })),
    ),
    ...flags.at.map((text): Question => ({ about: 'prediction', at: placeOf(text), ...level })),
  ];
}

function topicsOf(texts: readonly string[]): NamedTopic[] {
  const names = texts.flatMap((text) => splitList(text, '--show'));
  return [
    ...new Set(
      names.flatMap((name) => {
        if (name === 'all') return namedTopics;
        const topic = namedTopics.find((known) => known === name);
        if (topic !== undefined) return [topic];
        const near = nearNames(name, namedTopics);
        throw new UsageError(
          `--show knows no ${name}`,
          near.length > 0
            ? `did you mean ${near.join(' or ')}?`
            : (flagInstead(name) ?? `it knows all, ${namedTopics.join(', ')}`),
        );
      }),
    ),
  ];
}

/** The flag for each topic that needs more than its name. */
const flagOf: Readonly<Record<Exclude<TopicName, NamedTopic>, string>> = {
  comparison: 'take --drop TERM instead',
  contrast: 'take --contrast "a - b" instead',
  trend: 'take --trend TERM instead',
  prediction: 'take --at "age=50, sex=male" instead',
};

function flagInstead(name: string): string | undefined {
  return Object.entries(flagOf).find(([about]) => about === name)?.[1];
}

/** The answers to print: a rare topic without an answer is left out, unless it was asked for by name. */
export function answersToPrint(answers: readonly Answered[], { show }: QuestionFlags): Answered[] {
  const named = show.flatMap((text) => splitList(text, '--show'));
  return answers.filter(
    (answer) => !('problem' in answer) || !isRare(answer.about) || named.includes(answer.about),
  );
}

/** "age=50, sex=male" as names and values; what looks like a number is one. */
function placeOf(text: string): Record<string, number | string> {
  const pairs = splitList(text, '--at').map((pair) => {
    const { name = '', value = '' } =
      /^(?<name>`[^`]*`|"[^"]*"|[^=]*)=(?<value>.*)$/su.exec(pair)?.groups ?? {};
    if (name.trim() === '' || value.trim() === '') {
      throw new UsageError(
        `--at has no value in ${pair}`,
        'write "age=50, sex=male"; quote a level that holds a comma: city="Paris, France"',
      );
    }
    return [unquoted(name.trim()), cellOf(value.trim())] as const;
  });
  const twice = pairs.find(([name], k) => pairs.findIndex(([other]) => other === name) < k);
  if (twice !== undefined) {
    throw new UsageError(`--at gives ${twice[0]} twice`, 'give one value a column');
  }
  return Object.fromEntries(pairs);
}

/** Quoted, a number is the name of a level too. */
function cellOf(text: string): number | string {
  if (text.startsWith('"')) return unquoted(text);
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

function levelOf(text: string): number {
  const level = Number(text);
  if (level > 0 && level < 1) return level;
  throw new UsageError(`--level must lie between 0 and 1: ${text}`, 'try --level 0.9');
}
