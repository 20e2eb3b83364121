import { defined } from '../defined.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { finiteJson } from '../text/finite-json.ts';
import { conditionNumber } from './condition.ts';
import type { Disagreement } from './disagreement.ts';
import { isPenalised, standardErrors } from './errors.ts';
import type { EstimateFacts } from './estimate-fit.ts';
import type {
  ChosenAlternative,
  CoefficientErrors,
  Fit,
  GeneralizedFit,
  SiteEffects,
} from './fit.ts';
import { type Glance, glanceOf, type OriginalRow, type TermRow, termTable } from './inference.ts';
import type { PrivacyFacts } from './private-fit.ts';
import type { ReportedClasses, ReportedClassifier } from './reported-classes.ts';
import type { ReportedFeatures } from './reported-map.ts';
import type { SiteFlag } from './site-flag.ts';

/** A site's rows, as everyone in the study may see them. */
export interface SiteLine {
  readonly name: string;
  /** Rows used; hidden in a private study. */
  readonly n?: number;
  /** Rows left out for a missing cell; hidden in a private study. */
  readonly dropped?: number;
  /** Missing cells by column, over the dropped rows. */
  readonly missing?: Readonly<Record<string, number>>;
}

/** The public result of a fit: `suffice fit --json` prints exactly this. */
export interface Report extends ReportedFeatures {
  readonly schema: 'suffice/report@1';
  readonly formula: string;
  readonly n: number;
  readonly sites: readonly SiteLine[];
  readonly terms?: readonly TermRow[];
  readonly glance?: Glance;
  /** Where `terms` are columns of a linear map: the coefficients of the formula's columns. */
  readonly original?: readonly OriginalRow[];
  /** One entry per response, where the formula has several; `terms` and `glance` are then absent. */
  readonly responses?: readonly ResponseReport[];
  /** For each category on the left side: its levels, and how they get probabilities. */
  readonly classes?: readonly ReportedClasses[];
  /** In a discriminant analysis, naive Bayes or a network, whose fitted values are scores of classes. */
  readonly classifier?: ReportedClassifier;
  /** Where sites trained networks: the fusion, and how it works in words. */
  readonly fused?: { readonly kind: string; readonly text: string };
  /** Absent for least squares. */
  readonly ridge?: {
    readonly value: number;
    /** `given`, or the rule that chose it. */
    readonly rule: string;
    readonly edf?: number;
    readonly gcv?: number;
    /** Ridges between which the score stays within one standard error (or 1 %) of its minimum. */
    readonly flat?: readonly [number, number];
    /** Where the score was smallest, when a larger ridge was preferred. */
    readonly minimum?: number;
  };
  /** The curve a penalty was chosen from; `error` is the standard error of a score over left-out sites. */
  readonly selection?: readonly {
    readonly ridge: number;
    readonly score: number;
    readonly error?: number;
  }[];
  /** Where a feature map has several settings: the term that was kept, and the score of each. */
  readonly alternative?: ChosenAlternative;
  readonly lasso?: {
    /** glmnet's lambda and alpha. */
    readonly lambda: number;
    readonly mix: number;
    readonly rule: string;
    readonly nonzero: number;
  };
  /**
   * What the standard errors assume: `clustered` where they are robust to correlation within sites, `HC0` and `HC1` where they do
   * not rely on the variance of the family; `widened` where intervals and tests allow for the distance from the pooled
   * regression (`deviation`); `ignoring-bias` under a penalty, where no interval holds; `noise-aware` where they
   * include the noise of a private study. For averaged estimates they come from the spread `between-sites`, or from the
   * covariances that the sites sent (`within-sites`).
   */
  readonly errors?: CoefficientErrors['kind'];
  /** Degrees of freedom of the tests where they are not `df.residual`; `normal` where the statistics are z. */
  readonly freedom?: number | 'normal';
  readonly siteEffects?: SiteEffects;
  /** Where the sites differ by more than chance; only for readers who may compare them. */
  readonly disagreement?: Disagreement;
  /** Suspicious contributions; they count all the same. */
  readonly flags?: readonly SiteFlag[];
  /** In a logistic or Poisson regression, where one round is not exactly the pooled fit. */
  readonly deviation?: Deviation;
  /** Terms along which the rows may be separated: an estimate stands there, but no error holds. */
  readonly separated?: readonly string[];
  readonly family?: 'binomial' | 'poisson';
  /** In a private study, where all numbers are noisy. */
  readonly privacy?: PrivacyFacts;
  /** Where sites sent estimates of their own: their average is not the pooled fit. */
  readonly estimates?: EstimateFacts;
  /** Condition number of the design with columns of unit length, intercept included. */
  readonly condition?: number;
  /** Significant digits that are certain. */
  readonly digits?: number;
  /** Columns with numbers beyond 2⁵³: whole numbers are rounded there, before anything is computed. */
  readonly rounded?: readonly string[];
  readonly arithmetic: string;
  /** Bits of the grid the values were rounded to. */
  readonly grid: number;
  readonly aliased: readonly string[];
  /** SHA-256 of the study, the layout and the total. */
  readonly digest: string;
}

