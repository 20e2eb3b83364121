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
import { keyedWords } from '../src/random/keyed-words.ts';
import { secureWords } from '../src/random/secure-words.ts';
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
import { type RingVector, ringAddInto, ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import { findSegment, triangle, vector } from '../src/statistic/segments.ts';
import { type Statistic, statistics, sumStatistics } from '../src/statistic/statistic.ts';
import type { Aggregations } from '../src/study/study.ts';
import {
  contributionsTo,
  fixedNoise,
  linesOf,
  registeredRows,
  sites,
  sumsOver,
} from './fusion-rows.ts';

/** A share with the contribution it is of, as a helper gets it. */
interface Received {
  readonly origin: ShareOrigin;
  readonly share: Share;
}

/** An aggregation, as the laws ask for it. */
interface AggregationRow {
  readonly name: string;
  readonly aggregation: Aggregation;
  /** What the parties beside the coordinator answer about contributions, each of which has a share for each of them. */
  answers(layout: Layout, received: readonly (readonly Received[])[]): readonly PartyAnswer[];
}

const SEED_WORDS = 8;

/** What hides a statistic, from a seed: of one contribution, and of no other. */
function maskOf(layout: Layout, seed: Uint8Array, { study, site, sequence }: ShareOrigin) {
  const word = keyedWords(seed, JSON.stringify([study, site, sequence]));
  return Uint32Array.from({ length: entriesOf(layout) * wordsOf(layout) }, word);
}

function numbersOf(share: Share): RingVector {
  if ('values' in share) return share.values;
  throw new RangeError('a sealed share cannot be added');
}

/**
 * A two-party sum that the library does not have: the coordinator gets x − mask; a helper gets the mask, as numbers or as
 * the seed that it is made from. Nothing is encrypted here: the bytes stand for a seal that only the helper can open.
 */
function masked(helperGets: 'numbers' | 'seeds'): AggregationRow {
  const opened = (layout: Layout, { share, origin }: Received) =>
    'sealed' in share ? maskOf(layout, share.sealed, origin) : share.values;
  return {
    name: `toy: a helper that gets ${helperGets}`,
    aggregation: {
      sees: 'total',
      parties: ['coordinator', 'helper'],
      split({ layout, values }, origin, random = secureWords()) {
        const drawn = Uint32Array.from({ length: SEED_WORDS }, random);
        const seed = new Uint8Array(drawn.buffer);
        const mask = { layout, values: maskOf(layout, seed, origin) };
        const left = statistics(layout).subtract({ layout, values }, mask);
        const helper = helperGets === 'seeds' ? { sealed: seed } : { values: mask.values };
        return [{ values: left.values }, helper];
      },
      implausible(share, layout, party) {
        if (party === 'helper' && helperGets === 'seeds') {
          if (!('sealed' in share)) return 'the seed is not sealed';
          return share.sealed.length === 4 * SEED_WORDS ? undefined : 'a seed of another size';
        }
        if (!('values' in share)) return 'the numbers are sealed';
        return share.values.length === entriesOf(layout) * wordsOf(layout)
          ? undefined
          : 'the number of entries is wrong';
      },
      collector: maskedCollector,
    },
    answers: (layout, received) => [
      {
        contributions: received.length,
        values: sumStatistics(
          layout,
          received.map(([one]) => ({ layout, values: opened(layout, one) })),
        ).values,
      },
    ],
  };
}

function maskedCollector(layout: Layout): Collector {
  const words = wordsOf(layout);
  const sum = statistics(layout).zero.values;
  let contributions = 0;
  return {
    add(_, share) {
      ringAddInto(sum, numbersOf(share), words);
      contributions += 1;
    },
    finish([answer] = []) {
      if (answer === undefined) {
        return { problem: 'the helper has not answered', remedy: 'ask the helper' };
      }
      if (answer.contributions !== contributions) {
        return {
          problem: `the helper added ${answer.contributions} contributions, the coordinator ${contributions}`,
          remedy: 'ask the helper about the same contributions',
        };
      }
      const values = sum.slice();
      ringAddInto(values, answer.values, words);
      return { total: { layout, values }, contributions };
    },
  };
}

/** Terms of every aggregation of the registry. */
const registered: { readonly [Kind in keyof Aggregations]: Aggregations[Kind] } = {
  plain: { kind: 'plain' },
};

const plain: AggregationRow = {
  name: 'plain',
  aggregation: aggregationOf({ aggregation: registered.plain }),
  answers: () => [],
};

const laws: readonly AggregationRow[] = [plain, masked('numbers'), masked('seeds')];

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

/** Studies that are resolved under every aggregation: those of the samples, and what else needs the sites or does not. */
const resolved = new Set([
  ...wanted,
  'least squares, projected',
  'ridge by gcv',
  'ridge by left-out sites',
  'lasso',
  'clustered errors',
  'fixed site effects',
  'random site effects',
  'poisson',
  'fesc',
  'private, noise at the sites',
  'private, a further round',
]);

/** What their sites send, once: some draw noise. */
const studies = registeredRows
  .filter(({ name }) => resolved.has(name))
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

/** Up to eight statistics of up to three sites, in any order; a site may send several. */
const anySent = (layout: Layout) =>
  fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'c'), anyStatistic(layout)), { maxLength: 8 })
    .map((list) => list.map(([site, statistic], k) => sentBy(site, statistic, k + 1)));

