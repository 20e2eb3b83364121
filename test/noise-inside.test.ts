import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import type { PartyAnswer } from '../src/aggregation/aggregation.ts';
import { maskOf, seedIn, type TwoAggregators } from '../src/aggregation/two-aggregators.ts';
import { loadedKem } from '../src/cipher/kems.ts';
import { conclude } from '../src/conclude.ts';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { DataError } from '../src/data-error.ts';
import {
  type Agreement,
  agreement,
  collect,
  contribution,
  nextRound,
  openly,
  releasable,
} from '../src/federate.ts';
import type { Noise } from '../src/fusion/method.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { privacyText } from '../src/model/privacy-text.ts';
import type { Report } from '../src/model/report.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { mechanismOf } from '../src/privacy/mechanism.ts';
import { keyedNoise, noiseKey } from '../src/privacy/noise-key.ts';
import type { PlacementName } from '../src/privacy/placement.ts';
import { signingKey } from '../src/protocol/signature.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { federate } from '../src/rows/federate-rows.ts';
import type { Contribution } from '../src/statistic/envelope.ts';
import { entriesOf, wordsOf } from '../src/statistic/layout.ts';
import { ringEntry } from '../src/statistic/ring.ts';
import { type Statistic, statistics, sumStatistics } from '../src/statistic/statistic.ts';
import type { PrivacyTerms, Study, TableStudy } from '../src/study/study.ts';
import { fromBase64url, toBase64url } from '../src/text/base64url.ts';
import { emptyPlan } from '../web/worker/plan.ts';
import { createReading } from '../web/worker/plan-problems.ts';
import { plannedPrivacy } from '../web/worker/planned-terms.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { operator } from './coordinator-study.ts';
import { linesOf, sites, sumsOver, table } from './fusion-rows.ts';

const keys = loadedKem('x25519').keys(new Uint8Array(32).fill(9));
const publicKey = (name: string) => signingKey(toBase64url(sha256(utf8ToBytes(name)))).key;
const aggregation: TwoAggregators = {
  kind: 'two-aggregators',
  helper: {
    url: 'http://127.0.0.1:7701',
    key: toBase64url(keys.publicKey),
    signingKey: publicKey('helper'),
  },
  roster: Object.fromEntries(Object.keys(sites).map((name) => [name, publicKey(name)])),
  minimumSites: 3,
};

const roster = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, k) => [`s${k}`, publicKey(`s${k}`)]));

/** ε and δ away from those at which a σ would be 1. */
const terms: PrivacyTerms = { epsilon: 0.7, delta: 1e-6, unit: 'row', placement: 'aggregators' };

const studyOf = (privacy: Partial<PrivacyTerms> = {}, more: Partial<TableStudy> = {}): Study => ({
  schema: 'suffice/study@1',
  formula: 'y ~ x + z',
  codebook: { ...table.codebook, y: { type: 'number', range: [-10, 20], center: 5, sd: 4 } },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  aggregation,
  privacy: { ...terms, ...privacy },
  ...more,
});

const sentTo = (agreed: Agreement): Contribution[] =>
  Object.entries(sites).map(([site, own]) => contribution(agreed, site, sumsOver(agreed, own)));

const exactTotal = (agreed: Agreement): Statistic =>
  sumStatistics(
    agreed.layout,
    Object.values(sites).map((own) => sumsOver(agreed, own).statistic),
  );

/** The sum of the masks, as a helper without noise would tell it. */
function masksOf({ layout }: Agreement, sent: readonly Contribution[]): Statistic {
  const masks = sent.map((one) => {
    const seed = seedIn('x25519', keys, layout, one, fromBase64url(one.sealed!)!)!;
    return { layout, values: maskOf(layout, seed) };
  });
  return sumStatistics(layout, masks);
}

const helperWords = (agreed: Agreement, set = 'set') =>
  keyedNoise(noiseKey('helper', 'secret of the helper', agreed.digest, set));
