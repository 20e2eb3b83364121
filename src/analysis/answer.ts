import type { Failure } from '../failure.ts';
import { questionBasis } from '../fusion/method.ts';
import type { QueryInput } from './query-input.ts';
import type { Answer, Answered, AnsweredBy, Declined, Question } from './question.ts';
import { type About, type Asked, type Topic, whyNot } from './topic.ts';
import { topics } from './topics.ts';

/** Answers a question, once for each response that it is about. */
export function answer(
  input: Omit<QueryInput, 'response'>,
  question: Question,
): readonly Answered[] {
  const topic: Topic<Answer, Question> = topics[question.about];
  return answersOn(topic, input, question);
}

/** The same on any topic, registered or not. */
export function answersOn<A extends About, Q extends Asked>(
  topic: Topic<A, Q>,
  input: Omit<QueryInput, 'response'>,
  question: Q,
): readonly AnsweredBy<A>[] {
  const names = input.fit.models.map(({ response }) => response);
  const refused = whyNot(topic, questionBasis(input.fit));
  if (refused !== undefined) return [declined(topic, refused)];
  const asked =
    question.response === undefined ? names : names.filter((name) => name === question.response);
  if (asked.length === 0) {
    const unknown = {
      problem: `the model has no response ${question.response}`,
      remedy: `its responses are ${names.join(', ')}`,
    };
    return [declined(topic, unknown)];
  }
  const once = topic.per === 'model' ? asked.slice(0, 1) : asked;
  return once.map((response) => {
    const found = ask(topic, { ...input, response: names.indexOf(response) }, question);
    return {
      ...('problem' in found ? declined(topic, found) : found),
      ...(names.length > 1 && topic.per === 'response' ? { response } : {}),
    };
  });
}

function ask<A extends About, Q extends Asked>(
  topic: Topic<A, Q>,
  input: QueryInput,
  question: Q,
): A | Failure {
  if (topic.sees === 'total') return topic.ask(input, question);
  const { sites } = input;
  return sites === undefined ? hidden : topic.ask({ ...input, sites }, question);
}

const hidden: Failure = {
  problem: 'this study hides its sites: only their sum is known',
  remedy: 'questions about single sites need plain aggregation',
};

/** A question with the reason why it has no answer. */
export function declined({ about }: About, { problem, remedy }: Failure): Declined {
  return { about, problem, advice: remedy };
}
