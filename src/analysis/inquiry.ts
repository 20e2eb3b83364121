import { mappedNames } from '../features/mapped-columns.ts';
import { restrictDesign } from '../features/restrict-design.ts';
import { resolve } from '../fusion/resolve.ts';
import type { Fit } from '../model/fit.ts';
import type { Unsolved } from '../solve/solution.ts';
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
export type Sources = Omit<Evidence, 'fit' | 'response'>;

/** What an inquiry gave: the fit it is about, and an answer to each question. */
export interface Inquired {
  readonly fit: Fit;
  readonly answers: readonly Answered[];
}

/** Resolves anew as the inquiry wishes, and answers its questions about the result. */
export function inquire(sources: Sources, inquiry: Inquiry): Inquired | Unsolved {
  const { study } = sources;
  if (inquiry.method !== undefined && study.fusion.kind !== 'ridge') {
    return {
      problem: 'another method cannot be applied: the sites sent Fisher information, not sums',
      advice: 'ask without a method, or create a study with the ridge fusion',
    };
  }
  const narrowed = withoutTerms(sources, inquiry.without ?? []);
  if ('problem' in narrowed) return narrowed;
  const fusion = inquiry.method ?? study.fusion;
  const asked = { ...narrowed, study: { ...study, fusion } };
  const fit = resolve(fusion, asked.total, asked.parts, mappedNames(asked.design));
  if ('problem' in fit) return fit;
  const answers = inquiry.questions.flatMap((question) => answer({ ...asked, fit }, question));
  return { fit, answers };
}

function withoutTerms(sources: Sources, without: readonly string[]): Sources | Unsolved {
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
      advice:
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
