import type { Coverage } from '../across/coverage.ts';
import type { Heterogeneity } from '../across/heterogeneity.ts';
import type { Influence } from '../across/influence.ts';
import type { Sanity } from '../across/sanity.ts';
import type { Anova } from './anova.ts';
import type { Collinearity } from './collinearity.ts';
import type { Comparison } from './comparison.ts';
import type { Components } from './components.ts';
import type { Contrast } from './contrast.ts';
import type { CoefficientCovariance } from './covariance.ts';
import type { Description } from './description.ts';
import type { Discriminant } from './discriminant.ts';
import type { PartialCorrelations } from './partial-correlations.ts';
import type { Path } from './path.ts';
import type { Prediction } from './prediction.ts';
import type { Standardized } from './standardized.ts';
import type { Trend } from './trend.ts';

/** Questions that need nothing but their name. */
export const topics = [
  'anova',
  'description',
  'standardized',
  'partial-correlations',
  'collinearity',
  'components',
  'covariance',
  'discriminant',
  'path',
  'heterogeneity',
  'influence',
  'coverage',
  'sanity',
] as const;

export type Topic = (typeof topics)[number];

/** Topics that no total answers: they look at the sites one by one. */
export const acrossSites: ReadonlySet<Question['about']> = new Set<Topic>([
  'heterogeneity',
  'influence',
  'coverage',
  'sanity',
]);

/** What may be asked of a study after its sites have sent, again and again, with no second contact. */
export type Question =
  | { readonly about: Topic; readonly response?: string }
  | {
      readonly about: 'comparison';
      readonly without: readonly string[];
      readonly response?: string;
    }
  | { readonly about: 'contrast'; readonly of: readonly string[]; readonly response?: string }
  | { readonly about: 'trend'; readonly term: string; readonly response?: string }
  | {
      readonly about: 'prediction';
      readonly at: Readonly<Record<string, number | string>>;
      readonly level?: number;
      readonly response?: string;
    };

export type Answer =
  | Anova
  | Description
  | Standardized
  | PartialCorrelations
  | Collinearity
  | Components
  | Discriminant
  | CoefficientCovariance
  | Path
  | Heterogeneity
  | Influence
  | Coverage
  | Sanity
  | Comparison
  | Contrast
  | Trend
  | Prediction;

/** A question that has no answer here; `advice`, a public key of the JSON, is the failure's remedy. */
export interface Declined {
  readonly about: string;
  readonly problem: string;
  readonly advice: string;
  readonly response?: string;
}

/** What comes back for a question; `response` where the study has several. */
export type Answered = (Answer & { readonly response?: string }) | Declined;
