import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as zod from 'zod';
import type {
  Aggregation,
  Collected,
  Collector,
  PartyAnswer,
  Share,
  ShareOrigin,
} from '../src/aggregation/aggregation.ts';
import { aggregationOf, aggregations } from '../src/aggregation/aggregations.ts';
import type { PairwiseMasks } from '../src/aggregation/pairwise-masks.ts';
import { maskOf, seedIn, type TwoAggregators } from '../src/aggregation/two-aggregators.ts';
import { type KemName, loadedKem, loadKem } from '../src/cipher/kems.ts';
import { keyStream } from '../src/cipher/key-stream.ts';
import { resultOf } from '../src/conclude.ts';
import { DataError } from '../src/data-error.ts';
import type { Failure } from '../src/failure.ts';
import {
  type Agreement,
  agreementBy,
  collect,
  contribution,
  readContribution,
  releasable,
} from '../src/federate.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { signingKey } from '../src/protocol/signature.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import type { WordSource } from '../src/random/words.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import {
  entriesOf,
  type Layout,
  type SegmentLayout,
  shapeOf,
  wordsOf,
} from '../src/statistic/layout.ts';
import { hasPackedEntries } from '../src/statistic/packed-entries.ts';
import { type RingVector, ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import { findSegment, triangle, vector } from '../src/statistic/segments.ts';
import { type Statistic, statistics, sumStatistics } from '../src/statistic/statistic.ts';
import type { Aggregations } from '../src/study/study.ts';
import { toBase64url } from '../src/text/base64url.ts';
import { cases, enduring } from './endurance.ts';
import {
  contributionsTo,
  fixedNoise,
  linesOf,
  registeredRows,
  sites,
  sumsOver,
} from './fusion-rows.ts';

/** A contribution, and the shares of it that are not the coordinator's. */
interface Received {
  readonly origin: ShareOrigin;
  readonly shares: readonly Share[];
}

/** An aggregation, as the laws ask for it. */
interface AggregationRow {
  readonly name: string;
  readonly terms: Aggregations[keyof Aggregations];
  readonly aggregation: Aggregation;
  /** The shares of a statistic, after what its site has agreed on with others. */
  split: Aggregation['split'];
  /** What the others answer about contributions, each of which has a share for each party beside the coordinator. */
  answers(layout: Layout, received: readonly Received[]): readonly PartyAnswer[];
}

function numbersOf(share: Share): RingVector {
  if ('values' in share) return share.values;
  throw new RangeError('a sealed share cannot be added');
}

const siteKey = (name: string) => signingKey(toBase64url(sha256(utf8ToBytes(name)))).key;

/** Two aggregators whose helper's secrets are known here: its answer is what the helper itself would give. */
function withHelper(kem: KemName): AggregationRow {
  const keys = loadedKem(kem).keys(new Uint8Array(32).fill(5));
  const terms: TwoAggregators = {
    kind: 'two-aggregators',
    helper: {
      url: 'http://127.0.0.1:7701',
      key: toBase64url(keys.publicKey),
      signingKey: siteKey('helper'),
    },
    roster: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, siteKey(name)])),
    ...(kem === 'x25519' ? {} : { kem }),
  };
  const maskIn = (layout: Layout, { shares: [share], origin }: Received) => {
    if (!('sealed' in share)) throw new RangeError('a helper gets seals');
    return maskOf(layout, seedIn(kem, keys, layout, origin, share.sealed)!);
  };
  const aggregation = aggregations['two-aggregators'].aggregation(terms);
  return {
    name: `two aggregators, ${kem}`,
    terms,
    aggregation,
    split: aggregation.split,
    answers: (layout, received) => [sumOfMasks(layout, received, maskIn)],
  };
}

function sumOfMasks(
  layout: Layout,
  received: readonly Received[],
  maskIn: (layout: Layout, one: Received) => RingVector,
): PartyAnswer {
  const masks = received.map((one) => ({ layout, values: maskIn(layout, one) }));
  return { contributions: received.length, values: sumStatistics(layout, masks).values };
}

