import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import type { Design } from '../features/design.ts';
import type { Fit } from '../model/fit.ts';
import { restrict } from '../statistic/restrict.ts';
import type { RidgeFusion } from '../study/study.ts';
import type { LinearSums } from './linear-sums.ts';

/**
 * The fit of the alternative of a feature map that the rule of the penalty scores best. Each is fitted to its own part of the
 * sums, as if the study had asked for it alone.
 */
export function resolveAlternatives(
  design: Design | undefined,
  sums: LinearSums,
  resolve: (sums: LinearSums) => Fit | Failure,
): Fit | Failure {
  const { columns } = sums.total.layout;
  const columnsOf = (label: string) =>
    (design?.columns ?? []).flatMap(({ term, name }) => (term === label ? [name] : []));
  const labels = (design?.mapped?.alternatives ?? []).filter((label) =>
    columnsOf(label).some((name) => columns.includes(name)),
  );
  if (labels.length < 2) return resolve(sums);
  let best: Fit | undefined;
  const scores: { term: string; score: number }[] = [];
  for (const term of labels) {
    const others = labels.filter((label) => label !== term);
    const fit = resolve(withoutNames(sums, new Set(others.flatMap(columnsOf))));
    if ('problem' in fit) return fit;
    if (fit.chosen === undefined) return noRule;
    scores.push({ term, score: fit.chosen.score });
    if (best?.chosen === undefined || fit.chosen.score < best.chosen.score) {
      best = { ...fit, alternative: { kept: term, scores } };
    }
  }
  return best!;
}

function withoutNames({ total, sites }: LinearSums, gone: ReadonlySet<string>): LinearSums {
  const kept = total.layout.columns.flatMap((name, index) => (gone.has(name) ? [] : [index]));
  const parts = sites?.map(({ site, statistic }) => ({
    site,
    statistic: restrict(statistic, kept),
  }));
  return { total: restrict(total, kept), ...defined({ sites: parts }) };
}

const noRule: Failure = {
  problem: 'the feature map has several settings, and nothing chooses among them',
  remedy: 'let a rule such as gcv choose the ridge, or give one setting',
};

/** Refuses a study whose feature map has several settings while its penalty is given. */
export function refuseUnchosen({ mapped }: Design, { ridge, lasso }: RidgeFusion): void {
  const given = lasso === undefined ? ridge : lasso.lambda;
  if (mapped?.alternatives === undefined || typeof given !== 'number') return;
  throw new DataError(noRule.problem, {}, noRule.remedy);
}

/** Refuses a feature map with several settings in a study that cannot choose among them. */
export function refuseAlternatives({ mapped }: Design, study: string): void {
  if (mapped?.alternatives === undefined) return;
  throw new DataError(
    `${study} cannot choose among several settings of a feature map`,
    {},
    'give one setting',
  );
}
