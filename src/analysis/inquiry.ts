import type { Collected } from '../aggregation/aggregation.ts';
import type { Failure } from '../failure.ts';
import { restrictDesign } from '../features/restrict-design.ts';
import type { Method, Resolved } from '../fusion/method.ts';
import { restrict } from '../statistic/restrict.ts';
import { nearNames } from '../study/near-names.ts';
import type { RidgeFusion } from '../study/study.ts';
import { answer } from './answer.ts';
import type { Evidence } from './evidence.ts';
import { noSuchName } from './model-terms.ts';
import type { Answered, Question } from './question.ts';

/** One more look at what the sites have sent: another method, fewer terms, more questions. */
export interface Inquiry {
  /** In place of the study's own method. */
  readonly method?: RidgeFusion;
  /** Terms of the formula to leave out. */
  readonly without?: readonly string[];
  readonly questions: readonly Question[];
}

/** What the sites have sent, before any method is applied to it. */
export type Sources = Omit<Evidence, 'fit' | 'response'> & Pick<Collected, 'contributions'>;

/** Whether an inquiry asks for more than the study's own report. */
export function isAsked({ method, without = [], questions }: Inquiry): boolean {
  return method !== undefined || without.length > 0 || questions.length > 0;
}

/** How an inquiry resolves: by the study's own method, unless it asks for another. */
export function inquiryMethod(
  own: Method,
  { method }: Inquiry,
): Pick<Method, 'needsParts' | 'resolve'> | Failure {
  if (method === undefined) return own;
  const { questions } = own;
  if ('none' in questions) return questions.none;
  return questions.of === 'sums' ? questions.by(method) : questions.noOtherMethod;
}

/** What an inquiry gave: the model it is about, and an answer to each question. */
export interface Inquired {
  readonly resolved: Resolved;
  readonly answers: readonly Answered[];
}

/** Resolves anew as the inquiry wishes, and answers its questions about the result. */
export function inquire(own: Method, sources: Sources, inquiry: Inquiry): Inquired | Failure {
  const { study } = sources;
  const method = inquiryMethod(own, inquiry);
  if ('problem' in method) return method;
  const narrowed = withoutTerms(sources, inquiry.without ?? []);
  if ('problem' in narrowed) return narrowed;
  const fusion = inquiry.method ?? study.fusion;
  const asked = { ...narrowed, study: { ...study, fusion } };
  const resolved = method.resolve(asked);
  if ('problem' in resolved) return resolved;
  const { fit } = resolved;
  const answers =
    fit === undefined
      ? []
      : inquiry.questions.flatMap((question) => answer({ ...asked, fit }, question));
  return { resolved, answers };
}

function withoutTerms(sources: Sources, without: readonly string[]): Sources | Failure {
  if (without.length === 0) return sources;
  const { design, total, parts } = sources;
  const labels = design.terms.map(({ label }) => label);
  const stranger = without.find((label) => !labels.includes(label));
  if (stranger !== undefined && design.mapped !== undefined) {
    return noSuchName('term', stranger, labels, design);
  }
  if (stranger !== undefined) {
    const near = nearNames(stranger, labels);
    return {
      problem: `the formula has no term ${stranger}`,
      remedy:
        near.length > 0
          ? `did you mean ${near.join(' or ')}?`
          : `its terms are ${labels.join(', ')}`,
    };
  }
  const gone = new Set(
    design.terms
      .filter(({ label }) => without.includes(label))
      .flatMap(({ columns }) => columns.map((index) => design.columns[index].name)),
  );
  const kept = total.layout.columns.flatMap((name, index) => (gone.has(name) ? [] : [index]));
  return {
    ...sources,
    design: restrictDesign(design, without),
    total: restrict(total, kept),
    ...(parts === undefined
      ? {}
      : {
          parts: parts.map(({ site, statistic }) => ({
            site,
            statistic: restrict(statistic, kept),
          })),
        }),
  };
}
