import type { Failure } from '../failure.ts';
import type { ResolutionName } from '../study/study.ts';
import type { FeatureTerms } from './feature-text.ts';
import type { PublicUnit } from './public-unit.ts';

/** How a feature map goes on after a contact with the sites: its next terms follow from the published coefficients. */
export interface FurtherContacts<Terms extends FeatureTerms = FeatureTerms> {
  /** Number of planned contacts that are still to come after this one. */
  left(terms: Terms): number;
  /** What the sites do in this contact. */
  text(terms: Terms): string;
  /** What the terms have from earlier contacts; undefined in the first. */
  start(terms: Terms): ContactStart | undefined;
  /** For each earlier contact its error by GCV, where it was known. */
  scores(terms: Terms): readonly (number | undefined)[];
  /** The terms of the next contact, or why there is none; `from` names the resolution of the coefficients. */
  next(terms: Terms, fitted: FittedColumns, from?: ResolutionName): Terms | Failure;
}

/** What a map has from earlier contacts. */
export interface ContactStart {
  /** As JSON, to be compared and digested. */
  readonly at: unknown;
  /** The resolution that it follows from; without it, it may be made up. */
  readonly from?: ResolutionName;
  readonly text: string;
}

/** The published fit of the columns that a map made. */
export interface FittedColumns {
  readonly responses: readonly FittedResponse[];
  /** The error of the fit by GCV, as a share of the variance. */
  readonly score?: number;
}

export interface FittedResponse {
  readonly unit: PublicUnit;
  /** 0 without an intercept. */
  readonly constant: number;
  /** One for each mapped column; 0 where it is aliased. */
  readonly slopes: Float64Array;
}