/** Sites whose masks follow from their contributions; how real ones are agreed on is another law (`masks.test.ts`). */
function withMasks(): AggregationRow {
  const terms: PairwiseMasks = {
    kind: 'pairwise-masks',
    roster: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, siteKey(name)])),
    minimumSites: 3,
    threshold: 0.75,
  };
  const aggregation = aggregations['pairwise-masks'].aggregation(terms);
  const maskIn = (layout: Layout, { site, sequence }: ShareOrigin) =>
    keyStream(sha256(utf8ToBytes(`${site} ${sequence}`)), entriesOf(layout) * wordsOf(layout));
  return {
    name: 'pairwise masks',
    terms,
    aggregation,
    split: (statistic, origin) =>
      aggregation.split(statistic, { ...origin, mask: maskIn(statistic.layout, origin) }),
    answers: (layout, received) => [
      sumOfMasks(layout, received, (_, { origin }) => maskIn(layout, origin)),
    ],
  };
}

const plain: AggregationRow = {
  name: 'plain',
  terms: { kind: 'plain' },
  aggregation: aggregationOf({}),
  split: aggregationOf({}).split,
  answers: () => [],
};

await loadKem('x-wing');
const laws: readonly AggregationRow[] = [
  plain,
  withHelper('x25519'),
  withHelper('x-wing'),
  withMasks(),
];

/** A layout with statistics that sites could have sent. */
interface Sample {
  readonly name: string;
  readonly layout: Layout;
  readonly honest: readonly Statistic[];
}

const wanted = [
  'least squares',
  'least squares, a grid of 88 bits',
  'least squares, compact',
  'logistic',
  'average of ridges with covariance',
  'private, noise at the coordinator',
];

/** What their sites send, once: some draw noise. In the check every third study stands for the rest. */
const studies = registeredRows
  .filter(({ name }, k) => enduring || wanted.includes(name) || k % 3 === 1)
  .map((row) => {
    const agreed = row.agreed(row.study);
    return { name: row.name, agreed, sent: contributionsTo(agreed) };
  });
type Collection = (typeof studies)[number];

const reported = (agreed: Agreement, found: Collected, sent: Collection['sent']) =>
  resultOf(agreed, releasable(agreed, found, fixedNoise()), linesOf(sent));

const plainReports = new Map<string, ReturnType<typeof reported>>();

/** The report of a study whose statistics are added plainly; once, for all aggregations that should give the same. */
function plainReport({ name, agreed, sent }: Collection): ReturnType<typeof reported> {
  const report = plainReports.get(name) ?? reported(agreed, known(collect(agreed, sent)), sent);
  expect(report).toHaveProperty('report');
  plainReports.set(name, report);
  return report;
}

const counts: SegmentLayout = {
  of: 'counts by pair',
  arithmetic: 'exact',
  words: 2,
  segments: [vector('rows', 1, 3), triangle('pairs', 3, 0), vector('sums', 2, 20)],
};

/** Statistics of the layout of this file: so many rows, and any numbers beside them. */
const ownCounts = [5, 0, 40].map((rows) => {
  const random = seededWords(rows);
  const values = Uint32Array.from({ length: entriesOf(counts) * counts.words }, random);
  setRingEntry(values, counts.words, 0, BigInt(rows) << 3n);
  return { layout: counts, values };
});

const samples: readonly Sample[] = [
  ...studies
    .filter(({ name }) => wanted.includes(name))
    .map(({ name, agreed: { layout }, sent }) => ({
      name,
      layout,
      honest: sent.map(({ statistic }) => statistic),
    })),
  { name: 'segments of their own', layout: counts, honest: ownCounts },
];

