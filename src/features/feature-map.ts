import type { Design } from './design.ts';
import type { FeatureTerms, FeatureText } from './feature-text.ts';

/** What a study does to the columns of its formula before they are summed; an entry of `feature-maps.ts`. */
export interface FeatureMap<Terms extends FeatureTerms = FeatureTerms> extends FeatureText<Terms> {
  /**
   * The design with its predictors replaced (`mapDesign` arranges it); every party gets the same bits, and a row has the
   * same ones whatever rows stand beside it. Throws DataError for terms that the design does not allow.
   */
  apply(design: Design, terms: Terms): Design;
  /** Largest ‖φ(x)‖ over all rows, where it is finite whatever the columns hold: the sensitivity of a row. */
  bound?(terms: Terms): number;
  /** How a command line asks for it; absent where only a study can. */
  readonly option?: FeatureOption<Terms>;
}

/** The value of the option called like the map. */
export interface FeatureOption<Terms extends FeatureTerms> {
  /** Its form: `<dimension[,seed]>`. */
  readonly form: string;
  readonly description: string;
  /** What a value must be: "a dimension from 1 to 5000". */
  readonly rule: string;
  readonly examples: readonly string[];
  /** Undefined where the rule is broken. */
  read(value: string): Terms | undefined;
}
