import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as zod from 'zod';
import type { Collected } from '../src/aggregation/aggregation.ts';
import { aggregationOf } from '../src/aggregation/aggregations.ts';
import { conclude, resultOf } from '../src/conclude.ts';
import { DataError } from '../src/data-error.ts';
import {
  type Agreement,
  agreement,
  agreementBy,
  readContribution,
  releasable,
  totalDigest,
} from '../src/federate.ts';
import type { FusionEntry } from '../src/fusion/fusion-entry.ts';
import { notUnderNoise } from '../src/fusion/fusion-entry.ts';
import { fusions, methodOf } from '../src/fusion/fusions.ts';
import type { Method, Questions } from '../src/fusion/method.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import type { Report } from '../src/model/report.ts';
import type { Summarizer } from '../src/statistic/cross-product.ts';
import {
  contributionLimit,
  decodeContribution,
  encodeContribution,
} from '../src/statistic/envelope.ts';
import {
  entriesOf,
  gridOf,
  type Layout,
  type SegmentLayout,
  shapeOf,
  wordsOf,
} from '../src/statistic/layout.ts';
import { ringDoubleDouble, ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import { findSegment, vector } from '../src/statistic/segments.ts';
import { rowCount, type Statistic, statistics, sumStatistics } from '../src/statistic/statistic.ts';
import { canonicalJson } from '../src/study/canonical-json.ts';
import type { Fusion, Study, TableStudy } from '../src/study/study.ts';
import { tableStudy } from '../src/study/table-study.ts';
import { cases } from './endurance.ts';
import {
  collected,
  contributionsTo,
  type FusionRow,
  fixedNoise,
  linesOf,
  registeredRows,
  reportOn,
  studyOver,
  sumsOver,
  rows as table,
} from './fusion-rows.ts';
import { everyRow } from './tables.ts';

/** A fusion that the library does not have: the mean of a column, from its sum and the number of rows. */
interface ToyMean {
  readonly kind: 'toy-mean';
  readonly column: string;
  readonly unit?: string;
}

const nothingElse: Questions = {
  none: { problem: 'a mean is all there is', remedy: 'ask for the report alone' },
};

const SUM_BITS = 44;
const meanLayout: SegmentLayout = {
  of: 'toy-mean',
  arithmetic: 'exact',
  words: 4,
  segments: [vector('rows', 1, 8), vector('sum', 1, SUM_BITS)],
};

const toyMean: FusionEntry<ToyMean> = {
  method: (study, { column, unit = 'units' }): Method => ({
    layout: meanLayout,
    rowsLayout: meanLayout,
    columns: [{ name: column, column: tableStudy(study).codebook[column] }],
    additive: 'rows',
    wholeFile: false,
    needsSites: false,
    questions: nothingElse,
    text: {
      method: `the mean in ${unit}`,
      learnt: 'a mean of sums',
      whoSees: ['the coordinator sees the sum of a site'],
      leaves: ['the number of rows and a sum'],
      says: ({ rows }) => [`${rows} rows`],
    },
    sections: [],
    summarize: () => meanSums(column),
    release: (sums) => sums,
    resolve: ({ total }) => resolvedMean(total),
  }),
  schema: (z) =>
    z.strictObject({
      kind: z.literal('toy-mean'),
      column: z.string(),
      unit: z.string().optional(),
    }),
  questions: nothingElse,
  underNoise: notUnderNoise('a toy', 'leave out privacy'),
};

function meanSums(column: string): Summarizer {
  let [rows, sum, dropped] = [0, 0n, 0];
  return {
    add({ columns: [cells] }) {
      for (const cell of cells) {
        if (Number.isNaN(cell)) dropped++;
        else [rows, sum] = [rows + 1, sum + BigInt(Math.round(cell * 2 ** SUM_BITS))];
      }
    },
    finish() {
      const { values } = statistics(meanLayout).zero;
      setRingEntry(values, 4, 0, BigInt(rows) << 8n);
      setRingEntry(values, 4, 1, sum);
      const statistic = { layout: meanLayout, values };
      return { statistic, rows, dropped, missing: { [column]: dropped } };
    },
  };
}

function resolvedMean(total: Statistic): ReturnType<Method['resolve']> {
  const n = rowCount(total);
  if (n === 0) return { problem: 'no rows are left', remedy: 'bring rows' };
  const estimate = ringDoubleDouble(total.values, 4, 1, SUM_BITS).hi / n;
  const facts = { arithmetic: 'exact', grid: SUM_BITS, aliased: [] };
  return {
    models: [],
    report: (context) => ({
      schema: 'suffice/report@1',
      n,
      ...context,
      terms: [{ term: 'mean', estimate }],
      ...facts,
    }),
  };
}

/** A row for a fusion outside the registry, whose terms the `Study` of the library therefore does not know. */
function rowBy<Terms extends { readonly kind: string }>(
  entry: FusionEntry<Terms>,
  terms: Terms,
  choices: Partial<TableStudy>,
): FusionRow {
  const asFusion = (own: unknown) => own as Fusion;
  const study = { ...studyOver(choices), fusion: asFusion(terms) };
  return {
    name: terms.kind,
    study,
    agreed: (of) =>
      agreementBy(of, entry.method(of, of.fusion as unknown as Terms), aggregationOf(of)),
    parse(json) {
      const { fusion, ...rest } = json as Study;
      const known = parseStudy({ ...rest, fusion: { kind: 'ridge', ridge: 0 } });
      return { ...known, fusion: asFusion(entry.schema(zod).parse(fusion)) };
    },
  };
}

const laws: readonly FusionRow[] = [
  ...registeredRows,
  rowBy(toyMean, { kind: 'toy-mean', column: 'x', unit: 'grams' }, {}),
];

const everyone = everyRow(table);

/** The same contributions in another order. */
const anyOrder = <T>(items: readonly T[]) =>
  fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });

