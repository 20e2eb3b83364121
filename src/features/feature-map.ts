import type * as zod from 'zod';
import type { Zod } from '../study/zod.ts';
import type { Design } from './design.ts';
import type { FeatureTerms, FeatureText } from './feature-text.ts';
import type { FurtherContacts } from './further-contacts.ts';
import type { PinnedFile } from './pinned-file.ts';
import type { Coding } from './terms.ts';

/** A map of the formula's columns, applied before they are summed; an entry of `feature-maps.ts`. */
export interface FeatureMap<Terms extends FeatureTerms = FeatureTerms> extends FeatureText<Terms> {
  /**
   * The design with its predictors replaced (see `mapDesign`). Every party gets the same bits, and a row's bits do not depend
   * on other rows. Throws DataError for terms that the design does not allow.
   */
  apply(design: Design, terms: Terms): Design;
  /** How it needs categories coded; by treatment contrasts if absent. */
  coding?(terms: Terms): Coding | undefined;
  /** The JSON schema of its terms, `kind` included. */
  schema(z: Zod): zod.ZodObject;
  /** The public file without which no row can be mapped, if there is one; the design does not need it. */
  pinned?(terms: Terms): PinnedFile | undefined;
  /** Public files that coordinators offer to the pages of sites, where they have them. */
  readonly files?: readonly PinnedFile[];
  /** Largest ‖φ(x)‖ over all possible rows, if finite: the sensitivity of a row. */
  bound?(terms: Terms): number;
  /** Set where no question about single columns makes sense: there are many, and none means anything to a reader. */
  readonly opaque?: true;
  /** How it goes on after a contact; absent if one contact is all. */
  readonly further?: FurtherContacts<Terms>;
  /** The terms for the columns of another map in place of the formula's; absent if it cannot be built on one. */
  over?(terms: Terms, base: FeatureTerms): Terms;
  /** Its command-line option; absent if only a study can ask for it. */
  readonly option?: FeatureOption<Terms>;
}

/** The command-line option with the name of the map. */
export interface FeatureOption<Terms extends FeatureTerms> {
  /** Its form: `<dimension[,seed]>`. */
  readonly form: string;
  readonly description: string;
  /** The rule for a value: "a dimension from 1 to 5000". */
  readonly rule: string;
  readonly examples: readonly string[];
  /** Undefined if the value breaks the rule. */
  read(value: string): Terms | undefined;
}
