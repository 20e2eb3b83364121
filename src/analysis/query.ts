import type { Collected } from '../aggregation/aggregation.ts';
import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import { restrictDesign } from '../features/restrict-design.ts';
import type { Method, Resolved } from '../fusion/method.ts';
import { restrict } from '../statistic/restrict.ts';
import { nearNames } from '../study/near-names.ts';
import type { SumsFusion } from '../study/study.ts';
import { answer, declined } from './answer.ts';
import { noSuchName } from './model-terms.ts';
import type { QueryInput } from './query-input.ts';
import type { Answered, Question } from './question.ts';

/** A query on what the sites sent: another method, fewer terms, further questions. */
export interface Query {
  /** In place of the study's own method. */
  readonly method?: SumsFusion;
  /** Terms of the formula to leave out. */
  readonly without?: readonly string[];
  readonly questions: readonly Question[];
}

/** What the sites sent, before a method is applied. */
export type Sources = Omit<QueryInput, 'fit' | 'response'> & Pick<Collected, 'contributions'>;

/** Whether a query asks for more than the study's own report. */
export function hasQuery({ method, without = [], questions }: Query): boolean {
  return method !== undefined || without.length > 0 || questions.length > 0;
}

/** The method of a query: the study's own, unless the query names another. */
export function queryMethod(
  own: Method,
  { method }: Query,
): Pick<Method, 'needsSites' | 'resolve'> | Failure {
  if (method === undefined) return own;
  const { questions } = own;
  if ('none' in questions) return questions.none;
  if (questions.basis !== 'sums') return questions.noOtherMethod;
  return questions.otherMethod(method, own.regression?.design);
}

/** The model of a query, and an answer to each of its questions. */
export interface QueryResult {
  readonly resolved: Resolved;
  readonly answers: readonly Answered[];
}

/** Resolves the model of a query and answers its questions. */
export function runQuery(own: Method, sources: Sources, query: Query): QueryResult | Failure {
  const { study } = sources;
  const method = queryMethod(own, query);
  if ('problem' in method) return method;
  const narrowed = withoutTerms(sources, query.without ?? []);
  if ('problem' in narrowed) return narrowed;
  const fusion = query.method ?? study.fusion;
  const asked = { ...narrowed, study: { ...study, fusion } };
  const { total, contributions, sites } = asked;
  const resolved = method.resolve({ total, contributions, ...defined({ parts: sites }) });
  if ('problem' in resolved) return resolved;
  const { fit } = resolved;
  const chosen = fit?.alternative;
  const dropped = chosen?.scores.flatMap(({ term }) => (term === chosen.kept ? [] : [term])) ?? [];
  const about = withoutTerms(asked, dropped);
  if ('problem' in about) return about;
  const answers = query.questions.flatMap((question) =>
    fit === undefined ? [declined(question, withoutFit)] : answer({ ...about, fit }, question),
  );
  return { resolved, answers };
}

const withoutFit: Failure = {
  problem: 'the model has scores of classes and no regression to ask about',
  remedy: 'ask for a regression from the same sums, such as a ridge of 0',
};

function withoutTerms(sources: Sources, without: readonly string[]): Sources | Failure {
  if (without.length === 0) return sources;
  const { design, total } = sources;
  const labels = design.terms.map(({ label }) => label);
  const unknown = without.find((label) => !labels.includes(label));
  if (unknown !== undefined && design.mapped !== undefined) {
    return noSuchName('term', unknown, labels, design);
  }
  if (unknown !== undefined) {
    const near = nearNames(unknown, labels);
    return {
      problem: `the formula has no term ${unknown}`,
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
  const sites = sources.sites?.map(({ site, statistic }) => ({
    site,
    statistic: restrict(statistic, kept),
  }));
  return {
    ...sources,
    design: restrictDesign(design, without),
    total: restrict(total, kept),
    ...defined({ sites }),
  };
}
