import type { Fusion } from '../../src/study/study.ts';
import { discriminantKind, naiveBayesKind } from './class-kinds.ts';
import { lassoKind, leastSquaresKind, ridgeKind } from './linear-kinds.ts';
import type { MethodKind, ReadMethod } from './method-kind.ts';
import { networkKind } from './network-method-kind.ts';
import { emptyPlan, type MethodPlan, type StudyPlan } from './plan.ts';
import { averageKind, fescKind, logistic, poisson } from './site-fit-kinds.ts';

/** Every kind of method in the form, in order. */
export const methodKinds: readonly MethodKind[] = [
  leastSquaresKind,
  ridgeKind,
  lassoKind,
  discriminantKind,
  naiveBayesKind,
  logistic,
  poisson,
  averageKind,
  fescKind,
  networkKind,
];

/** A method that the form cannot show: the fusion of the loaded study is kept unchanged. */
const fromFile: MethodKind = {
  name: 'file',
  label: 'set in the study’s file',
  about: 'The method is set in the study’s file and is kept unchanged.',
  fields: () => [],
  toFusion: (_method, { problems }, unshown) => {
    if (unshown !== undefined && 'kind' in unshown) return unshown as unknown as Fusion;
    const remedy = 'choose a model';
    problems.push({ field: 'method', problem: 'no file sets the method', remedy });
    return undefined;
  },
  fromFusion: (fusion) => ({ method: {}, unshown: { ...fusion } }),
};

/** The kind named in a plan. */
export function methodKind({ kind }: Pick<MethodPlan, 'kind'>): MethodKind {
  return methodKinds.find(({ name }) => name === kind) ?? fromFile;
}

/** The kinds to choose from; includes the file's own method if a file was loaded. */
export function offeredKinds({ more: { fusion } }: Pick<StudyPlan, 'more'>): readonly MethodKind[] {
  return fusion !== undefined && 'kind' in fusion ? [...methodKinds, fromFile] : methodKinds;
}

/** The form's fields for a study's fusion, and the parts that the form does not show. */
export function methodOfFusion(fusion: Fusion): ReadMethod & { readonly method: MethodPlan } {
  const [[kind, read]] = [...methodKinds, fromFile].flatMap((one) => {
    const found = one.fromFusion(fusion);
    return found === undefined ? [] : [[one.name, found] as const];
  });
  return { ...read, method: { ...emptyPlan.method, ...read.method, kind } };
}
