import type { Collected } from '../aggregation/aggregation.ts';
import type { Failure } from '../failure.ts';
import type { Design } from '../features/design.ts';
import type { Fit } from '../model/fit.ts';
import type { Report, SiteLine } from '../model/report.ts';
import type { MappedCoefficients } from '../model/unfold.ts';
import type { Charge } from '../privacy/charge.ts';
import type { Forecast } from '../privacy/forecast.ts';
import type { WordSource } from '../random/words.ts';
import type { Summarizer, SummarizerOptions, Summary } from '../statistic/cross-product.ts';
import type { Layout } from '../statistic/layout.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { Column } from '../study/codebook.ts';
import type { PrivacyTerms, RidgeFusion, Study, TableStudy } from '../study/study.ts';

/**
 * One way to learn in one round, for one study. A site summarizes its rows and releases a statistic, anyone adds, the
 * coordinator resolves. The rest of the system asks the method, never the name of its fusion.
 */
export interface Method {
  /** What a site sends. */
  readonly layout: Layout;
  /** What its rows are reduced to first: the same, unless a site sends an estimate of its own. */
  readonly rowsLayout: Layout;
  /** Columns a site reads, in the order a block carries them. */
  readonly columns: readonly ReadColumn[];
  /** What a regression by a formula has; absent where a fusion reads something else. */
  readonly regression?: Regression;
  /** What the total is a sum over, bit for bit: rows, however they are dealt to sites; or sites, as they are. */
  readonly additive: 'rows' | 'sites';
  /** A site's rows must be reduced in one piece, by one thread. */
  readonly wholeFile: boolean;
  /** The total alone does not resolve: the statistic of each site is needed. */
  readonly needsParts: boolean;
  /** Noise that protects the rows of a private study; absent where the disclosure rules do. */
  readonly noise?: Noise;
  readonly questions: Questions;
  readonly text: MethodText;
  /** Sections of the result page that this method has beside those of every result, in order. */
  readonly sections: readonly ResultSection[];
  /** What can be explored of a linear regression; absent for other methods. */
  readonly linear?: LinearTerms;
  /** How a further round is made; absent where one round is exact. */
  readonly rounds?: Rounds;
  summarize(options: SummarizerOptions): Summarizer;
  /** What leaves, from the sums over a site's rows. */
  release(sums: Statistic, site: string): Statistic;
  resolve(sent: Collected): Resolved | Failure;
}

/** A column a site reads. */
export interface ReadColumn {
  readonly name: string;
  readonly column: Column;
}

/** What a method has that reads a table by a formula, and sums its columns. */
export interface Regression {
  readonly study: TableStudy;
  readonly design: Design;
  /** What rows are reduced to. */
  readonly layout: LinearLayout;
}

/** A model made from a total: its report, and its coefficients by response. */
export interface Resolved {
  report(context: ReportContext): Report;
  readonly models: readonly MappedCoefficients[];
  /** What questions are asked of; absent where the report is all there is. */
  readonly fit?: Fit;
}

/** What a report says beside the model. */
export interface ReportContext {
  readonly formula: string;
  readonly sites: readonly SiteLine[];
  readonly digest: string;
}

/** What may be asked beside the report: nothing, with the reason; or questions about sums, or about Fisher information. */
export type Questions =
  | { readonly none: Failure }
  | {
      readonly of: 'sums';
      /** Another linear regression on the same sums. */
      by(fusion: RidgeFusion): Pick<Method, 'needsParts' | 'resolve'>;
    }
  | { readonly of: 'information'; readonly noOtherMethod: Failure };

/** Sections of the result page by their names. */
export type ResultSection = 'trace' | 'selection' | 'agreement' | 'columns' | 'weights';

/** A method in words, for people. */
export interface MethodText {
  /** How the study learns: "ridge regression, penalty 1". */
  readonly method: string;
  /** How a model was learnt, in exports. */
  readonly learnt: string;
  /** What an analyst should know before the study opens. */
  readonly notes?: readonly string[];
  /** Who sees what of a site, line by line, after it was said that rows do not leave. */
  readonly sight: readonly string[];
  /** What the numbers that leave are, line by line. */
  readonly leaves: readonly string[];
  /** What the numbers that leave say at once, from what was summed and what would leave. */
  readonly says: (summary: Summary, released: Statistic) => readonly string[];
}

/** What a page needs to explore a linear regression. */
export interface LinearTerms {
  /** The slopes that a penalty is put on: of columns as they are, or scaled by their SD. */
  readonly scale: 'raw' | 'standardized';
  /** Whether each site has an intercept of its own. */
  readonly siteEffects: boolean;
  /** The regression as far as the total alone carries it; undefined where it carries all of it. */
  fromTotal(report: Report): RidgeFusion | undefined;
}

/** Further rounds of a method. */
export interface Rounds {
  /** Rounds that follow the first without being asked for; absent where people decide. */
  readonly planned?: number;
  /** The study of the next round, which starts from a report. */
  next(report: Report): Study | Failure;
  /** What the sites do in the round of this study. */
  readonly text: string;
}

/** What protects the rows of a private study. */
export interface Noise {
  readonly terms: PrivacyTerms;
  /** What the study promises, in sentences. */
  readonly promise: readonly string[];
  /** Totals that the budget is for; absent where sites add the noise, which is then the same in every total. */
  readonly totals?: number;
  /** The total with noise, as it may be published. */
  onTotal(total: Statistic, words?: WordSource): Statistic;
  /** What a contribution costs its rows; `place` is who publishes. */
  charge(place: string): Charge;
  /** What the noise of one round will do to the answer. */
  forecast(setting: { readonly rows: number; readonly sites: number }): Forecast;
}