/** Rows dealt to up to five sites, some of which may stay empty. */
const anyDeal = fc
  .array(fc.nat(4), { minLength: everyone.length, maxLength: everyone.length })
  .chain((of) => anyOrder([0, 1, 2, 3, 4].map((k) => everyone.filter((r) => of[r] === k))));

/** All that a method says in words. */
function textsOf({ text, rounds, noise }: Method): string[] {
  const { method, learnt, whoSees, leaves } = text;
  return [
    ...[method, learnt, whoSees.join('\n'), leaves.join('\n')],
    ...(rounds === undefined ? [] : [rounds.text]),
    ...(noise?.promise ?? []),
  ];
}

/** The entry that holds the number of rows; undefined where no entry does. */
function countEntry({ layout }: Statistic): ReturnType<typeof findSegment> {
  const shape = shapeOf(layout);
  // Unweighted sums of a regression begin with Σ 1.
  return findSegment(shape, 'rows') ?? findSegment(shape, 'products');
}

/** A statistic with something added to one entry. */
function moved({ layout, values }: Statistic, entry: number, by: bigint): Statistic {
  const copy = values.slice();
  const words = wordsOf(layout);
  setRingEntry(copy, words, entry, ringEntry(copy, words, entry) + by);
  return { layout, values: copy };
}

/** What of a layout shows in the bytes. */
const wireOf = (layout: Layout) =>
  [entriesOf(layout), wordsOf(layout), layout.arithmetic, gridOf(layout)].join();

/** A report as JSON, lists of sites by name. */
function json(report: Report): string {
  return JSON.stringify(report, (_, member: unknown) => {
    const isList = Array.isArray(member) && member.every((one) => 'site' in Object(one));
    return isList ? member.toSorted((one, two) => (one.site < two.site ? -1 : 1)) : member;
  });
}

it('every fusion of the registry has a row here, and is told when it is not offered under noise', () => {
  const kinds = new Set(laws.map(({ study }) => study.fusion.kind));
  for (const [kind, entry] of Object.entries(fusions)) {
    expect(kinds).toContain(kind);
    const row = laws.find(({ study }) => study.fusion.kind === kind)!;
    const { underNoise } = entry;
    if (typeof underNoise === 'function') continue;
    expect(underNoise.remedy).toMatch(/\w/);
    const study = { ...row.study, privacy: { epsilon: 1, delta: 1e-6, unit: 'row' } } as const;
    expect(() => agreement(study)).toThrow(DataError);
    expect(() => agreement(study)).toThrow(underNoise.problem);
  }
});

it('sums of exact products claim to be sums over rows; own estimates and optima do not', () => {
  const claims = new Map(laws.map((row) => [row.name, row.agreed(row.study).method.additive]));
  for (const name of ['least squares', 'ridge by left-out sites', 'private labels', 'toy-mean']) {
    expect(claims.get(name)).toBe('rows');
  }
  for (const name of ['least squares, compact', 'logistic', 'average', 'fesc']) {
    expect(claims.get(name)).toBe('sites');
  }
});

it('an agreement is worked out once a process', () => {
  for (const { study } of registeredRows) {
    expect(agreement(structuredClone(study))).toBe(agreement(study));
  }
});

