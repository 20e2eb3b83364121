import { DataError } from '../data-error.ts';
import { type Agreement, agreement } from '../federate.ts';
import { Refusal } from '../protocol/refusal.ts';
import { FormulaError } from '../study/formula-error.ts';
import type { Study } from '../study/study.ts';

/** Everything derived from a study; refuses an invalid one. */
export function checkedAgreement(study: Study): Agreement {
  try {
    return agreement(study);
  } catch (error) {
    if (error instanceof DataError || error instanceof FormulaError) {
      throw new Refusal('unprocessable', error.message, error.remedy);
    }
    throw error;
  }
}
