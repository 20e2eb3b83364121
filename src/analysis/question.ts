import type { Asked } from './topic.ts';
import type { AnswerOf, NamedTopic, QuestionOf, TopicName, Topics } from './topics.ts';

/** What may be asked of a study after its sites have sent, again and again, with no second contact. */
export type Question = Asked<NamedTopic> | QuestionOf<Topics[Exclude<TopicName, NamedTopic>]>;

/** What a topic answers. */
export type Answer = AnswerOf<Topics[TopicName]>;

/** A question that has no answer here; `advice`, a public key of the JSON, is the failure's remedy. */
export interface Declined {
  readonly about: string;
  readonly problem: string;
  readonly advice: string;
  readonly response?: string;
}

/** What comes back for a question; `response` where the study has several. */
export type Answered = AnsweredBy<Answer>;

/** The same of one topic. */
export type AnsweredBy<A> = (A & { readonly response?: string }) | Declined;
