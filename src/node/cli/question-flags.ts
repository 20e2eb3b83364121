import type { Command } from 'commander';
import { type Question, type Topic, topics } from '../../analysis/question.ts';
import { nearNames } from '../../study/near-names.ts';
import { UsageError } from './failure.ts';
import { collect } from './flags.ts';

/** Flags that ask more of a total than its coefficients. */
export interface QuestionFlags {
  readonly show: readonly string[];
  readonly drop: readonly string[];
  readonly contrast: readonly string[];
  readonly trend: readonly string[];
  readonly at: readonly string[];
  readonly level?: string;
}

/** What `--show all` leaves out: only models of classes have it. */
const onRequest: readonly Topic[] = ['discriminant'];

export function withQuestions(command: Command): Command {
  return command
    .option('--show <topics>', `more tables, by comma: all, ${topics.join(', ')}`, collect, [])
    .option(
      '--drop <terms>',
      'compare with the model without these terms (repeatable)',
      collect,
      [],
    )
    .option(
      '--contrast <text>',
      'test a combination of coefficients: "sexmale - 2*age = 0"; by comma, several together (repeatable)',
      collect,
      [],
    )
    .option('--trend <term>', 'polynomial trend over a category’s levels (repeatable)', collect, [])
    .option(
      '--at <values>',
      'predict, with intervals, at "age=50, sex=male" (repeatable)',
      collect,
      [],
    )
    .option('--level <share>', 'confidence of the intervals of --at (0.95)');
}

/** The questions that the flags ask. */
export function questionsOf(flags: QuestionFlags): Question[] {
  const level = flags.level === undefined ? {} : { level: levelOf(flags.level) };
  return [
    ...topicsOf(flags.show).map((about): Question => ({ about })),
    ...flags.drop.map(
      (text): Question => ({ about: 'comparison', without: parts(text, '--drop') }),
    ),
    ...flags.contrast.map(
      (text): Question => ({ about: 'contrast', of: parts(text, '--contrast') }),
    ),
    ...flags.trend.map((term): Question => ({ about: 'trend', term })),
    ...flags.at.map((text): Question => ({ about: 'prediction', at: placeOf(text), ...level })),
  ];
}

function topicsOf(texts: readonly string[]): Topic[] {
  const names = texts.flatMap((text) => parts(text, '--show'));
  return [
    ...new Set(
      names.flatMap((name) => {
        if (name === 'all') return topics.filter((topic) => !onRequest.includes(topic));
        const topic = topics.find((known) => known === name);
        if (topic !== undefined) return [topic];
        const near = nearNames(name, topics);
        throw new UsageError(
          `--show knows no ${name}`,
          `it knows all, ${(near.length > 0 ? near : topics).join(', ')}`,
        );
      }),
    ),
  ];
}

/** "age=50, sex=male" as names and values; what looks like a number is one. */
function placeOf(text: string): Record<string, number | string> {
  return Object.fromEntries(
    parts(text, '--at').map((pair) => {
      const at = pair.indexOf('=');
      const name = pair.slice(0, at).trim();
      const value = pair.slice(at + 1).trim();
      if (at < 1 || value === '') {
        throw new UsageError(`--at has no value in ${pair}`, 'write "age=50, sex=male"');
      }
      return [name, Number.isNaN(Number(value)) ? value : Number(value)];
    }),
  );
}

function parts(text: string, flag: string): string[] {
  const found = text.split(',').map((part) => part.trim());
  if (found.every((part) => part !== '')) return found;
  throw new UsageError(`${flag} has an empty part: "${text}"`, `leave it out, or fill it`);
}

function levelOf(text: string): number {
  const level = Number(text);
  if (level > 0 && level < 1) return level;
  throw new UsageError(`--level must lie between 0 and 1: ${text}`, 'try --level 0.9');
}