/** Any vector of a layout: adding asks nothing of what the numbers mean. */
const anyStatistic = (layout: Layout) =>
  fc.integer().map((seed): Statistic => {
    const length = entriesOf(layout) * wordsOf(layout);
    return { layout, values: Uint32Array.from({ length }, seededWords(seed)) };
  });

const edges: readonly WordSource[] = [() => 0, () => 0xffffffff];
const anyRandom = fc.oneof(fc.integer().map(seededWords), fc.constantFrom(...edges));

/** A statistic that a site sends. */
interface Sent {
  readonly origin: ShareOrigin;
  readonly statistic: Statistic;
}

/** Up to twelve statistics of up to twelve sites, in any order; a site may send several, or none. */
const anySent = (layout: Layout) =>
  fc
    .array(fc.tuple(fc.constantFrom(...'abcdefghijkl'), anyStatistic(layout)), { maxLength: 12 })
    .map((list) => list.map(([site, statistic], k) => sentBy(site, statistic, k + 1)));

function sentBy(site: string, statistic: Statistic, sequence = 1): Sent {
  return { origin: { study: 'sha256:0', site, sequence }, statistic };
}

/** What statistics add up to once they went through an aggregation, each party adding its shares. */
function through(
  { aggregation, split, answers }: AggregationRow,
  layout: Layout,
  sent: readonly Sent[],
  keep: 'total' | 'sites' = 'total',
  random?: WordSource,
): Collected {
  const collector = aggregation.collector(layout, keep);
  const others = sent.map(({ origin, statistic }) => {
    const [own, ...shares] = split(statistic, origin, random);
    collector.add(origin.site, own);
    return { origin, shares };
  });
  return known(collector.finish(answers(layout, others)));
}