/** How far a fit may be from the pooled one, in standard errors. */
export interface Deviation {
  /** Newton steps after the sites' own optima: 0 in one round. */
  readonly steps: number;
  /** Largest deviation over the coefficients, a bound in 99 of 100 studies. */
  readonly estimate: number;
  /** Whether this is the pooled regression to all digits that count. */
  readonly converged?: boolean;
  /** Log-likelihood of the coefficients that the last Newton step started from, less their penalty. */
  readonly startLogLik?: number;
  /** Largest deviation measured against the pooled rows, where they were available. */
  readonly measured?: number;
  /** Whether another round is worth running. */
  readonly advice: string;
}

/** The report as JSON; a number JSON cannot hold (the F of a perfect fit) is left out. */
export function reportJson(report: Report): string {
  return finiteJson(report);
}

export interface ResponseReport {
  readonly response: string;
  readonly terms: readonly TermRow[];
  readonly glance: Glance;
  /** Where `terms` are columns of a linear map: the coefficients of the formula's columns. */
  readonly original?: readonly OriginalRow[];
}

/** The terms of one response, or of several under their names. */
export function reportedAnswers(
  answers: readonly ResponseReport[],
): Pick<Report, 'terms' | 'glance' | 'responses'> {
  if (answers.length !== 1) return { responses: answers };
  const [{ terms, glance }] = answers;
  return { terms, glance };
}

/** The public report of a fit. */
export function createReport(
  fit: Fit,
  context: {
    readonly formula: string;
    readonly sites: readonly SiteLine[];
    readonly digest: string;
  },
): Report {
  const { equations, solution, glm } = fit;
  const { layout } = equations;
  const answers = fit.models.map((model, r) => ({
    response: model.response,
    terms: termTable(fit, r),
    glance: glanceOf(fit, r),
  }));
  const { kept, factored } = solution;
  return {
    schema: 'suffice/report@1',
    formula: context.formula,
    ...defined({ family: glm?.family }),
    n: equations.rows,
    sites: context.sites,
    ...reportedAnswers(answers),
    ...penaltyOf(fit),
    ...errorsAssumed(fit),
    ...defined({ siteEffects: fit.siteEffects }),
    ...defined({ deviation: glm && deviationOf(glm) }),
    ...(glm?.separated === undefined || glm.separated.length === 0
      ? {}
      : { separated: glm.separated }),
    ...(factored === undefined
      ? {}
      : { condition: conditionNumber(equations, kept, factored.inverse) }),
    ...(fit.digits === undefined ? {} : { digits: Math.floor(fit.digits * 10) / 10 }),
    ...roundedColumns(layout),
    arithmetic: layout.arithmetic,
    grid: layout.grid,
    aliased: fit.aliased,
    digest: context.digest,
  };
}

/** Names of columns whose range reaches beyond the whole numbers that doubles can hold. */
function roundedColumns({ columns, references }: LinearLayout): Pick<Report, 'rounded'> {
  const rounded = columns.filter((_, j) => {
    const { center, scale } = references[j];
    return Math.abs(center) + scale > Number.MAX_SAFE_INTEGER + 1;
  });
  return rounded.length === 0 ? {} : { rounded };
}

