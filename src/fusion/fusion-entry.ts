import type * as zod from 'zod';
import type { Failure } from '../failure.ts';
import type { Design } from '../features/design.ts';
import { withAllowedRange } from '../features/reference.ts';
import { isTableStudy, type PrivacyTerms, type Study, type TableStudy } from '../study/study.ts';
import { tableStudy } from '../study/table-study.ts';
import type { Zod } from '../study/zod.ts';
import type { Method, Questions, ReadColumn } from './method.ts';

/** A fusion in the registry: the method of a study that names it, with and without noise. */
export interface FusionEntry<Terms> {
  method(study: Study, fusion: Terms): Method;
  /** The JSON schema of its terms, `kind` included. */
  schema(z: Zod): zod.ZodObject;
  /** Fields of the study in place of a formula and a codebook; absent where the fusion reads a table by a formula. */
  input?(z: Zod): zod.ZodRawShape;
  /** Which questions the method answers, whatever the study. */
  readonly questions: Questions;
  /** The method under differential privacy, or why there is none. */
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
    method: (study, terms) => asAgreed(study, fusion.method(tableStudy(study), terms)),
    underNoise:
      typeof underNoise === 'function'
        ? (study, terms, privacy) => asAgreed(study, underNoise(tableStudy(study), terms, privacy))
        : underNoise,
  };
}

/** The method of a study that was read as a table: its next round is a study of the same input. */
function asAgreed(study: Study, method: Method): Method {
  if (isTableStudy(study) || method.rounds === undefined) return method;
  const { rounds } = method;
  return {
    ...method,
    rounds: {
      ...rounds,
      next(report, from) {
        const next = rounds.next(report, from);
        if ('problem' in next) return next;
        const { formula: _, codebook: __, image: ___, ...terms } = tableStudy(next);
        return { ...study, ...terms };
      },
    },
  };
}

/** The refusal of a private study where noise cannot be calibrated. */
export function notUnderNoise(what: string, remedy: string): Failure {
  return { problem: `differential privacy is not offered for ${what}`, remedy };
}

/** The columns that a formula reads; `last` is one more, such as the weights or the person of a row. */
export function tableColumns(
  { codebook }: TableStudy,
  design: Design,
  last?: string,
): ReadColumn[] {
  const names = last === undefined ? design.variables : [...design.variables, last];
  return names.map((name) => ({ name, column: withAllowedRange(codebook[name]) }));
}
