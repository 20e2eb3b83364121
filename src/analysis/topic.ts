import type * as zod from 'zod';
import type { Failure } from '../failure.ts';
import type { QuestionBasis } from '../fusion/question-basis.ts';
import type { Ink } from '../model/text-table.ts';
import type { LinearPart } from '../statistic/site-part.ts';
import type { Zod } from '../study/zod.ts';
import type { Evidence } from './evidence.ts';

/** One kind of question: what it needs, how it is answered, and how the answer reads. */
export type Topic<A extends About = About, Q extends Asked = Asked<A['about']>> =
  | TotalTopic<A, Q>
  | SitesTopic<A, Q>;

/** A topic that the total alone answers. */
export interface TotalTopic<A extends About, Q extends Asked> extends AnyTopic<A, Q> {
  readonly sees: 'total';
  ask(evidence: Evidence, question: Q): A | Failure;
}

/** A topic that looks at the sites one by one; it declines where the study hides them. */
export interface SitesTopic<A extends About, Q extends Asked> extends AnyTopic<A, Q> {
  readonly sees: 'sites';
  ask(evidence: SitesEvidence, question: Q): A | Failure;
}

export interface SitesEvidence extends Evidence {
  readonly parts: readonly LinearPart[];
}

interface AnyTopic<A extends About, Q extends Asked> {
  /** Its name, in questions and answers. */
  readonly about: A['about'];
  /** The least it can be answered from; who has sums has the information too. */
  readonly needs: QuestionBasis;
  /** What to ask instead where there are no sums; a study of least squares unless said. */
  readonly instead?: string;
  /** One answer for each response, or one for the whole model. */
  readonly per: 'response' | 'model';
  /** Set where most models have no answer: that is no news unless it was asked by name. */
  readonly rare?: true;
  /** Schemas of what its question carries beside its name; absent where the name is all. */
  carries?(z: Zod): Carried<Q>;
  text(answer: A, ink: Ink): string;
}

/** What every answer has. */
export interface About {
  readonly about: string;
}

/** What every question has; `response` where one of several is meant. */
export interface Asked<Name extends string = string> {
  readonly about: Name;
  readonly response?: string;
}

/** A schema for each field of a question that not every question has. */
export type Carried<Q extends Asked> = {
  readonly [Field in Exclude<keyof Q, keyof Asked>]-?: object extends Pick<Q, Field>
    ? zod.ZodType<Q[Field] | undefined>
    : zod.ZodType<Q[Field]>;
};

/** Why a topic cannot be asked where questions have this to go by, if so. */
export function whyNot(
  { about, needs, instead }: Pick<Topic, 'about' | 'needs' | 'instead'>,
  basis: QuestionBasis,
): Failure | undefined {
  if (needs === 'information' || basis === 'sums') return undefined;
  return {
    problem: `${about} needs ${basisText[needs]}, and the sites sent ${basisText[basis]}`,
    remedy: instead ?? 'a study of least squares over the same columns answers it',
  };
}

const basisText: Readonly<Record<QuestionBasis, string>> = {
  sums: 'sums of the columns',
  information: 'Fisher information',
};
