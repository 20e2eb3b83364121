import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/model/report.ts';
import { fitReport, suffice, temporaryFolder } from './cli.ts';
import { chosen, enduring } from './endurance.ts';
import { islands, penguinPath } from './page-states.ts';
import { expectRelative } from './relative.ts';
import { hasSharedData, sharedPath } from './shared-data.ts';

/** What test/vectors/glm-converged.R says of one regression. */
interface Converged {
  readonly formula: string;
  readonly family: 'binomial' | 'poisson';
  readonly separated: readonly string[];
  readonly terms: readonly string[];
  readonly estimate: readonly number[];
  readonly std_error: readonly number[];
  readonly deviance: number;
  readonly null_deviance: number;
  readonly logLik: number;
  readonly AIC: number;
  readonly BIC: number;
}

const { shared, table, fits } = JSON.parse(
  readFileSync(new URL('vectors/glm-converged.json', import.meta.url), 'utf8'),
) as {
  readonly shared: readonly {
    readonly set: string;
    readonly sites: readonly string[];
    readonly missing: string;
    readonly fit: Converged;
  }[];
  readonly table: Readonly<Record<string, readonly (string | number)[]>>;
  readonly fits: readonly Converged[];
};

/** The tolerance. */
const TOLERANCE = 1e-8;

function expectConverged(report: Report, answer: Converged): void {
  expect(report.separated ?? []).toEqual(answer.separated);
  const finite = report.terms!.filter(({ term }) => !answer.separated.includes(term));
  expect(finite.map(({ term }) => term)).toEqual(answer.terms);
  finite.forEach((row, k) => {
    expectRelative(row.estimate, answer.estimate[k], TOLERANCE, row.term);
    expectRelative(row['std.error']!, answer.std_error[k], TOLERANCE, `error of ${row.term}`);
  });
  const glance = report.glance!;
  expectRelative(glance.deviance!, answer.deviance, TOLERANCE, 'deviance');
  expectRelative(glance['null.deviance']!, answer.null_deviance, TOLERANCE, 'null deviance');
  expectRelative(glance.logLik!, answer.logLik, TOLERANCE, 'log-likelihood');
  expectRelative(glance.AIC!, answer.AIC, TOLERANCE, 'AIC');
  expectRelative(glance.BIC!, answer.BIC, TOLERANCE, 'BIC');
  expect([report.errors, report.deviation?.converged]).toEqual(['classical', true]);
}

const folder = temporaryFolder();
const names = Object.keys(table);
const paths = ['a', 'b', 'c', 'd'].map((site) => {
  const rows = table.site.flatMap((own, r) => (own === site ? [r] : []));
  const lines = rows.map((r) => names.map((name) => table[name][r]).join(','));
  const path = join(folder, `${site}.csv`);
  writeFileSync(path, `${[names.join(','), ...lines].join('\n')}\n`);
  return path;
});

describe('suffice fit --family is R’s glm', () => {
  it.skipIf(!hasSharedData).each(chosen(shared, 0))(
    '$set: $fit.formula',
    async ({ set, sites, missing, fit }) => {
      const files = sites.map((site) => sharedPath(set, 'sites', `${site}.csv`));
      const flags = ['--family', fit.family, '--missing-marker', missing];
      expectConverged(await fitReport(fit.formula, files, ...flags), fit);
    },
  );

  it.each(enduring ? fits : fits.filter((_, k) => k % 6 === 1))('$family $formula', async (fit) => {
    expectConverged(await fitReport(fit.formula, paths, '--family', fit.family), fit);
  });
});

describe('separated rows', () => {
  const quasi = fits.filter(({ separated }) => separated.length > 0);
  it.each(quasi.flatMap((fit) => chosen(['1', '2', '4'], 1).map((rounds) => ({ ...fit, rounds }))))(
    'are said with their term after $rounds rounds: $formula',
    async (fit) => {
      const { formula, family, separated, rounds } = fit;
      const report = await fitReport(formula, paths, '--family', family, '--rounds', rounds);
      expect(report.separated).toEqual(separated);
      expect(report.deviation!.advice).toContain(
        `separated: ${separated[0]} has no finite estimate`,
      );
      const row = report.terms!.find(({ term }) => term === separated[0])!;
      expect(Object.keys(row)).toEqual(['term', 'estimate']);
    },
  );

  it('are not said where a large coefficient is on its way to a finite estimate', async () => {
    const codebook = join(folder, 'penguins.json');
    const wide = { type: 'number', range: [0, 10_000] };
    const levels = (...names: string[]) => ({ type: 'category', levels: names });
    const species = levels('Adelie', 'Chinstrap', 'Gentoo');
    const sex = levels('female', 'male');
    writeFileSync(codebook, JSON.stringify({ sex, bill_length: wide, body_mass: wide, species }));
    const { separated, terms } = await fitReport(
      'sex ~ bill_length + body_mass + species',
      islands.map((island) => penguinPath(`${island}.csv`)),
      ...['--family', 'binomial', '--rounds', '2', '--codebook', codebook],
    );
    expect(separated).toBeUndefined();
    for (const row of terms!) expect(row).toHaveProperty('p.value');
  });

  it('that leave no coefficient are refused, except in one round', async () => {
    const path = join(folder, 'split.csv');
    const lines = Array.from({ length: 30 }, (_, k) => `${k},${Number(k > 14)}`);
    writeFileSync(path, `${['x,y', ...lines].join('\n')}\n`);
    const refused = await suffice('fit', 'y ~ x', path, '--family', 'binomial');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(
      'the rows are separated: the coefficients of (Intercept), x grow',
    );
    const one = await fitReport('y ~ x', [path], '--family', 'binomial', '--rounds', '1');
    expect(one.separated).toEqual(['(Intercept)', 'x']);
  });
});
