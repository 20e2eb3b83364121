import { type Fusion, isFusion } from '../../src/study/study.ts';
import type { MethodPlan, UnshownTerms } from './plan.ts';
import type { PlanReading } from './plan-problems.ts';

/** A kind of method in the form. */
export interface MethodKind {
  readonly name: string;
  readonly label: string;
  readonly about: string;
  /** Fields of this kind; they may depend on the values of other fields. */
  fields(method: MethodPlan): readonly MethodField[];
  /** The study's fusion; undefined if a field cannot be read. */
  toFusion(
    method: MethodPlan,
    reading: PlanReading,
    unshown: UnshownTerms['fusion'],
  ): Fusion | undefined;
  /** The fields of a fusion; undefined if the fusion is of another kind. */
  fromFusion(fusion: Fusion): ReadMethod | undefined;
}

/** A field of a method; weights are a field of the plan. */
export type MethodField = Exclude<keyof MethodPlan, 'kind'> | 'weights';

/** Fields read from a fusion, and the parts of it that the form does not show. */
export interface ReadMethod {
  readonly method: Partial<MethodPlan>;
  readonly unshown?: NonNullable<UnshownTerms['fusion']>;
}

/** A `fromFusion` that reads only fusions with these names. */
export function reading<Terms extends Fusion>(
  names: readonly Terms['kind'][],
  read: (terms: Terms) => ReadMethod | undefined,
): MethodKind['fromFusion'] {
  return (fusion) => (isFusion<Terms>(fusion, names) ? read(fusion) : undefined);
}