const coordinatorWords = (agreed: Agreement, set = 'set') =>
  keyedNoise(noiseKey('coordinator', 'secret of the coordinator', agreed.digest, set));

/** What the helper answers about contributions. */
function answerOf(agreed: Agreement, sent: readonly Contribution[], set?: string): PartyAnswer {
  const masks = masksOf(agreed, sent);
  const { values } = agreed.method.noise?.atHelper?.(masks, helperWords(agreed, set)) ?? masks;
  return { values, contributions: sent.length };
}

function opened(agreed: Agreement, sent: readonly Contribution[], answer: PartyAnswer) {
  const found = collect(agreed, sent, [answer]);
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

function reportOf(agreed: Agreement): Report {
  const sent = sentTo(agreed);
  const found = conclude(agreed, opened(agreed, sent, answerOf(agreed, sent)), {
    sites: linesOf(sent),
    random: coordinatorWords(agreed),
    audience: 'everyone',
  });
  if ('problem' in found) throw new Error(found.problem);
  return found.report;
}

/** A noise in units of scaled rows, entry by entry. */
function numbersOf({ layout, values }: Statistic): number[] {
  const entry = (k: number) => Number(ringEntry(values, wordsOf(layout), k)) / 2 ** 32;
  return Array.from({ length: entriesOf(layout) }, (_, k) => entry(k));
}

const agreed = agreement(studyOf());
const noise = agreed.method.noise as Required<Noise>;
const { layout } = agreed;
const group = statistics(layout);

describe('noise inside', () => {
  const sent = sentTo(agreed);
  const exact = exactTotal(agreed);

  it('the coordinator opens the total with the helper’s noise, and publishes it with its own besides', () => {
    const helpers = noise.atHelper(group.zero, helperWords(agreed));
    const own = noise.onTotal(group.zero, coordinatorWords(agreed));
    const { total, contributions } = opened(agreed, sent, answerOf(agreed, sent));
    expect(contributions).toBe(sent.length);
    expect(group.subtract(total, exact)).toEqual(helpers);
    const published = releasable(agreed, { total, contributions }, coordinatorWords(agreed)).total;
    expect(group.subtract(published, total)).toEqual(own);
    // What is left for the helper, which knows its own noise.
    expect(group.subtract(group.subtract(published, helpers), exact)).toEqual(own);
    expect(numbersOf(own).every((value) => value !== 0)).toBe(true);
    expect(numbersOf(helpers).every((value) => value !== 0)).toBe(true);
  });

  it('is the same for the same set, and other noise for another set, study or party', () => {
    const by = (set: string, of: Agreement = agreed) =>
      noise.atHelper(group.zero, helperWords(of, set));
    expect(by('set')).toEqual(by('set'));
    const other = agreement(studyOf({}, { name: 'another' }));
    const all = [by('set'), by('other set'), by('set', other)];
    for (const adder of ['helper', 'coordinator'] as const) {
      const key = noiseKey(adder, 'one secret', agreed.digest, 'set');
      all.push(noise.onTotal(group.zero, keyedNoise(key)));
    }
    const seen = all.flatMap((one) => numbersOf(one).map(String));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('has twice the variance of one noise on every part, and the two do not correlate', () => {
    const SETS = 300;
    const { method, layout } = agreement(studyOf({}, { formula: 'y ~ x + z - 1' }));
    const { atHelper, onTotal } = method.noise as Required<Noise>;
    const { zero } = statistics(layout);
    const { gram, moment, square, count } = mechanismOf(terms, 2).sigma;
    const constant = [0, 0, 0, 0]; // without an intercept its sums are exact
    const products = [gram, gram / Math.SQRT2, moment, gram, moment, square];
    const deviations = [...constant, ...products, count];
    const draws = Array.from({ length: SETS }, (_, s) => {
      const helpers = atHelper(zero, seededWords(2 * s));
      const total = onTotal(helpers, seededWords(2 * s + 1));
      return { helpers: numbersOf(helpers), total: numbersOf(total) };
    });
    const mean = (values: readonly number[]) =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    // The SD of a mean square of n normals is √(2/n) of it; that of a mean product 1/√n.
    const within = 4 * Math.sqrt(2 / SETS);
    expect(within).toBeLessThan(0.4);
    deviations.forEach((deviation, k) => {
      const scaled = draws.map(({ helpers, total }) =>
        deviation === 0
          ? { one: helpers[k], other: total[k] }
          : { one: helpers[k] / deviation, other: (total[k] - helpers[k]) / deviation },
      );
      const found = [
        mean(scaled.map(({ one, other }) => (one + other) ** 2)),
        mean(scaled.map(({ one }) => one ** 2)),
        mean(scaled.map(({ one, other }) => one * other)),
      ];
      if (deviation === 0) {
        expect(found).toEqual([0, 0, 0]);
        return;
      }
      expect(Math.abs(found[0] / 2 - 1)).toBeLessThan(within);
      expect(Math.abs(found[1] - 1)).toBeLessThan(within);
      expect(Math.abs(found[2])).toBeLessThan(4 / Math.sqrt(SETS));
    });
  });

  it('is on the total where one owner has all rows and nobody is asked', () => {
    const own = openly(agreed);
    const found = { total: exact, contributions: sent.length };
    const both = releasable(own, found, helperWords(agreed)).total;
    const words = helperWords(agreed);
    expect(both).toEqual(noise.onTotal(noise.atHelper(exact, words), words));
    const rows = Object.fromEntries(
      Object.entries(sites).map(([site, own]) => [
        site,
        own.flatMap((r) => {
          const [y, x, z] = ['y', 'x', 'z'].map((name) => table.cells[name][r]);
          return Number.isNaN(x) ? [] : [{ y, x, z }];
        }),
      ]),
    );
    const { report } = federate(studyOf(), rows);
    expect(report.privacy).toMatchObject({ placement: 'aggregators', noises: 2 });
  });
});

describe('what a study with noise inside says', () => {
  const report = reportOf(agreed);
  const central = reportOf(agreement(studyOf({ placement: 'central' })));

  it('two noises, √2 times the deviation, at the price of one', () => {
    const { privacy } = report;
    expect(privacy).toMatchObject({ placement: 'aggregators', noises: 2 });
    for (const part of ['gram', 'moment', 'square', 'count'] as const) {
      expect(privacy!.sigma[part] / central.privacy!.sigma[part]).toBeCloseTo(Math.SQRT2, 12);
    }
    expect(privacy!.spent).toEqual(central.privacy!.spent);
    expect(privacyText(report)[0]).toContain(
      'was added by the helper and by the coordinator to the sum over the sites (2 noises in the sum; neither knows the other’s)',
    );
    const setting = { rows: 5000, sites: 4 };
    const other = agreement(studyOf({ placement: 'central' })).method.noise!;
    expect(
      noise.forecast(setting).relativeExcess / other.forecast(setting).relativeExcess,
    ).toBeCloseTo(2, 12);
  });

  it('charges a site for a study once, whatever number of totals share the budget', () => {
    const costs = (placement: PlacementName, releases: number) =>
      agreement(studyOf({ placement, releases })).method.noise!;
    const { mu } = mechanismOf({ ...terms, releases: 4 }, 3);
    const shared = costs('aggregators', 4);
    expect(shared.totals).toBe(4);
    expect(shared.charge('c').mu).toBeCloseTo(mu, 12);
    expect(shared.charge('c')).toMatchObject({ placement: 'aggregators', releases: 4 });
    expect(costs('local', 4).charge('c').mu).toBeCloseTo(mu / 2, 12);
  });

  it('who is trusted with what, by placement', () => {
    const said = (placement: PlacementName, more: Partial<PrivacyTerms> = {}) => {
      const { whoSees, leaves, notes } = agreement(studyOf({ placement, ...more })).method.text;
      return [...whoSees, ...leaves, ...(notes ?? [])].join(' ');
    };
    expect(said('aggregators')).toMatch(/nobody sees an exact sum.*masked.*before.*is opened/);
    expect(said('aggregators')).not.toMatch(/exactly|exact total/);
    expect(said('aggregators', { protects: 'labels' })).toMatch(/neither knows the other’s/);
    expect(said('central')).toMatch(/sees no site’s statistic. It opens the exact sum/);
    expect(said('central')).toMatch(/opens the exact total before .*"placement": "aggregators"/);
    expect(said('local')).toMatch(/need trust nobody/);
  });

  it('in the form for a new study, what a person chose', () => {
    const privacy = { ...emptyPlan.privacy, kind: 'noise', placement: 'aggregators' } as const;
    const reading = createReading();
    expect(plannedPrivacy({ ...emptyPlan, privacy }, reading)).toMatchObject({
      placement: 'aggregators',
    });
    expect(reading.problems).toEqual([]);
  });

  it('carries the number of noises to the rounds after the first', () => {
    const first = agreement(studyOf({ rounds: 2, epsilon: 8 }));
    const next = nextRound(first.study, reportOf(first));
    if ('problem' in next) throw new Error(next.problem);
    const study = parseStudy(JSON.parse(JSON.stringify(next)));
    expect(study.privacy?.refinement).toMatchObject({ round: 1, noises: 2 });
    const second = reportOf(agreement(study));
    expect(second.privacy).toMatchObject({ round: 1, noises: 2 });
    expect(second.privacy!.next).toMatchObject({ round: 2, noises: 2 });
    expect(privacyText(second)[0]).toContain('to the sum over the sites, in each of 2 rounds (2 ');
  });
});

describe('who may add the noise', () => {
  it.each([
    ['central', 1],
    ['local', 4],
    ['aggregators', 2],
  ] as const)('%s with two aggregators: %i noises', (placement, noises) => {
    const study = agreement(parseStudy(studyOf({ placement })));
    expect(reportOf(study).privacy).toMatchObject({ placement, noises });
  });

  it.each([
    ['no aggregation', undefined],
    ['plain', { kind: 'plain' }],
    ['plain with a minimum', { kind: 'plain', minimumSites: 3 }],
  ] as const)('aggregators, with %s, is refused by name, and nothing is stored', async (_, one) => {
    const { aggregation: _two, ...rest } = studyOf();
    const study: Study = { ...rest, ...(one && { aggregation: one }) };
    const refused = expect.objectContaining({
      message: expect.stringContaining('privacy.placement is "aggregators"'),
      remedy: expect.stringMatching(/two-aggregators.*central.*local/),
    });
    expect(() => agreement(study)).toThrow(DataError);
    expect(() => agreement(study)).toThrow(refused);
    const store = await openSqliteStore(join(temporaryFolder(), 'coordinator.db'));
    const coordinator = await createCoordinator({ store });
    const asked = { study, sites: Object.keys(sites) };
    await expect(coordinator.create(operator, asked)).rejects.toEqual(refused);
    expect(await store.db.selectFrom('studies').selectAll().execute()).toEqual([]);
    await store.close();
  });

  it.each(['central', 'local', 'aggregators'] as const)('%s is refused with folds', (placement) => {
    const folds = { ...aggregation, folds: 2, minimumSites: 3 };
    const study = studyOf({ placement }, { aggregation: { ...folds, roster: roster(6) } });
    expect(() => agreement(study)).toThrow('folds would open the sum of each group of sites');
  });

  it('aggregators is refused where a study is checked, from the command line', async () => {
    const path = join(temporaryFolder(), 'study.json');
    writeFileSync(path, JSON.stringify({ ...studyOf(), aggregation: { kind: 'plain' } }));
    const { code, stdout } = await suffice('study', 'check', path);
    expect(code).toBe(3);
    expect(stdout).toContain('privacy.placement is "aggregators"');
  });
});
