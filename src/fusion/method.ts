import type { Collected } from '../aggregation/aggregation.ts';
import type { NetworkAuditInput } from '../disclosure/network-rules.ts';
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
import type {
  PrivacyTerms,
  ResolutionName,
  RidgeFusion,
  Study,
  SumsFusion,
  TableStudy,
} from '../study/study.ts';
import type { DrawnLayer } from './drawn-layers.ts';

/**
 * One way to learn in one round, for one study. A site summarizes its rows and releases a statistic, anyone adds, the
 * coordinator resolves. The rest of the system asks the method, never the name of its fusion.
 */
export interface Method {
  /** What a site sends. */
  readonly layout: Layout;
  /** What its rows are reduced to first: the same, unless a site sends its own estimate. */
  readonly rowsLayout: Layout;
  /** Columns a site reads, in the order a block carries them. */
  readonly columns: readonly ReadColumn[];
  /** The study, design and layout of a regression by a formula; absent where a fusion reads something else. */
  readonly regression?: Regression;
  /** Where sites train a network: what the audit has to know of it, and how long it takes. */
  readonly network?: Pick<NetworkAuditInput, 'classes' | 'products'> & {
    /** Multiplications of a training for each value of the inputs. */
    readonly multiplications: number;
    /** The layers of the network in a report. */
    layers(report: Report): readonly DrawnLayer[];
  };
  /** Whether the total is, bit for bit, a sum over rows in any split among sites, or over the given sites only. */
  readonly additive: 'rows' | 'sites';
  /** A site's rows must be reduced in one piece, by one thread. */
  readonly wholeFile: boolean;
  /** The total alone is not enough: the method needs the statistic of each site. */
  readonly needsSites: boolean;
  /** Sums over this many groups of sites are enough, in place of those of each site. */
  readonly groups?: number;
  /** The noise of a private study; absent where the disclosure rules protect the rows. */
  readonly noise?: Noise;
  readonly questions: Questions;
  readonly text: MethodText;
  /** Sections of the result page that this method adds to those of every result, in order. */
  readonly sections: readonly ResultSection[];
  /** What the result page needs to explore a linear regression; absent for other methods. */
  readonly linear?: LinearTerms;
  /** How a further round is made; absent where one round is exact. */
  readonly rounds?: Rounds;
  /** What the study gives from an earlier round, if it decides how rows count or which columns they have. */
  readonly start?: StartingPoint;
  summarize(options: SummarizerOptions): Summarizer;
  /** What a site sends, from the sums over its rows. */
  release(sums: Statistic, site: string): Statistic;
  resolve(collected: Collected): Resolved | Failure;
  /** Why no site can have sent these numbers, if so; beyond what their layout allows. */
  impossible?(sent: Statistic): string | undefined;
}

/** A column a site reads. */
export interface ReadColumn {
  readonly name: string;
  readonly column: Column;
}

/** A regression that reads a table by a formula and sums its columns. */
export interface Regression {
  readonly study: TableStudy;
  readonly design: Design;
  /** What rows are reduced to. */
  readonly layout: LinearLayout;
}

/** A resolved model: its report, and its coefficients per response. */
export interface Resolved {
  report(context: ReportContext): Report;
  readonly models: readonly MappedCoefficients[];
  /** The fit that questions are about; absent where only the report is available. */
  readonly fit?: Fit;
}

/** What a report contains besides the model. */
export interface ReportContext {
  readonly formula: string;
  readonly sites: readonly SiteLine[];
  readonly digest: string;
}

/** Which questions can be answered: none, and why; or those that need sums, or Fisher information. */
export type Questions =
  | { readonly none: Failure }
  | {
      readonly basis: 'sums';
      /** Another model from the same sums, of the columns of a design. */
      otherMethod(
        fusion: SumsFusion,
        design: Design | undefined,
      ): Pick<Method, 'needsSites' | 'resolve'>;
    }
  | { readonly basis: 'information'; readonly noOtherMethod: Failure };

/** Sections of the result page by their names. */
export type ResultSection = 'network' | 'trace' | 'selection' | 'agreement' | 'columns' | 'weights';

/** A method in plain text, for people. */
export interface MethodText {
  /** How the study learns: "ridge regression, penalty 1". */
  readonly method: string;
  /** How the model was fitted, for exports. */
  readonly learnt: string;
  /** Notes for the analyst before the study opens. */
  readonly notes?: readonly string[];
  /** Who sees what of a site, line by line; shown after the sentence that rows do not leave. */
  readonly whoSees: readonly string[];
  /** What the sent numbers are, line by line. */
  readonly leaves: readonly string[];
  /** What the numbers reveal directly, such as means; from the sums and from the sent statistic. */
  readonly says: (summary: Summary, released: Statistic) => readonly string[];
  /** What only the site learns. */
  readonly own?: (summary: Summary) => readonly string[];
}

/** What the result page needs to explore a linear regression. */
export interface LinearTerms {
  /** The penalty is on slopes of raw columns, or of columns scaled by their SD. */
  readonly scale: 'raw' | 'standardized';
  /** Whether each site has an intercept of its own. */
  readonly siteEffects: boolean;
  /** The part of the regression that the total alone determines; undefined where it determines all of it. */
  fromTotal(report: Report): RidgeFusion | undefined;
}

/** What a study gives to its sites from an earlier round: coefficients, or layers of its feature map. */
export interface StartingPoint {
  /** As JSON, to be compared and digested. */
  readonly at: unknown;
  /** The resolution that they are from; without it they may be made up. */
  readonly from?: ResolutionName;
  /** What they decide: how much each row counts, which columns it has, or where a training begins. */
  readonly decides: 'weights' | 'columns' | 'training';
  readonly noun: 'coefficients' | 'layers' | 'weights';
  /** In words, for a site. */
  readonly text: string;
}

/** Further rounds of a method. */
export interface Rounds {
  /** Number of planned rounds that are still to come; absent where people decide. */
  readonly planned?: number;
  /** Whether people may ask for more rounds than planned. */
  readonly beyondPlan?: true;
  /** The study of the next round, which starts from a report; `from` names the resolution that published it. */
  next(report: Report, from?: ResolutionName): Study | Failure;
  /** What the sites do in this round. */
  readonly text: string;
}

/** The noise that protects the rows of a private study. */
export interface Noise {
  readonly terms: PrivacyTerms;
  /** What the study promises, in sentences. */
  readonly promise: readonly string[];
  /** Number of totals within the budget; absent where sites add the noise, which is then the same in every total. */
  readonly totals?: number;
  /** At the helper: the sum of the masks with noise, as the coordinator may see it; absent where a helper adds none. */
  atHelper?(masks: Statistic, random?: WordSource): Statistic;
  /** At the coordinator: the total with noise, as it may be published. */
  onTotal(total: Statistic, random?: WordSource): Statistic;
  /** The privacy cost of a contribution; `place` is who publishes. */
  charge(place: string): Charge;
  /** How the noise of one round will affect the result. */
  forecast(setting: { readonly rows: number; readonly sites: number }): Forecast;
}

/** What questions can be answered from: the sums of the columns, or only the Fisher information at one point. */
export type QuestionBasis = 'sums' | 'information';

/** What questions about this fit can be answered from. */
export function questionBasis({ glm }: Fit): QuestionBasis {
  return glm === undefined ? 'sums' : 'information';
}
