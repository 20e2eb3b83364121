import type { Asked } from './topic.ts';
import type { AnswerOf, NamedTopic, QuestionOf, TopicName, Topics } from './topics.ts';

/** A question about a study; it needs no further contact with the sites. */
export type Question = Asked<NamedTopic> | QuestionOf<Topics[Exclude<TopicName, NamedTopic>]>;

/** An answer on any topic. */
export type Answer = AnswerOf<Topics[TopicName]>;

/** A question without an answer; `advice`, a public key of the JSON, is the failure's remedy. */
export interface Declined {
  readonly about: string;
  readonly problem: string;
  readonly advice: string;
  readonly response?: string;
}

/** An answer, or why there is none; `response` where the study has several. */
export type Answered = AnsweredBy<Answer>;

/** The same for one topic. */
export type AnsweredBy<A> = (A & { readonly response?: string }) | Declined;
