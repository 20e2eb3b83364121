import { expect } from 'vitest';
import type { Failure } from '../src/failure.ts';
import { refine } from '../src/fusion/next-round.ts';
import { errorsOf } from '../src/model/errors.ts';
import type { Fit } from '../src/model/fit.ts';
import type { TableStudy } from '../src/study/study.ts';
import type { VectorTable } from './fitted.ts';
import { agreement, contribution } from './linear.ts';
import { fitted } from './resolved-fit.ts';
import { summaryOf, type Table, tableOf } from './tables.ts';

/** What test/vectors/glm.R says of one regression. */
export interface GlmAnswer {
  readonly terms: readonly string[];
  readonly estimate: readonly number[];
  readonly std_error: readonly number[];
  readonly logLik: number;
}

export const levels: Readonly<Record<string, readonly string[]>> = { g: ['i', 'ii', 'iii'] };

/** The table of a vector, its texts as codes of `levels`. */
export function vectorTable(table: VectorTable): Table {
  const columns = Object.entries(table).map(([name, cells]) => [
    name,
    cells.map((cell) => (typeof cell === 'string' ? levels[name].indexOf(cell) : Number(cell))),
  ]);
  const present = Object.entries(levels).filter(([name]) => table[name] !== undefined);
  return tableOf(Object.fromEntries(columns), Object.fromEntries(present));
}

/** Rows dealt out by the value a column has in them. */
export function dealt(values: ArrayLike<number>): number[][] {
  const sites = new Map<number, number[]>();
  Array.from(values).forEach((site, r) => {
    sites.set(site, [...(sites.get(site) ?? []), r]);
  });
  return [...sites.values()];
}

export function oneRound(
  study: TableStudy,
  table: Table,
  sites: readonly (readonly number[])[],
): Fit | Failure {
  const agreed = agreement(study);
  const sent = sites.map((rows, k) =>
    contribution(agreed, `site-${k}`, summaryOf(agreed, table, rows)),
  );
  return fitted(agreed, sent).fit;
}

/** The fits of one round and so many further ones. */
export function rounds(
  study: TableStudy,
  table: Table,
  sites: readonly (readonly number[])[],
  further: number,
): Fit[] {
  const fits = [solved(oneRound(study, table, sites))];
  for (let k = 0; k < further; k++) {
    fits.push(solved(oneRound(refine(study, coefficientsOf(fits[k])), table, sites)));
  }
  return fits;
}

export function solved(fit: Fit | Failure): Fit {
  if ('problem' in fit) throw new Error(fit.problem);
  return fit;
}

/** Largest distance of a fit's coefficients from R's, in R's standard errors. */
export function distance({ models: [model] }: Fit, answer: GlmAnswer): number {
  expect(model.terms.length).toBe(answer.terms.length);
  return Math.max(
    ...answer.estimate.map(
      (estimate, k) => Math.abs(model.estimates[k] - estimate) / answer.std_error[k],
    ),
  );
}

/** A fit's coefficients by term. */
export function coefficientsOf({ models: [model] }: Fit): Record<string, number> {
  return Object.fromEntries(model.terms.map((term, k) => [term, model.estimates[k]]));
}

/** Largest distance between the coefficients of two fits, in standard errors of the second. */
export function deviationBetween(
  a: Fit,
  b: Fit,
): { readonly largest: number; readonly term: string } {
  const [from, to] = [a.models[0], b.models[0]];
  const covariance = errorsOf(b, 0)?.covariance;
  const width = to.terms.length;
  let worst = { largest: 0, term: to.terms[0] ?? '' };
  to.terms.forEach((term, k) => {
    const other = from.terms.indexOf(term);
    if (other < 0 || covariance === undefined) return;
    const error = Math.sqrt(covariance[k * (width + 1)]);
    const largest = Math.abs(from.estimates[other] - to.estimates[k]) / error;
    if (largest > worst.largest) worst = { largest, term };
  });
  return worst;
}

const MOST_ROUNDS = 25;
/** Standard errors a round may still move by: below it the pooled regression is reached. */
const ARRIVED = 1e-9;

/** The pooled regression itself, by rounds of Newton's method from a first fit; `round` asks the sites. */
export async function pooledGlm(
  study: TableStudy,
  first: Fit,
  round: (study: TableStudy) => Promise<Fit | Failure>,
): Promise<Fit | Failure> {
  let fit = first;
  for (let k = 0; k < MOST_ROUNDS; k++) {
    const next = await round(refine(study, coefficientsOf(fit)));
    if ('problem' in next) return next;
    const { largest } = deviationBetween(fit, next);
    fit = { ...next, ...(next.glm === undefined ? {} : { glm: { ...next.glm, steps: k + 1 } }) };
    if (largest < ARRIVED) return fit;
  }
  return {
    problem: `no pooled regression after ${MOST_ROUNDS} rounds`,
    remedy: "the rows may be separated; keep to one round, where Firth's correction holds",
  };
}
