import type * as zod from 'zod';
import type { Failure } from '../failure.ts';
import type { QuestionBasis } from '../fusion/method.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import type { Zod } from '../study/zod.ts';
import type { Ink } from '../text/text-table.ts';
import type { QueryInput } from './query-input.ts';

/** One kind of question: what it needs, how it is answered, and the text of the answer. */
export type Topic<A extends About = About, Q extends Asked = Asked<A['about']>> =
  | TotalTopic<A, Q>
  | SitesTopic<A, Q>;

/** A topic that the total alone answers. */
export interface TotalTopic<A extends About, Q extends Asked> extends AnyTopic<A, Q> {
  readonly sees: 'total';
  ask(input: QueryInput, question: Q): A | Failure;
}

/** A topic that needs each site's statistic; it has no answer where the study hides them. */
export interface SitesTopic<A extends About, Q extends Asked> extends AnyTopic<A, Q> {
  readonly sees: 'sites';
  ask(input: SitesQueryInput, question: Q): A | Failure;
}

export interface SitesQueryInput extends QueryInput {
  readonly sites: readonly LinearSiteStatistic[];
}

interface AnyTopic<A extends About, Q extends Asked> {
  /** Its name, in questions and answers. */
  readonly about: A['about'];
  /** The least it can be answered from; sums include the information. */
  readonly needs: QuestionBasis;
  /** The remedy where there are no sums; by default, a study of least squares. */
  readonly instead?: string;
  /** One answer for each response, or one for the whole model. */
  readonly per: 'response' | 'model';
  /** Set where most models have no answer: this is reported only where the question was asked by name. */
  readonly rare?: true;
  /** Schemas of the question's fields besides its name; absent where there are none. */
  carries?(z: Zod): Carried<Q>;
  text(answer: A, ink: Ink): string;
}

/** What every answer has. */
export interface About {
  readonly about: string;
}

/** What every question has; `response` selects one of several. */
export interface Asked<Name extends string = string> {
  readonly about: Name;
  readonly response?: string;
}

/** A schema for each field that only this question has. */
export type Carried<Q extends Asked> = {
  readonly [Field in Exclude<keyof Q, keyof Asked>]-?: object extends Pick<Q, Field>
    ? zod.ZodType<Q[Field] | undefined>
    : zod.ZodType<Q[Field]>;
};

/** Why a topic has no answer on this basis, if so. */
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