describe('an agreement that is kept', () => {
  const [{ study }] = registeredRows;
  const { codebook } = tableStudy(study);
  const dotted = { ...study, name: 'dotted', formula: 'y ~ .', codebook };

  it('is not that of a study with its columns in another order, though the digest is the same', () => {
    const turned = {
      ...dotted,
      codebook: Object.fromEntries(Object.entries(codebook).toReversed()),
    };
    const [one, other] = [agreement(dotted), agreement(turned)];
    expect(other.digest).toBe(one.digest);
    const names = ({ columns }: Agreement) => columns.map(({ name }) => name);
    expect(names(other)).toEqual(names(agreementBy(turned, methodOf(turned), other.aggregation)));
    expect(names(other)).not.toEqual(names(one));
  });

  it('does not change with the study it was made of', () => {
    const changing = { ...dotted, name: 'before' };
    const { digest } = agreement(changing);
    changing.name = 'after';
    const again = agreement({ ...dotted, name: 'before' });
    expect([again.digest, again.study.name]).toEqual([digest, 'before']);
  });
});

let kept: ReadonlyMap<string, Layout> | undefined;
/** A layout for each way in which those of the studies here show in the bytes, made once. */
const layouts = () => {
  kept ??= new Map(
    laws.map(({ agreed: derive, study }) => {
      const { layout } = derive(study);
      return [wireOf(layout), layout];
    }),
  );
  return kept;
};

