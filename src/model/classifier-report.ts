import { defined } from '../defined.ts';
import type { ResponseClasses } from '../features/design.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { ClassScore } from './class-scores.ts';
import { type Report, reportedAnswers, type SiteLine } from './report.ts';
import type { ReportedClasses, ReportedDiscriminant } from './reported-classes.ts';
import type { MappedCoefficients } from './unfold.ts';

/** A classifier of one category with a linear score for each class. */
export interface ClassifierFit {
  readonly kind: ReportedDiscriminant['kind'];
  readonly category: ResponseClasses;
  readonly layout: LinearLayout;
  readonly rows: number;
  readonly terms: readonly string[];
  /** Columns without a coefficient: constant within classes, or combinations of the ones before. */
  readonly aliased: readonly string[];
  /** Classes with rows. */
  readonly scores: readonly ClassScore[];
  readonly empty: readonly string[];
  readonly shrinkage: number;
  readonly chosen?: Pick<ReportedDiscriminant, 'shrinkage' | 'rule'> &
    Required<Pick<ReportedDiscriminant, 'flat'>>;
}

/** The coefficients of each response: the score of its level, or that of the second level less that of the first. */
export function classifierModels({
  category,
  layout,
  terms,
  scores,
}: ClassifierFit): MappedCoefficients[] {
  const named = ['(Intercept)', ...terms];
  const nothing = { terms: [], estimates: new Float64Array(0), covariance: () => undefined };
  const estimatesOf = (level: string): Float64Array | undefined => {
    const found = scores.find((score) => score.level === level);
    return found && Float64Array.of(found.constant, ...found.coefficients);
  };
  const { levels, columns } = category;
  return Array.from({ length: layout.responses }, (_, r) => {
    if (columns.length === levels.length) {
      const estimates = estimatesOf(levels[columns.indexOf(r)]);
      return estimates === undefined ? nothing : { ...nothing, terms: named, estimates };
    }
    const [first, second] = levels.map((level) => estimatesOf(level)!);
    return { ...nothing, terms: named, estimates: second.map((value, k) => value - first[k]) };
  });
}

/** Scores are logarithms of the probabilities, up to a number that all classes share. */
function reportedClasses({ category, scores }: ClassifierFit): ReportedClasses {
  const { label, levels, columns } = category;
  return {
    label,
    levels: scores.map(({ level, n }) => ({
      level,
      n,
      constant: 0,
      weights: columns.map((_, k) =>
        Number(columns.length === levels.length ? levels[k] === level : levels[1] === level),
      ),
    })),
  };
}

/** The public report of a classifier: no errors, no tests. */
export function createClassifierReport(
  fit: ClassifierFit,
  context: {
    readonly formula: string;
    readonly sites: readonly SiteLine[];
    readonly digest: string;
  },
): Report {
  const { layout, rows, kind, shrinkage, chosen, aliased } = fit;
  const first = layout.columns.length - layout.responses;
  const answers = classifierModels(fit).map(({ terms, estimates }, r) => ({
    response: layout.columns[first + r],
    terms: terms.map((term, k) => ({ term, estimate: estimates[k] })),
    glance: { nobs: rows },
  }));
  return {
    schema: 'suffice/report@1',
    formula: context.formula,
    n: rows,
    sites: context.sites,
    ...reportedAnswers(answers),
    classifier: {
      kind,
      shrinkage,
      rule: chosen?.rule ?? 'given',
      ...defined({ flat: chosen?.flat }),
    },
    classes: [reportedClasses(fit)],
    arithmetic: layout.arithmetic,
    grid: layout.grid,
    aliased,
    digest: context.digest,
  };
}
