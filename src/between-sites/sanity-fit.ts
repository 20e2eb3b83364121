import { errorsOf } from '../model/errors.ts';
import type { Fit } from '../model/fit.ts';
import { leastSquaresFit } from '../model/least-squares-fit.ts';
import { type Flag, siteFlag } from '../model/site-flag.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, statistics } from '../statistic/statistic.ts';
import { significant } from '../text/number-text.ts';
import { MANY_SITES, median, robustSpread } from './site-moments.ts';

const Z = 4; // standard errors from zero at which a sign counts as known
const RATIO = 2; // of residual SDs, below which the noise is not in doubt
const FEW = 8; // degrees of freedom below which a residual SD says nothing
const LARGE = 0.3; // share of the rows above which a site may decide the pooled sign alone

interface Own {
  readonly site: string;
  readonly statistic: LinearStatistic;
  readonly fit: Fit;
}

/**
 * Flags sites whose own regression contradicts the others: a coefficient of the opposite sign, or another residual SD.
 */
export function fitFlags(total: LinearStatistic, sites: readonly LinearSiteStatistic[]): Flag[] {
  if (sites.length < 2) return [];
  const pooled = leastSquaresFit(total);
  if ('problem' in pooled) return [];
  const own = sites.flatMap(({ site, statistic }) => {
    const fit = leastSquaresFit(statistic);
    return 'problem' in fit ? [] : [{ site, statistic, fit }];
  });
  return pooled.models.flatMap((_, response) => [
    ...own.flatMap((one) => signFlags(one, pooled, response)),
    ...noiseFlags(own, response),
  ]);
}

/** Terms with |b| > Z standard errors, by name; the intercept left out. */
function known(fit: Fit, response: number): Map<string, { estimate: number; z: number }> {
  const errors = errorsOf(fit, response);
  const { terms, estimates, intercept } = fit.models[response];
  if (errors === undefined || fit.aliased.length > 0) return new Map();
  return new Map(
    terms.flatMap((term, k) => {
      const z = estimates[k] / Math.sqrt(errors.covariance[k * (terms.length + 1)]);
      const counts = Math.abs(z) > Z && !(intercept && k === 0);
      return counts ? [[term, { estimate: estimates[k], z }] as const] : [];
    }),
  );
}

function signFlags({ site, statistic, fit }: Own, pooled: Fit, response: number): Flag[] {
  const here = known(fit, response);
  const { terms, estimates, rows } = pooled.models[response];
  const large = fit.equations.rows > LARGE * rows;
  const doubtful = [...here].some(
    ([term, { estimate }]) => large || estimate * (estimates[terms.indexOf(term)] ?? 0) < 0,
  );
  if (!doubtful) return [];
  const rest = leastSquaresFit(statistics(statistic.layout).subtract(pooled.total, statistic));
  if ('problem' in rest) return [];
  const there = known(rest, response);
  return [...here].flatMap(([term, { estimate, z }]) => {
    const other = there.get(term);
    if (other === undefined || other.estimate * estimate >= 0) return [];
    const texts = [estimate, z, other.estimate, other.z].map((value) => significant(value, 3));
    return [
      siteFlag(
        { site, kind: 'sign', column: term },
        `the coefficient of ${term} is ${texts[0]} here (z ${texts[1]}) and ${texts[2]} elsewhere (z ${texts[3]})`,
        'ask whether the column is coded the other way round, or swapped with another',
      ),
    ];
  });
}

function noiseFlags(own: readonly Own[], response: number): Flag[] {
  const noise = own.flatMap(({ site, fit }) => {
    const { rows, terms, residualSumOfSquares } = fit.models[response];
    const freedom = rows - terms.length;
    if (freedom < FEW || !(residualSumOfSquares > 0)) return [];
    return [{ site, freedom, log: Math.log(residualSumOfSquares / freedom) / 2 }];
  });
  if (noise.length < 3) return [];
  const usual = (sites: typeof noise) => {
    const logs = sites.map((one) => one.log);
    return {
      log: median(logs),
      spread: robustSpread(logs),
      freedom: median(sites.map((one) => one.freedom)),
    };
  };
  const ofAll = noise.length > MANY_SITES ? usual(noise) : undefined;
  return noise.flatMap(({ site, freedom, log }, k) => {
    const typical = ofAll ?? usual(noise.filter((_, other) => other !== k));
    const chance = 2 / freedom + 2 / typical.freedom;
    const reach = Math.sqrt(chance + typical.spread ** 2);
    const difference = log - typical.log;
    if (!(Math.abs(difference) > Math.max(Math.log(RATIO), (Z + 1) * reach))) return [];
    const { response: name } = own[0].fit.models[response];
    const texts = [Math.exp(log), Math.exp(typical.log)].map((value) => significant(value, 3));
    return [
      siteFlag(
        { site, kind: 'fit', column: name },
        `the residual SD of ${name} is ${texts[0]} here and ${texts[1]} elsewhere`,
        difference > 0
          ? 'ask how the rows were matched, measured and typed in'
          : 'ask whether values were averaged, filled in or computed from others',
      ),
    ];
  });
}
