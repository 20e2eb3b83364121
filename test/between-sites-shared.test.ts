import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clusteredErrors } from '../src/between-sites/clustered-errors.ts';
import { coverage } from '../src/between-sites/coverage.ts';
import { coverageText } from '../src/between-sites/coverage-text.ts';
import { heterogeneity } from '../src/between-sites/heterogeneity.ts';
import { heterogeneityText } from '../src/between-sites/heterogeneity-text.ts';
import { influence } from '../src/between-sites/influence.ts';
import { influenceText } from '../src/between-sites/influence-text.ts';
import { resolveRandom } from '../src/between-sites/random-intercept.ts';
import { sanity, sanityText } from '../src/between-sites/sanity.ts';
import { resolveRidge } from '../src/fusion/ridge.ts';
import { partsOfTable, sound } from './between-sites.ts';
import { expectRelative } from './relative.ts';
import { hasSharedData, sharedLines } from './shared-data.ts';
import { tableOf } from './tables.ts';

interface Expected {
  readonly set: string;
  readonly sites: readonly string[];
  readonly formula: string;
  readonly estimates: Readonly<Record<string, number>>;
  readonly variance: number;
  readonly logLik: number;
  readonly HC1: Readonly<Record<string, number>>;
  readonly chow: number;
}
const { sets }: { sets: readonly Expected[] } = JSON.parse(
  readFileSync(new URL('vectors/across-shared.json', import.meta.url), 'utf8'),
);

function sent({ set, sites, formula }: Expected) {
  const files = sites.map((site) => sharedLines(set, 'sites', `${site}.csv`));
  const names = files[0].header.split(',');
  const rows = files.flatMap(({ lines }, k) => lines.map((line) => ({ line, site: sites[k] })));
  const cells = rows.map(({ line }) =>
    line.split(',').map((cell) => (cell === '?' ? Number.NaN : Number(cell))),
  );
  const table = tableOf(
    Object.fromEntries(names.map((name, j) => [name, cells.map((row) => row[j])])),
  );
  const owners = rows.map(({ site }) => site);
  return partsOfTable(table, owners, formula);
}

describe.skipIf(!hasSharedData)('real sites', () => {
  it.each(sets.map((set) => [set.set, set] as const))('%s as in R', (_, expected) => {
    const { total, parts } = sent(expected);
    const mixed = sound(resolveRandom(total, parts, 'random'));
    const terms = Object.keys(expected.estimates);
    expect(mixed.models[0].terms).toEqual(terms);
    terms.forEach((term, k) => {
      expectRelative(mixed.models[0].estimates[k], expected.estimates[term], 1e-6, term);
    });
    expectRelative(mixed.siteEffects!.variance, expected.variance, 1e-5, 'variance');
    expectRelative(mixed.siteEffects!.logLik, expected.logLik, 1e-10, 'logLik');
    const plain = sound(resolveRidge(total, { kind: 'ridge', ridge: 0 }));
    const { covariance } = sound(clusteredErrors(plain, 0, parts, 'HC1'));
    for (const [term, expectedError] of Object.entries(expected.HC1)) {
      const error = Math.sqrt(covariance[terms.indexOf(term) * (terms.length + 1)]);
      expectRelative(error, expectedError, 1e-9, `error of ${term}`);
    }
    const found = sound(heterogeneity(total, parts, 0));
    expectRelative(found.chow?.statistic, expected.chow, 1e-9, 'Chow');
  });

  it('tells that Switzerland has no cholesterol', () => {
    const { total, parts } = sent(sets[0]);
    const { flags } = sanity(total, parts);
    const found = flags.filter(({ site, column }) => site === 'switzerland' && column === 'chol');
    expect(found.map(({ kind }) => kind)).toEqual(['constant']);
    expect(sanityText({ about: 'sanity', flags })).toContain(
      'switzerland (constant): chol is 0 in all',
    );
  });

  it('writes every answer as text', () => {
    const { total, parts } = sent(sets[0]);
    const plain = sound(resolveRidge(total, { kind: 'ridge', ridge: 0 }));
    const agreement = heterogeneityText(sound(heterogeneity(total, parts, 0)));
    expect(agreement).toMatch(
      /^Heterogeneity: do the sites agree\?\nOne model for all sites against one each: F = .* \(Chow\)/,
    );
    expect(agreement).toMatch(/^cleveland +\S+ +\S+ +.*●/m);
    const moved = influenceText(sound(influence(plain, 0, parts)));
    expect(moved).toMatch(/^hungarian +2\d\d/m);
    const covered = coverageText(sound(coverage(total, parts, 0)));
    expect(covered).toContain('All sites together cover 8 of 8 directions');
    expect(`${agreement}${moved}${covered}`).not.toMatch(/NaN|undefined|Infinity/);
  });
});

it('has words for nothing wrong', () => {
  expect(sanityText({ about: 'sanity', flags: [] })).toContain('Nothing looks wrong.');
});