function known(found: Collected | Failure): Collected {
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

const sumOf = (layout: Layout, sent: readonly Sent[]) =>
  sumStatistics(
    layout,
    sent.map(({ statistic }) => statistic),
  );

/** The same with a number of rows that is not whole. */
function withPartOfRow({ layout, values }: Statistic): Statistic {
  const shape = shapeOf(layout);
  // Unweighted sums of a regression begin with Σ 1.
  const { start } = (findSegment(shape, 'rows') ?? findSegment(shape, 'products'))!;
  const copy = values.slice();
  setRingEntry(copy, shape.words, start, ringEntry(copy, shape.words, start) + 1n);
  return { layout, values: copy };
}

const runs = { numRuns: cases(15), seed: 15 };

describe.each(laws.map((row) => [row.name, row] as const))('%s', (_, row) => {
  const { aggregation, split, answers } = row;
  const { sees, parties } = aggregation;

  it('has the coordinator as its first party', () => {
    expect(parties[0]).toBe('coordinator');
    expect(new Set(parties).size).toBe(parties.length);
  });

  // How a seed is sealed does not depend on what it hides.
  const own = row.name.endsWith('x-wing') ? samples.slice(0, 1) : samples;
  describe.each(own.map((sample) => [sample.name, sample] as const))('%s', (_, sample) => {
    const { layout, honest } = sample;
    const group = statistics(layout);

    it('shares of a statistic add up to it, whatever the randomness', () => {
      fc.assert(
        fc.property(anyStatistic(layout), anyRandom, (statistic, random) => {
          const before = statistic.values.slice();
          const { origin } = sentBy('a', statistic);
          const shares = split(statistic, origin, random);
          expect(shares).toHaveLength(parties.length);
          const [own, ...rest] = shares;
          const told = answers(layout, [{ origin, shares: rest }]);
          const all = [numbersOf(own), ...told.map(({ values }) => values)];
          const sum = sumStatistics(
            layout,
            all.map((values) => ({ layout, values })),
          );
          expect(sum.values).toEqual(before);
          expect(statistic.values).toEqual(before);
        }),
        runs,
      );
    });

    it('collects the plain sum, for any sites, order and partition, to the last bit', () => {
      fc.assert(
        fc.property(anySent(layout), fc.nat(8), anyRandom, (sent, cut, random) => {
          const { values } = sumOf(layout, sent);
          const whole = through(row, layout, sent, 'total', random);
          expect(whole.total).toEqual({ layout, values });
          expect(whole.contributions).toBe(sent.length);
          expect(through(row, layout, sent.toReversed()).total.values).toEqual(values);
          const [one, two] = [sent.slice(0, cut), sent.slice(cut)].map((part) =>
            through(row, layout, part),
          );
          expect(group.add(one.total, two.total).values).toEqual(values);
          expect(one.contributions + two.contributions).toBe(sent.length);
        }),
        runs,
      );
    });

    it('shows parts that add up to the total, one a site, where it shows sites; else none', () => {
      fc.assert(
        fc.property(anySent(layout), (sent) => {
          const before = sent.map(({ statistic }) => statistic.values.slice());
          const { total, parts } = through(row, layout, sent, 'sites');
          expect(sent.map(({ statistic }) => statistic.values)).toEqual(before);
          expect(through(row, layout, sent, 'total').parts).toBeUndefined();
          if (sees === 'total') {
            expect(parts).toBeUndefined();
            return;
          }
          const names = [...new Set(sent.map(({ origin }) => origin.site))];
          const own = names.map((site) => ({
            site,
            statistic: sumOf(
              layout,
              sent.filter(({ origin }) => origin.site === site),
            ),
          }));
          expect(parts).toEqual(own);
          const statisticsOfParts = parts!.map(({ statistic }) => statistic);
          expect(sumStatistics(layout, statisticsOfParts)).toEqual(total);
        }),
        runs,
      );
    });

    it('a site that withdraws leaves the total minus its statistics', () => {
      fc.assert(
        fc.property(anySent(layout), (sent) => {
          const isGone = ({ origin }: Sent) => origin.site === 'a';
          const stay = sent.filter((one) => !isGone(one));
          const left = through(row, layout, stay, 'sites');
          const { total } = through(row, layout, sent, 'sites');
          const gone = sumOf(layout, sent.filter(isGone));
          expect(left.total).toEqual(group.subtract(total, gone));
          expect(left.parts?.map(({ site }) => site) ?? []).not.toContain('a');
        }),
        runs,
      );
    });

    it('an honest share is plausible, at every party', () => {
      for (const statistic of honest) {
        split(statistic, sentBy('a', statistic).origin).forEach((share, k) => {
          expect(aggregation.implausible(share, layout, parties[k])).toBeUndefined();
        });
      }
    });

    it('refuses by name a share of another size, or sealed where numbers are expected', () => {
      const shares = split(honest[0], sentBy('a', honest[0]).origin);
      shares.forEach((share, k) => {
        const said = (other: Share) => aggregation.implausible(other, layout, parties[k]);
        if ('sealed' in share) {
          expect(said({ sealed: share.sealed.slice(1) })).toMatch(/size/);
          expect(said({ values: honest[0].values })).toMatch(/not sealed/);
          return;
        }
        for (const cut of [0, 1, wordsOf(layout), share.values.length - 1]) {
          expect(said({ values: share.values.slice(0, cut) })).toMatch(
            /number of entries is wrong/,
          );
        }
        const longer = Uint32Array.from([...share.values, 0]);
        expect(said({ values: longer })).toMatch(/number of entries is wrong/);
        expect(said({ sealed: new Uint8Array(32) })).toMatch(/sealed/);
      });
      const collector = aggregation.collector(layout, 'total');
      expect(() => collector.add('a', { sealed: new Uint8Array(32) })).toThrow(RangeError);
      expect(() => collector.add('a', { values: new Uint32Array(1) })).toThrow(RangeError);
    });

    it('refuses by name numbers that no rows could give, where it sees them', () => {
      const statistic = withPartOfRow(honest[0]);
      const [share] = split(statistic, sentBy('a', statistic).origin);
      const said = aggregation.implausible(share, layout, 'coordinator');
      if (sees === 'sites') expect(said).toMatch(/number of rows/);
      else expect(said).toBeUndefined();
    });

    it('has no sum until the others have answered about the same contributions', () => {
      const collector = aggregation.collector(layout, 'total');
      const others = honest.map((statistic, k) => {
        const { origin } = sentBy(`site ${k}`, statistic);
        const [own, ...shares] = split(statistic, origin);
        collector.add(origin.site, own);
        return { origin, shares };
      });
      if (sees === 'sites') {
        expect(collector.finish()).toHaveProperty('total');
        return;
      }
      const failure = { problem: expect.stringMatching(/\w/), remedy: expect.stringMatching(/\w/) };
      expect(collector.finish()).toEqual(failure);
      expect(collector.finish(answers(layout, others.slice(1)))).toEqual(failure);
      const { total } = known(collector.finish(answers(layout, others)));
      expect(total).toEqual(sumStatistics(layout, honest));
    });
  });

  const here = row.name.endsWith('x-wing') ? studies.slice(0, 3) : studies;
  it.each(here.map((one) => [one.name, one] as const))('resolves %s as plain does', (_, one) => {
    const { agreed, sent } = one;
    const { study, method, layout } = agreed;
    const by = () => agreementBy(study, method, aggregation);
    const packed = hasPackedEntries(shapeOf(layout));
    if ((method.needsSites || packed) && sees === 'total') {
      expect(by).toThrow(DataError);
      expect(by).toThrow(expect.objectContaining({ remedy: expect.stringMatching(/plain/) }));
      return;
    }
    const statisticsSent = sent.map(({ site, statistic }) => sentBy(site, statistic));
    const found = through(row, layout, statisticsSent, sees);
    expect(reported(by(), found, sent)).toEqual(plainReport(one));
  });
});

it('the samples and studies asked for are there, some of which need the sites one by one', () => {
  expect(samples).toHaveLength(wanted.length + 1);
  const needy = studies.filter(({ agreed }) => agreed.method.needsSites);
  expect(needy.length).toBeGreaterThan(3);
  expect(needy.length).toBeLessThan(studies.length - 3);
});

describe('the registry', () => {
  it('has a row for every kind', () => {
    expect(new Set(laws.map(({ terms }) => terms.kind))).toEqual(
      new Set(Object.keys(aggregations)),
    );
  });

  it.each(laws.map((row) => [row.name, row] as const))('%s has a schema of its own', (_, row) => {
    const { terms } = row;
    const schema = aggregations[terms.kind].schema(zod);
    expect(schema.parse(terms)).toEqual(terms);
    expect(() => schema.parse({ ...terms, postage: 1 })).toThrow(/postage/);
    expect(() => schema.parse({ ...terms, kind: 'pigeons' })).toThrow(/kind/);
    const study = { ...registeredRows[0].study, aggregation: terms };
    expect(parseStudy(JSON.parse(JSON.stringify(study)))).toEqual(study);
    expect(aggregationOf(study)).toMatchObject({
      sees: row.aggregation.sees,
      parties: row.aggregation.parties,
    });
  });

  it('a study without an aggregation is added plainly; one with an unknown one is refused', () => {
    const { study } = registeredRows[0];
    expect(aggregationOf(study)).toBe(plain.aggregation);
    const refusal = (aggregation: unknown) => () => parseStudy({ ...study, aggregation });
    const at = (...path: string[]) =>
      expect.objectContaining({ issues: [expect.objectContaining({ path })] });
    expect(refusal({ kind: 'pigeons' })).toThrow(at('aggregation', 'kind'));
    expect(refusal({})).toThrow(at('aggregation', 'kind'));
    expect(refusal('plain')).toThrow(at('aggregation'));
  });
});

describe('contributions', () => {
  const [{ agreed: plainly }] = studies;
  const { study, method, layout, digest } = plainly;
  const turn = { sequence: 3, mode: 'add' } as const;

  it('go through the aggregation when they are made, read and added', () => {
    const { aggregation } = plain;
    const add = vi.fn();
    const finish = vi.fn();
    const split = vi.fn(aggregation.split);
    const implausible = vi.fn(aggregation.implausible);
    const collector = vi.fn((...terms: Parameters<Aggregation['collector']>): Collector => {
      const own = aggregation.collector(...terms);
      return {
        add: add.mockImplementation(own.add),
        finish: finish.mockImplementation(own.finish),
      };
    });
    const spied = agreementBy(study, method, { ...aggregation, split, implausible, collector });
    const sent = Object.entries(sites).map(([site, own]) =>
      contribution(spied, site, sumsOver(spied, own), turn),
    );
    expect(split.mock.calls).toEqual(
      sent.map(({ site, statistic }) => [
        statistic,
        expect.objectContaining({ study: digest, site, sequence: 3 }),
      ]),
    );
    for (const one of sent) readContribution(spied, encodeContribution(one));
    expect(implausible.mock.calls).toEqual(
      sent.map(({ statistic: { values } }) => [{ values }, layout, 'coordinator']),
    );
    implausible.mockReturnValueOnce('not today');
    expect(readContribution(spied, encodeContribution(sent[0]))).toEqual({ refused: 'not today' });
    const answers = [{ values: new Uint32Array(0), contributions: 0 }];
    const found = collect(spied, sent, answers);
    expect(found).toEqual(collect(plainly, sent));
    expect(collector.mock.calls).toEqual([[layout, 'sites', spied.method.regression?.design]]);
    expect(add.mock.calls).toEqual(
      sent.map(({ site, statistic: { values } }) => [site, { values }]),
    );
    expect(finish.mock.calls).toEqual([[answers]]);
  });

  it('need a mask where the sites agree on masks, and hide the numbers with it', () => {
    const { aggregation } = withMasks();
    const agreed = agreementBy(study, method, aggregation);
    const sums = sumsOver(agreed, sites.west);
    expect(() => contribution(agreed, 'a', sums)).toThrow(/agree on masks/);
    const mask = keyStream(new Uint8Array(32), entriesOf(layout) * wordsOf(layout));
    const made = contribution(agreed, 'a', sums, turn, mask);
    expect(made).toMatchObject({ dropped: 0, nonce: expect.stringMatching(/^[\w-]{43}$/) });
    expect(Object.keys(made)).not.toContain('mask');
    const group = statistics(layout);
    expect(group.add(made.statistic, { layout, values: mask })).toEqual(sums.statistic);
    expect(readContribution(agreed, encodeContribution(made))).toEqual({ contribution: made });
  });

  it('carry the sealed share of the helper, and neither its seed nor a count of rows', () => {
    const { aggregation } = withHelper('x25519');
    const agreed = agreementBy(study, method, aggregation);
    const make = () => contribution(agreed, 'a', sumsOver(agreed, sites.west));
    const [one, other] = [make(), make()];
    expect(one.sealed).toMatch(/^[\w-]{107}$/);
    expect(one.dropped).toBe(0);
    expect([other.sealed === one.sealed, other.nonce === one.nonce]).toEqual([false, false]);
    expect(other.statistic.values).not.toEqual(one.statistic.values);
    const read = readContribution(agreed, encodeContribution(one));
    expect(read).toEqual({ contribution: one });
    const { sealed: _, ...without } = one;
    expect(readContribution(agreed, encodeContribution(without))).toEqual({
      refused: 'the part for the helper is missing',
    });
    const plainly = {
      ...contribution(
        { ...agreed, aggregation: plain.aggregation },
        'a',
        sumsOver(agreed, sites.west),
      ),
      sealed: one.sealed!,
    };
    expect(
      readContribution({ ...agreed, aggregation: plain.aggregation }, encodeContribution(plainly)),
    ).toEqual({ refused: expect.stringMatching(/no helper/) });
  });
});
