import { type Ink, plainInk } from '../model/text-table.ts';
import type { Answer, Answered, Question } from './question.ts';
import type { Topic } from './topic.ts';
import { topics } from './topics.ts';
import { unansweredText } from './unanswered-text.ts';

/** Answers in the order they were asked for, and at the end what there is no answer to. */
export function answersText(answers: readonly Answered[], ink: Ink = plainInk): string[] {
  const declined = answers.flatMap((answer) => ('problem' in answer ? [answer] : []));
  return [
    ...answers.flatMap((answer) => ('problem' in answer ? [] : [answerText(answer, ink)])),
    ...(declined.length === 0 ? [] : [unansweredText(declined, ink)]),
  ];
}

/** An answer as a statistician would lay it out; of several responses, under the name of its own. */
export function answerText(answer: Answered, ink: Ink = plainInk): string {
  if ('problem' in answer) return unansweredText([answer], ink);
  const heading = answer.response === undefined ? [] : [ink.bold(`Response ${answer.response}`)];
  const topic: Topic<Answer, Question> = topics[answer.about];
  return [...heading, topic.text(answer, ink)].join('\n');
}