describe.each(laws.map((row) => [row.name, row] as const))('%s', (_, row) => {
  const { study } = row;
  const agreed = row.agreed(study);
  const { method, layout, digest } = agreed;
  const group = statistics(layout);
  const sent = contributionsTo(agreed);
  const [a, b, c] = sent.map(({ statistic }) => statistic);
  const exact = collected(agreed, sent);
  const seen = releasable(agreed, exact, fixedNoise());
  const report = reportOn(agreed, sent);

  it('parts are the whole, in any order and any grouping, to the last bit', () => {
    const total = exact.total.values;
    fc.assert(
      fc.property(anyOrder(sent), fc.nat(sent.length), (order, cut) => {
        expect(collected(agreed, order).total.values).toEqual(total);
        const halves = [order.slice(0, cut), order.slice(cut)].map(
          (half) => collected(agreed, half).total,
        );
        expect(group.add(halves[1], halves[0]).values).toEqual(total);
      }),
      { numRuns: cases(10), seed: 1 },
    );
    if (method.additive === 'sites') return;
    const sums = (of: readonly number[]) => sumsOver(agreed, of).statistic;
    const whole = sums(everyone);
    fc.assert(
      fc.property(anyDeal, (deal) => {
        expect(sumStatistics(agreed.rowsLayout, deal.map(sums)).values).toEqual(whole.values);
      }),
      { numRuns: cases(5), seed: 2 },
    );
    if (method.noise === undefined) expect(total).toEqual(method.release(whole, 'all').values);
  });

  it('statistics form a commutative group', () => {
    const { zero, add, subtract } = group;
    expect(subtract(add(a, b), b)).toEqual(a);
    expect(add(a, zero)).toEqual(a);
    expect(add(a, b)).toEqual(add(b, a));
    expect(add(add(a, b), c)).toEqual(add(a, add(b, c)));
    expect(add(subtract(zero, a), a)).toEqual(zero);
  });

  it('a contribution is read as it was written, within its limit', () => {
    for (const one of sent) {
      const file = encodeContribution(one);
      expect(readContribution(agreed, file)).toEqual({ contribution: one });
      expect(file.length).toBeLessThanOrEqual(contributionLimit(layout));
    }
  });

  it('a site that was added and withdrawn leaves no trace', () => {
    const [gone, ...stay] = sent;
    const never = collected(agreed, stay);
    const total = group.subtract(exact.total, gone.statistic);
    const parts = exact.parts.filter(({ site }) => site !== gone.site);
    expect(total).toEqual(never.total);
    const left = { total, parts, contributions: stay.length };
    const terms = { sites: linesOf(stay), audience: 'owner' } as const;
    const concluded = (of: Collected) => conclude(agreed, of, { ...terms, random: fixedNoise() });
    expect(concluded(left)).toEqual(concluded(never));
  });

  it('resolves from what was published, and from parts where it says so', () => {
    const { total, contributions } = seen;
    const lines = linesOf(sent);
    const alone = resultOf(agreed, { total, contributions }, lines);
    if (method.needsSites) {
      expect(alone).toMatchObject({ problem: expect.stringMatching(/\w/) });
      expect(alone).toMatchObject({ remedy: expect.stringMatching(/\w/) });
    } else {
      expect(alone).toEqual(resultOf(agreed, { ...seen, parts: exact.parts }, lines));
      const looked = () => {
        throw new Error('looked at the sites one by one');
      };
      const parts = exact.parts.map(({ site, statistic: { values } }) => ({
        site,
        statistic: { layout, values: new Proxy(values, { get: looked }) },
      }));
      expect(resultOf(agreed, { ...seen, parts }, lines)).toEqual(alone);
    }
  });

  it('has a report that the published total decides, where rows are under noise', () => {
    const { noise } = method;
    if (noise === undefined) return;
    expect(seen.parts).toBeUndefined();
    const same = agreementBy(
      study,
      { ...method, noise: { ...noise, onTotal: () => seen.total } },
      agreed.aggregation,
    );
    const others = contributionsTo(agreed, {
      ...{ west: everyone.slice(0, 20), east: everyone.slice(30, 50) },
      ...{ north: everyone.slice(60, 80), south: everyone.slice(90, 99) },
    });
    expect(collected(agreed, others).total).not.toEqual(exact.total);
    expect(json(reportOn(same, others))).toBe(json(report));
    for (const line of report.sites) expect(Object.keys(line)).toEqual(['name']);
  });

  it('refuses what is made for another study, or of another shape', () => {
    const file = encodeContribution(sent[0]);
    const refused = (bytes: Uint8Array, of = digest, by = layout) => {
      const decoded = decodeContribution(bytes, of, by);
      const [only, ...rest] = Object.keys(decoded);
      return only === 'refused' && rest.length === 0 ? String(Object.values(decoded)[0]) : '';
    };
    const other = row.agreed({ ...study, name: 'another' });
    expect(refused(file, other.digest, other.layout)).toMatch(/another study/);
    const own = wireOf(layout);
    const unlike = [...layouts()].filter(([wire]) => wire !== own);
    expect(unlike.length).toBeGreaterThan(10);
    const reasons = new Set(unlike.map(([, one]) => refused(file, digest, one)));
    for (const reason of reasons) expect(reason).toMatch(/arithmetic|shape/);
    for (const cut of [0, 7, 8, 100, file.length - 1]) {
      expect(refused(file.subarray(0, cut))).not.toBe('');
    }
    expect(refused(Uint8Array.from([...file, 0]))).toMatch(/bytes of data/);
  });

  it('refuses a number of rows that is not whole', () => {
    const found = countEntry(a);
    // Noise of a site's own hides what a count could be; a gradient has none.
    if (found === undefined || (method.noise && method.noise.totals === undefined)) return;
    const { start, segment } = found;
    const unit = 1n << BigInt(segment.fractionBits);
    const below = -ringEntry(a.values, wordsOf(layout), start) - unit;
    // A count without fractional bits is always whole.
    for (const change of unit === 1n ? [below] : [1n, below]) {
      const file = encodeContribution({ ...sent[0], statistic: moved(a, start, change) });
      const decoded = readContribution(agreed, file);
      expect(decoded).toEqual({ refused: expect.stringMatching(/number of rows/) });
    }
  });

  it('has one report for any order of the sites, named by its total', () => {
    fc.assert(
      fc.property(anyOrder(sent), (order) => {
        expect(json(reportOn(agreed, order))).toBe(json(report));
      }),
      { numRuns: cases(4), seed: 3 },
    );
    expect(report.digest).toBe(totalDigest(agreed, seen.total));
  });

  it('survives the JSON of its study', () => {
    const read = row.parse(JSON.parse(JSON.stringify(study)));
    const again = row.agreed(read);
    expect(read).toEqual(study);
    expect(again.digest).toBe(digest);
    expect(canonicalJson(again.layout)).toBe(canonicalJson(layout));
    expect(canonicalJson(again.rowsLayout)).toBe(canonicalJson(agreed.rowsLayout));
    expect(again.columns).toEqual(agreed.columns);
  });

  it('says in plain words what it does, what may be asked and what comes next', () => {
    const summary = sumsOver(agreed, everyone);
    const says = method.text.says(summary, sent[0].statistic);
    for (const text of textsOf(method)) expect(text).toMatch(/\w/);
    for (const text of [...textsOf(method), ...says]) {
      expect(text).not.toMatch(/undefined|NaN|\[object|null/);
    }
    const { questions, rounds } = method;
    const asked = resultOf(agreed, seen, linesOf(sent), { questions: [{ about: 'anova' }] });
    if ('none' in questions) expect(asked).toEqual(questions.none);
    else expect(asked).toHaveProperty('answers');
    const next = rounds?.next(report);
    if (next === undefined) return;
    if ('problem' in next) {
      expect(next.remedy).toMatch(/\w/);
      return;
    }
    const following = row.agreed(row.parse(JSON.parse(JSON.stringify(next))));
    expect(following.digest).not.toBe(digest);
    expect(following.method.rounds?.text).toMatch(/\w/);
  });
});
