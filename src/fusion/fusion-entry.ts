import type * as zod from 'zod';
import type { Failure } from '../failure.ts';
import type { PrivacyTerms, Study } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import type { Method, Questions } from './method.ts';

/** A fusion as the registry holds it: how a study that names it learns, with noise and without. */
export interface FusionEntry<Terms> {
  method(study: Study, fusion: Terms): Method;
  /** The JSON of its terms, with `kind` among them. */
  schema(z: Zod): zod.ZodObject;
  /** What may be asked of the method, before there is a study. */
  readonly questions: Questions;
  /** The same under differential privacy, or why that is not offered. */
  readonly underNoise: ((study: Study, fusion: Terms, terms: PrivacyTerms) => Method) | Failure;
}

/** The failure of a fusion that noise cannot be calibrated for. */
export function notUnderNoise(what: string, remedy: string): Failure {
  return { problem: `differential privacy is not offered for ${what}`, remedy };
}
