import { conditionNumber } from './condition.ts';
import { type CoefficientErrors, isPenalised, standardErrors } from './errors.ts';
import type { EstimateFacts } from './estimate-fit.ts';
import type { Fit, GeneralizedFit } from './fit.ts';
import { type Glance, glanceOf, type TermRow, termTable } from './inference.ts';
import type { PrivacyFacts } from './privacy-facts.ts';
import type { ReportedFeatures } from './reported-map.ts';
import type { OriginalRow } from './unfold.ts';

/** What one site brought, as everyone may see it. */
export interface SiteLine {
  readonly name: string;
  /** Rows used; not told of a private study. */
  readonly n?: number;
  /** Rows left out for a missing cell; not told of a private study. */
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
  /** Where `terms` are columns of a linear map: what those coefficients are on the columns of the formula. */
  readonly original?: readonly OriginalRow[];
  /** One entry a response, where the formula has several; `terms` and `glance` are then absent. */
  readonly responses?: readonly ResponseReport[];
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
  readonly lasso?: {
    /** glmnet's lambda and alpha. */
    readonly lambda: number;
    readonly mix: number;
    readonly rule: string;
    readonly nonzero: number;
  };
  /**
   * What the standard errors assume; `ignoring-bias` under a penalty, where they hold for no interval, and `noise-aware`
   * where they include the noise of a private study. Of averaged estimates they come from the spread `between-sites`, or
   * from the covariances that were told `within-sites`.
   */
  readonly errors?: CoefficientErrors['kind'];
  /** Degrees of freedom of the tests where they are not `df.residual`; `normal` where the statistics are z. */
  readonly freedom?: number | 'normal';
  readonly siteEffects?: SiteEffects;
  /** What looks wrong about a site; nothing was left out for it. */
  readonly flags?: readonly SiteFlag[];
  /** Of a logistic or Poisson regression, whose one-round answer is not the pooled one. */
  readonly deviation?: Deviation;
  readonly family?: 'binomial' | 'poisson';
  /** Of a private study, whose numbers are all noisy. */
  readonly privacy?: PrivacyFacts;
  /** Of sites that sent estimates of their own, whose average is not the pooled fit. */
  readonly estimates?: EstimateFacts;
  /** Of the design with columns of unit length, intercept included. */
  readonly condition?: number;
  /** Significant digits vouched for. */
  readonly digits?: number;
  readonly arithmetic: string;
  /** Bits of the grid the values were rounded to. */
  readonly grid: number;
  readonly aliased: readonly string[];
  /** SHA-256 of the study, the layout and the total. */
  readonly digest: string;
}

/** How far a one-round answer may be from the pooled one, in standard errors. */
export interface Deviation {
  /** Newton steps after the sites' own optima: 0 in one round. */
  readonly steps: number;
  /** Largest expected deviation over the coefficients, estimated from what the sites sent. */
  readonly estimate: number;
  /** Largest deviation measured against the pooled rows, where they were at hand. */
  readonly measured?: number;
  /** Whether another round is worth asking for. */
  readonly advice: string;
}

/** A doubt about a site's contribution, with the evidence. */
export interface SiteFlag {
  readonly site: string;
  /** What kind of doubt. */
  readonly kind: string;
  readonly column?: string;
  /** One sentence with the numbers. */
  readonly evidence: string;
  /** What to ask the site. */
  readonly advice: string;
}

/** Intercepts of the sites. */
export interface SiteEffects {
  readonly kind: 'fixed' | 'random' | 'random-ml';
  /** F of the fixed effects, or the likelihood ratio against no random intercept. */
  readonly statistic: number;
  readonly df: number;
  readonly 'df.residual'?: number;
  readonly 'p.value': number;
  /** Variance between sites; of a random intercept alone. */
  readonly variance?: number;
  /** Share of the variance that lies between sites. */
  readonly icc?: number;
  readonly logLik?: number;
  /** Each site's departure: from the mean site (fixed), or its best predictor (random). */
  readonly sites: readonly {
    readonly site: string;
    readonly estimate: number;
    readonly 'std.error'?: number;
  }[];
}

/** The report as JSON; a number JSON cannot hold (the F of a perfect fit) is left out. */
export function reportJson(report: Report): string {
  return finiteJson(report);
}

/** A value as JSON without the numbers that JSON cannot hold. */
export function finiteJson(value: unknown): string {
  const finite = (_: string, member: unknown) =>
    typeof member === 'number' && !Number.isFinite(member) ? undefined : member;
  return JSON.stringify(value, finite, 2);
}

export interface ResponseReport {
  readonly response: string;
  readonly terms: readonly TermRow[];
  readonly glance: Glance;
  /** Where `terms` are columns of a linear map: what they are on the columns of the formula. */
  readonly original?: readonly OriginalRow[];
}

/** Puts a fit into its public shape. */
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
    ...(glm === undefined ? {} : { family: glm.family }),
    n: equations.rows,
    sites: context.sites,
    ...(answers.length === 1
      ? { terms: answers[0].terms, glance: answers[0].glance }
      : { responses: answers }),
    ...penaltyOf(fit),
    ...errorsAssumed(fit),
    ...(fit.siteEffects === undefined ? {} : { siteEffects: fit.siteEffects }),
    ...(glm === undefined ? {} : { deviation: deviationOf(glm) }),
    ...(factored === undefined
      ? {}
      : { condition: conditionNumber(equations, kept, factored.inverse) }),
    ...(fit.digits === undefined ? {} : { digits: Math.floor(fit.digits * 10) / 10 }),
    arithmetic: layout.arithmetic,
    grid: layout.grid,
    aliased: fit.aliased,
    digest: context.digest,
  };
}

/** The ridge or the lasso, and the curve it was chosen from. */
function penaltyOf(fit: Fit): Pick<Report, 'ridge' | 'lasso' | 'selection'> {
  if (!isPenalised(fit)) return {};
  const { chosen, lasso, models, ridge } = fit;
  const rule = chosen?.rule ?? 'given';
  const selection = chosen === undefined ? {} : { selection: chosen.curve };
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
      ...effort(fit),
      ...(chosen === undefined ? {} : { flat: chosen.flat, minimum: chosen.minimum }),
    },
    ...selection,
  };
}

/** What the standard errors assume, where there are any, and what their tests are looked up in. */
function errorsAssumed(fit: Fit): Pick<Report, 'errors' | 'freedom'> {
  const known = standardErrors(fit, 0);
  if (known === undefined) return {};
  if (fit.errors === undefined) return { errors: known.kind };
  const normal = known.freedom === Number.POSITIVE_INFINITY;
  return { errors: known.kind, freedom: normal ? 'normal' : known.freedom };
}

/** Standard errors of distance from the pooled regression that a reader would notice. */
const NOTICEABLE = 0.1;

function deviationOf({ steps, deviation: estimate }: GeneralizedFit): Deviation {
  const advice =
    estimate > NOTICEABLE
      ? 'another round, one Newton step from here, would bring it much closer (suffice study refine)'
      : 'one more round would change nothing a reader could see';
  return { steps, estimate, advice };
}

/** Effective degrees of freedom, and n·RSS/(n − edf)² in the user's units. */
function effort({ models, solution, equations }: Fit): { edf?: number; gcv?: number } {
  if (solution.factored === undefined) return {};
  const edf = solution.factored.effectiveSlopes + (equations.layout.intercept ? 1 : 0);
  if (models.length !== 1) return { edf };
  const { rows, residualSumOfSquares } = models[0];
  if (!(rows > edf)) return { edf };
  return { edf, gcv: (rows * residualSumOfSquares) / (rows - edf) ** 2 };
}
