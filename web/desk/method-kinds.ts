import type { Fusion } from '../../src/study/study.ts';
import { lasso, leastSquares, ridge } from './linear-kinds.ts';
import type { MethodKind, ReadMethod } from './method-kind.ts';
import { emptyPlan, type MethodPlan, type Plan } from './plan.ts';
import { average, fesc, logistic, poisson } from './site-fit-kinds.ts';

/** Every kind of method that the form offers, in order. */
export const methodKinds: readonly MethodKind[] = [
  leastSquares,
  ridge,
  lasso,
  logistic,
  poisson,
  average,
  fesc,
];

/** A method that the form cannot show: the terms of a loaded study are kept as they are. */
const fromFile: MethodKind = {
  name: 'file',
  label: 'set in the study’s file',
  about: 'How the study learns is set in its file, and kept as it stands there.',
  fields: () => [],
  toFusion: (_method, { problems }, unshown) => {
    if (unshown !== undefined && 'kind' in unshown) return unshown as unknown as Fusion;
    const remedy = 'choose a model';
    problems.push({ field: 'method', problem: 'no file says how the study learns', remedy });
    return undefined;
  },
  fromFusion: (fusion) => ({ method: {}, unshown: { ...fusion } }),
};

/** The kind that a plan names. */
export function methodKind({ kind }: Pick<MethodPlan, 'kind'>): MethodKind {
  return methodKinds.find(({ name }) => name === kind) ?? fromFile;
}

/** The kinds that one may choose: what a file has set too, where one was loaded. */
export function offeredKinds({ more: { fusion } }: Pick<Plan, 'more'>): readonly MethodKind[] {
  return fusion !== undefined && 'kind' in fusion ? [...methodKinds, fromFile] : methodKinds;
}

/** The method of a study's fusion as the form holds it, and what it does not show. */
export function methodOfFusion(fusion: Fusion): ReadMethod & { readonly method: MethodPlan } {
  const [[kind, read]] = [...methodKinds, fromFile].flatMap((one) => {
    const found = one.fromFusion(fusion);
    return found === undefined ? [] : [[one.name, found] as const];
  });
  return { ...read, method: { ...emptyPlan.method, ...read.method, kind } };
}
