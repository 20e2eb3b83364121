import type * as zod from 'zod';
import type { Failure } from '../failure.ts';
import type { PrivacyTerms, Study, TableStudy } from '../study/study.ts';
import { tableStudy } from '../study/table-study.ts';
import type { Zod } from '../study/zod.ts';
import type { Method, Questions } from './method.ts';

/** A fusion as the registry holds it: how a study that names it learns, with noise and without. */
export interface FusionEntry<Terms> {
  method(study: Study, fusion: Terms): Method;
  /** The JSON of its terms, with `kind` among them. */
  schema(z: Zod): zod.ZodObject;
  /** Members of the study that it reads in place of a formula and a codebook; absent where it reads a table by a formula. */
  input?(z: Zod): zod.ZodRawShape;
  /** What may be asked of the method, before there is a study. */
  readonly questions: Questions;
  /** The same under differential privacy, or why that is not offered. */
  readonly underNoise: ((study: Study, fusion: Terms, terms: PrivacyTerms) => Method) | Failure;
}

/** A fusion that reads a table by a formula. */
export interface TableFusion<Terms> extends Omit<FusionEntry<Terms>, 'method' | 'underNoise'> {
  method(study: TableStudy, fusion: Terms): Method;
  readonly underNoise:
    | ((study: TableStudy, fusion: Terms, terms: PrivacyTerms) => Method)
    | Failure;
}

/** The entry of a fusion that reads a table: a study without a formula is refused. */
export function tableFusion<Terms>(fusion: TableFusion<Terms>): FusionEntry<Terms> {
  const { underNoise } = fusion;
  return {
    ...fusion,
    method: (study, terms) => fusion.method(tableStudy(study), terms),
    underNoise:
      typeof underNoise === 'function'
        ? (study, terms, privacy) => underNoise(tableStudy(study), terms, privacy)
        : underNoise,
  };
}

/** The failure of a fusion that noise cannot be calibrated for. */
export function notUnderNoise(what: string, remedy: string): Failure {
  return { problem: `differential privacy is not offered for ${what}`, remedy };
}