function sentBy(site: string, statistic: Statistic, sequence = 1): Sent {
  return { origin: { study: 'sha256:0', site, sequence }, statistic };
}

/** What statistics add up to once they went through an aggregation, each party adding its shares. */
function through(
  { aggregation, answers }: AggregationRow,
  layout: Layout,
  sent: readonly Sent[],
  keep: 'total' | 'sites' = 'total',
  random?: WordSource,
): Collected {
  const collector = aggregation.collector(layout, keep);
  const others = sent.map(({ origin, statistic }) => {
    const [own, ...rest] = aggregation.split(statistic, origin, random);
    collector.add(origin.site, own);
    return rest.map((share) => ({ origin, share }));
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

const runs = { numRuns: 8, seed: 15 };

describe.each(laws.map((row) => [row.name, row] as const))('%s', (_, row) => {
  const { aggregation, answers } = row;
  const { sees, parties } = aggregation;

  it('has the coordinator as its first party', () => {
    expect(parties[0]).toBe('coordinator');
    expect(new Set(parties).size).toBe(parties.length);
  });

  describe.each(samples.map((sample) => [sample.name, sample] as const))('%s', (_, sample) => {
    const { layout, honest } = sample;
    const group = statistics(layout);

    it('shares of a statistic add up to it, whatever the randomness', () => {
      fc.assert(
        fc.property(anyStatistic(layout), anyRandom, (statistic, random) => {
          const before = statistic.values.slice();
          const { origin } = sentBy('a', statistic);
          const shares = aggregation.split(statistic, origin, random);
          expect(shares).toHaveLength(parties.length);
          const [own, ...rest] = shares;
          const received = rest.map((share) => ({ origin, share }));
          const all = [numbersOf(own), ...answers(layout, [received]).map(({ values }) => values)];
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
        aggregation.split(statistic, sentBy('a', statistic).origin).forEach((share, k) => {
          expect(aggregation.implausible(share, layout, parties[k])).toBeUndefined();
        });
      }
    });

    it('refuses by name a share of another size, or sealed where numbers are expected', () => {
      const shares = aggregation.split(honest[0], sentBy('a', honest[0]).origin);
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
      const [share] = aggregation.split(statistic, sentBy('a', statistic).origin);
      const said = aggregation.implausible(share, layout, 'coordinator');
      if (sees === 'sites') expect(said).toMatch(/number of rows/);
      else expect(said).toBeUndefined();
    });

    it('has no sum until every other party has answered about the same contributions', () => {
      const collector = aggregation.collector(layout, 'total');
      const others = honest.map((statistic, k) => {
        const { origin } = sentBy(`site ${k}`, statistic);
        const [own, ...rest] = aggregation.split(statistic, origin);
        collector.add(origin.site, own);
        return rest.map((share) => ({ origin, share }));
      });
      if (parties.length === 1) {
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

  it.each(studies.map((one) => [one.name, one] as const))('resolves %s as plain does', (_, one) => {
    const { agreed, sent } = one;
    const { study, method, layout } = agreed;
    const by = () => agreementBy(study, method, aggregation);
    if (method.needsSites && sees === 'total') {
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
  expect(studies).toHaveLength(resolved.size);
  const needy = studies.filter(({ agreed }) => agreed.method.needsSites);
  expect(needy.length).toBeGreaterThan(3);
  expect(needy.length).toBeLessThan(studies.length - 3);
});

describe('the registry', () => {
  it.each(Object.entries(aggregations))('%s has a row, and a schema of its own', (kind, entry) => {
    const terms = registered[kind as keyof Aggregations];
    expect(laws.map(({ aggregation }) => aggregation)).toContain(entry.aggregation(terms));
    const schema = entry.schema(zod);
    expect(schema.parse(terms)).toEqual(terms);
    expect(() => schema.parse({ ...terms, postage: 1 })).toThrow(/postage/);
    expect(() => schema.parse({ ...terms, kind: 'pigeons' })).toThrow(/kind/);
    const study = { ...registeredRows[0].study, aggregation: terms };
    expect(parseStudy(JSON.parse(JSON.stringify(study)))).toEqual(study);
    expect(aggregationOf(study)).toBe(entry.aggregation(terms));
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
    expect(collector.mock.calls).toEqual([[layout, 'sites']]);
    expect(add.mock.calls).toEqual(
      sent.map(({ site, statistic: { values } }) => [site, { values }]),
    );
    expect(finish.mock.calls).toEqual([[answers]]);
  });

  it('do not lose the share of another party unsaid', () => {
    const { aggregation } = masked('seeds');
    const agreed = agreementBy(study, method, aggregation);
    const make = () => contribution(agreed, 'west', sumsOver(agreed, sites.west));
    expect(make).toThrow(/share of the coordinator alone/);
  });
});
