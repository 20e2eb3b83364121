import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { heterogeneity } from '../src/between-sites/heterogeneity.ts';
import { influence } from '../src/between-sites/influence.ts';
import { standardErrors } from '../src/model/errors.ts';
import { statistics } from '../src/statistic/statistic.ts';
import { dealt, solved, vectorTable } from './glm-rounds.ts';
import { agreement, collect, contribution } from './linear.ts';
import { expectRelative } from './relative.ts';
import { fitBy } from './resolved-fit.ts';
import { studyOf, summaryOf } from './tables.ts';

function vectorsOf(name: string) {
  return JSON.parse(readFileSync(new URL(`./vectors/${name}`, import.meta.url), 'utf8'));
}

interface Agreeing {
  readonly term: string;
  readonly estimates: readonly number[];
  readonly errors: readonly number[];
  readonly mean: number;
  readonly Q: number;
  readonly p: number;
  readonly I2: number;
  readonly tau2: number;
}

// Made by test/vectors/glm.R and glm-sites.R.
const table = vectorTable(vectorsOf('glm.json').five.table);
const expected: Readonly<Record<'binomial' | 'poisson', readonly Agreeing[]>> =
  vectorsOf('glm-sites.json');
const responses = { binomial: 'y', poisson: 'count' } as const;

describe.each(['binomial', 'poisson'] as const)('five sites of a %s regression', (family) => {
  // A prior of almost nothing leaves a site at its own glm(), which is what R was asked for.
  const study = studyOf(table, `${responses[family]} ~ a + b + g`, {
    fusion: { kind: 'glm', family, prior: 1e-9 },
  });
  const agreed = agreement(study);
  const sites = dealt(table.cells.site);
  const { total, parts } = collect(
    agreed,
    sites.map((rows, k) => contribution(agreed, `site-${k}`, summaryOf(agreed, table, rows))),
  );

  it('differ as R and metafor say', () => {
    const answer = heterogeneity(total, parts, 0);
    if ('problem' in answer) throw new Error(answer.problem);
    expect(answer.chow).toBeUndefined();
    expect(answer.cochran?.df).toBe(4 * expected[family].length);
    expect(answer.terms.map(({ term }) => term)).toEqual(expected[family].map(({ term }) => term));
    expected[family].forEach((truth, k) => {
      const term = answer.terms[k];
      truth.estimates.forEach((estimate, site) => {
        const own = term.sites[site];
        expect(Math.abs(own.estimate - estimate)).toBeLessThan(1e-8 * truth.errors[site]);
        expectRelative(own['std.error'], truth.errors[site], 1e-8, `${truth.term} at ${site}`);
      });
      expectRelative(term.estimate, truth.mean, 1e-7, `mean ${truth.term}`);
      expectRelative(term.Q, truth.Q, 1e-7, `Q ${truth.term}`);
      expectRelative(term['p.value'], truth.p, 1e-7, `p ${truth.term}`);
      expect(term.I2).toBeCloseTo(truth.I2, 5);
      expect(term.tau2).toBeCloseTo(truth.tau2, 8);
    });
  });

  it('have the influence that leaving each out has', () => {
    const whole = solved(fitBy(agreed, { total }));
    const answer = influence(whole, 0, parts);
    if ('problem' in answer) throw new Error(answer.problem);
    const { errors } = standardErrors(whole, 0)!;
    answer.sites.forEach(({ changes, cook }, k) => {
      const rest = statistics(agreed.layout).subtract(total, parts[k].statistic);
      const without = solved(fitBy(agreed, { total: rest }));
      changes.forEach((change, j) => {
        const moved = (whole.models[0].estimates[j] - without.models[0].estimates[j]) / errors[j];
        expectRelative(change!, moved, 1e-8, `site ${k}, term ${j}`);
      });
      expect(cook).toBeGreaterThan(0);
    });
  });
});
