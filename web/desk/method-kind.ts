import { type Fusion, isFusion } from '../../src/study/study.ts';
import type { MethodPlan, UnshownTerms } from './plan.ts';
import type { Reading } from './plan-problems.ts';

/** A kind of method as the form offers it. */
export interface MethodKind {
  readonly name: string;
  readonly label: string;
  readonly about: string;
  /** Fields that it is described by, as the others stand. */
  fields(method: MethodPlan): readonly MethodField[];
  /** The fusion of a study; undefined where a field cannot be read. */
  toFusion(
    method: MethodPlan,
    reading: Reading,
    unshown: UnshownTerms['fusion'],
  ): Fusion | undefined;
  /** The fields of a fusion; undefined where it is none of this kind. */
  fromFusion(fusion: Fusion): ReadMethod | undefined;
}

/** What a method is described by beside its kind; weights are the plan's own. */
export type MethodField = Exclude<keyof MethodPlan, 'kind'> | 'weights';

/** Fields read back from a fusion, and what of it the form does not show. */
export interface ReadMethod {
  readonly method: Partial<MethodPlan>;
  readonly unshown?: NonNullable<UnshownTerms['fusion']>;
}

/** Reads fusions of these names, and no others. */
export function reading<Terms extends Fusion>(
  names: readonly Terms['kind'][],
  read: (terms: Terms) => ReadMethod | undefined,
): MethodKind['fromFusion'] {
  return (fusion) => (isFusion<Terms>(fusion, names) ? read(fusion) : undefined);
}
