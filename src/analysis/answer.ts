import type { Failure } from '../failure.ts';
import { questionBasis } from '../fusion/question-basis.ts';
import type { Evidence } from './evidence.ts';
import type { Answer, Answered, AnsweredBy, Declined, Question } from './question.ts';
import { type About, type Asked, type Topic, whyNot } from './topic.ts';
import { topics } from './topics.ts';

/** Answers a question, once for each response it is about. */
export function answer(
  evidence: Omit<Evidence, 'response'>,
  question: Question,
): readonly Answered[] {
  const topic: Topic<Answer, Question> = topics[question.about];
  return answersOn(topic, evidence, question);
}

/** The same on any topic, whether or not it is in the registry. */
export function answersOn<A extends About, Q extends Asked>(
  topic: Topic<A, Q>,
  evidence: Omit<Evidence, 'response'>,
  question: Q,
): readonly AnsweredBy<A>[] {
  const names = evidence.fit.models.map(({ response }) => response);
  const barred = whyNot(topic, questionBasis(evidence.fit));
  if (barred !== undefined) return [declined(topic, barred)];
  const asked =
    question.response === undefined ? names : names.filter((name) => name === question.response);
  if (asked.length === 0) {
    const stranger = {
      problem: `the model has no response ${question.response}`,
      remedy: `its responses are ${names.join(', ')}`,
    };
    return [declined(topic, stranger)];
  }
  const once = topic.per === 'model' ? asked.slice(0, 1) : asked;
  return once.map((response) => {
    const found = ask(topic, { ...evidence, response: names.indexOf(response) }, question);
    return {
      ...('problem' in found ? declined(topic, found) : found),
      ...(names.length > 1 && topic.per === 'response' ? { response } : {}),
    };
  });
}

function ask<A extends About, Q extends Asked>(
  topic: Topic<A, Q>,
  evidence: Evidence,
  question: Q,
): A | Failure {
  if (topic.sees === 'total') return topic.ask(evidence, question);
  const { parts } = evidence;
  return parts === undefined ? hidden : topic.ask({ ...evidence, parts }, question);
}

const hidden: Failure = {
  problem: 'this study hides its sites: only their sum is known',
  remedy: 'questions across sites need plain aggregation',
};

function declined({ about }: About, { problem, remedy }: Failure): Declined {
  return { about, problem, advice: remedy };
}
