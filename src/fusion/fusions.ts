import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import type { Fusions, Study } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import { discriminantEntry, naiveBayesEntry } from './classifier-method.ts';
import { averageEntry, fescEntry } from './estimate-method.ts';
import type { FusionEntry } from './fusion-entry.ts';
import { glmEntry } from './glm-method.ts';
import type { Method, Questions } from './method.ts';
import { networkFusions } from './network-fusions.ts';
import { privateQuestions } from './private-method.ts';
import { ridgeEntry } from './ridge-method.ts';

export type { NetworkFusion } from './network-terms.ts';

/** Every fusion, by the name that a study gives it. */
export const fusions: { readonly [Kind in keyof Fusions]: FusionEntry<Fusions[Kind]> } = {
  ridge: ridgeEntry,
  discriminant: discriminantEntry,
  'naive-bayes': naiveBayesEntry,
  glm: glmEntry,
  fisher: glmEntry,
  average: averageEntry,
  fesc: fescEntry,
  ...networkFusions,
};

/** Schemas of the terms of every fusion; one schema for a fusion with two names. */
export function fusionSchemas(z: Zod): [zod.ZodObject, ...zod.ZodObject[]] {
  const { ridge: first, ...others } = fusions;
  const distinct = new Set<Pick<typeof first, 'schema'>>(Object.values(others));
  return [first.schema(z), ...Array.from(distinct, (entry) => entry.schema(z))];
}

/** Fields of studies whose fusion reads something else than a table by a formula. */
export function inputShapes(z: Zod): zod.ZodRawShape[] {
  const entries: readonly Pick<FusionEntry<never>, 'input'>[] = Object.values(fusions);
  return entries.flatMap(({ input }) => (input === undefined ? [] : [input(z)]));
}

/** Which questions a study with these terms answers. */
export function questionsTo({ fusion, privacy }: Pick<Study, 'fusion' | 'privacy'>): Questions {
  return privacy ? privateQuestions : fusions[fusion.kind].questions;
}

/** The method of a study: what its sites do, and how their sum is resolved. */
export function methodOf(study: Study): Method {
  return methodFor(study, study.fusion.kind, study.fusion);
}

function methodFor<Kind extends keyof Fusions>(
  study: Study,
  kind: Kind,
  terms: Fusions[Kind],
): Method {
  const entry = fusions[kind];
  const { privacy } = study;
  if (privacy === undefined || privacy === null) return entry.method(study, terms);
  const { underNoise } = entry;
  if (typeof underNoise === 'function') return underNoise(study, terms, privacy);
  throw new DataError(underNoise.problem, {}, underNoise.remedy);
}
