import type { Failure } from '../failure.ts';
import type { Design } from '../features/design.ts';
import { mappedColumns } from '../features/mapped-columns.ts';
import type { Fit } from '../model/fit.ts';
import { nearNames } from '../study/near-names.ts';
import type { QueryInput } from './query-input.ts';

/** A term and the indices of its predictors in the normal equations. */
export interface ModelTerm {
  readonly label: string;
  readonly columns: readonly number[];
}

/** The label of the site intercepts, which are not in the formula. */
const SITES = '.site';

/** The terms of the formula in R's order, then the sites where each has its own intercept. */
export function modelTerms({ design, fit }: Pick<QueryInput, 'design' | 'fit'>): ModelTerm[] {
  const first = design.intercept ? 1 : 0;
  const written = design.columns.length - design.responses - first;
  const sites = Array.from(
    { length: Math.max(0, fit.equations.predictors - written) },
    (_, k) => written + k,
  );
  return [
    ...design.terms.map(({ label, columns }) => ({
      label,
      columns: columns.map((column) => column - first),
    })),
    ...(sites.length > 0 ? [{ label: SITES, columns: sites }] : []),
  ];
}

/** Indices of these predictors among the model's terms; aliased predictors have none. */
export function coefficientPlaces(fit: Fit, columns: readonly number[]): number[] {
  const first = fit.equations.layout.intercept ? 1 : 0;
  return columns.flatMap((column) => {
    const place = fit.solution.kept.indexOf(column);
    return place < 0 ? [] : [place + first];
  });
}

/** The term with this label, the parts of an interaction in any order; or a failure that lists the terms. */
export function findTerm(
  terms: readonly ModelTerm[],
  label: string,
  design: Design,
): ModelTerm | Failure {
  const sorted = (text: string) => text.split(':').sort().join(':');
  const found =
    terms.find((term) => term.label === label) ??
    terms.find((term) => sorted(term.label) === sorted(label));
  return (
    found ??
    noSuchName(
      'term',
      label,
      terms.map((term) => term.label),
      design,
    )
  );
}

/** The failure for an unknown name, with the names that are likely meant. */
export function noSuchName(
  kind: string,
  name: string,
  names: readonly string[],
  design?: Design,
): Failure {
  const problem = `the model has no ${kind} ${name}`;
  const made = design?.mapped === undefined ? undefined : mappedAmong(design, names);
  if (made !== undefined && nearNames(name, made).length === 0) {
    const remedy = `it has ${design?.mapped?.map.made.many} of the columns; a study without them has a ${kind} of each`;
    return { problem, remedy };
  }
  const near = nearNames(name, names);
  return {
    problem,
    remedy:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : `it has ${names.join(', ') || 'none'}`,
  };
}

/** The names among these that belong to the feature map. */
function mappedAmong(design: Design, names: readonly string[]): string[] {
  const made = new Set(mappedColumns(design).flatMap(({ name, term }) => [name, term]));
  return names.filter((name) => made.has(name));
}