/** The ridge or the lasso, and the curve it was chosen from. */
function penaltyOf(fit: Fit): Pick<Report, 'ridge' | 'lasso' | 'selection' | 'alternative'> {
  if (!isPenalised(fit)) return {};
  const { chosen, alternative, lasso, models, ridge } = fit;
  const rule = chosen?.rule ?? 'given';
  const selection = {
    ...(chosen === undefined ? {} : { selection: chosen.curve }),
    ...defined({ alternative }),
  };
  if (lasso !== undefined) {
    const slopes = models.flatMap(({ estimates, intercept }) => [
      ...estimates.subarray(intercept ? 1 : 0),
    ]);
    const nonzero = slopes.filter((slope) => slope !== 0).length;
    return { lasso: { ...lasso, rule, nonzero }, ...selection };
  }
  return {
    ridge: {
      value: ridge,
      rule,
      ...effectiveFreedom(fit),
      ...(chosen === undefined ? {} : { flat: chosen.flat, minimum: chosen.minimum }),
    },
    ...selection,
  };
}

/** What the standard errors assume, where there are any, and the degrees of freedom of their tests. */
function errorsAssumed(fit: Fit): Pick<Report, 'errors' | 'freedom'> {
  const known = standardErrors(fit, 0);
  if (known === undefined) return {};
  if (fit.errors === undefined) return { errors: known.kind };
  const normal = known.freedom === Number.POSITIVE_INFINITY;
  return { errors: known.kind, freedom: normal ? 'normal' : known.freedom };
}

/** Distance from the pooled regression, in standard errors, that a reader would notice. */
const NOTICEABLE = 0.1;

function deviationOf(glm: GeneralizedFit): Deviation {
  const { steps, deviation: estimate, logLik, start } = glm;
  return {
    steps,
    estimate,
    ...(logLik === undefined ? {} : { converged: true }),
    ...(start === undefined ? {} : { startLogLik: start.logLik }),
    advice: deviationAdvice(glm),
  };
}

/** What to make of the distance, and whether another round is worth running. */
function deviationAdvice(glm: GeneralizedFit): string {
  const { awaited } = glm;
  const advice = adviceOnDistance(glm);
  return awaited === undefined ? advice : `${advice}; errors ${awaited} come with the next round`;
}

function adviceOnDistance({ deviation, separated, logLik }: GeneralizedFit): string {
  if (separated !== undefined && separated.length > 0) return separationText(separated);
  if (logLik !== undefined) return 'this is the pooled regression: no further round is needed';
  if (deviation > NOTICEABLE) {
    return 'another round, one Newton step from here, would bring it much closer (suffice study refine)';
  }
  return separated === undefined
    ? 'another round would also show whether the rows are separated'
    : 'another round would move no coefficient by more than this';
}

/** That rows may be separated, and along what. */
export function separationText(terms: readonly string[]): string {
  const [whose, it] =
    terms.length === 1 ? ['the coefficient of', 'it grows'] : ['the coefficients of', 'they grow'];
  return (
    `the rows may be separated: ${whose} ${terms.join(', ')} may have no finite estimate. ` +
    `If so, ${it} with every round; no standard error is given there`
  );
}

/** Effective degrees of freedom, and n·RSS/(n − edf)² in the user's units. */
function effectiveFreedom(fit: Fit): { edf?: number; gcv?: number } {
  const { models, solution, equations, glm } = fit;
  if (solution.factored === undefined) return {};
  const edf = solution.factored.effectiveSlopes + (equations.layout.intercept ? 1 : 0);
  // The residual of a likelihood's expansion is no error of prediction.
  if (models.length !== 1 || glm !== undefined) return { edf };
  const { rows, residualSumOfSquares } = models[0];
  if (!(rows > edf)) return { edf };
  return { edf, gcv: (rows * residualSumOfSquares) / (rows - edf) ** 2 };
}
