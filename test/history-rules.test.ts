import { describe, expect, it } from 'vitest';
import { BUDGET_DELTA } from '../src/disclosure/budget-rule.ts';
import type { RuleId } from '../src/disclosure/rule.ts';
import { muOf } from '../src/privacy/calibration.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { chosen } from './endurance.ts';
import { type Cell, exactStudy, releasingSite } from './releasing-site.ts';

// Each rule about earlier releases: a file that trips it and one that just passes, for each kind of study.

const root = temporaryFolder();
const header = ['pid', 'age', 'dose', 'sick', 'w', 'y', ...'abcdefgh'];
const number = { type: 'number', range: [0, 200] } as const;
const codebook: Codebook = {
  age: number,
  dose: number,
  sick: { type: 'number', range: [0, 1] },
  w: number,
  y: number,
};
const others: Codebook = Object.fromEntries([...'abcdefgh'].map((name) => [name, number]));

/** Rows of people from one number to another; all numbers have a fraction. */
const people = (from: number, to: number, years = 0): Cell[][] =>
  Array.from({ length: to - from }, (_, k) => {
    const r = from + k;
    const digit = (factor: number, modulus: number) => (r * factor) % modulus;
    const noise = (j: number) => (digit(7 + 12 * j, 97) + digit(31 + 2 * j, 89) / 10).toFixed(2);
    return [
      ...[`p${r}`, 20.5 + digit(37, 59) + years, (digit(11, 43) / 4 + 0.1).toFixed(2)],
      ...[digit(5, 13) % 2, (1 + digit(3, 7) / 10).toFixed(1)],
      (10 + digit(23, 71) / 4 + r / 1000).toFixed(3),
      ...Array.from({ length: 8 }, (_, j) => noise(j)),
    ];
  });

interface Kind {
  /** A study of this kind over the given predictors. */
  study(predictors: string, name: string): TableStudy;
  /** Predictors of releases that have few columns together, and of a further one that has too many. */
  readonly columns?: readonly [few: readonly string[], tooMany: readonly string[]];
  /** Years by which the people are older in a later release. */
  readonly years: number;
}

const ridge = (predictors: string, name: string, more: Partial<TableStudy> = {}): TableStudy =>
  exactStudy(`y ~ ${predictors}`, { ...codebook, ...others }, { name, ...more });
const kinds: Readonly<Record<string, Kind>> = {
  'plain sums': { study: ridge, years: 0 },
  weights: { study: (predictors, name) => ridge(predictors, name, { weights: 'w' }), years: 0 },
  'a Newton round': {
    study: (predictors, name) => {
      const terms = ['(Intercept)', ...predictors.split(' + ')];
      const at = Object.fromEntries(terms.map((term, k) => [term, k === 0 ? -0.1 : 0.001]));
      return {
        ...ridge(predictors, name),
        formula: `sick ~ ${predictors}`,
        fusion: { kind: 'glm', family: 'binomial', at },
      };
    },
    // Each round counts its columns anew, the response with them: 8 and 10.
    columns: [
      ['age', 'a', 'b', 'c'],
      ['age', 'a', 'b', 'c', 'd'],
    ],
    years: 0,
  },
  expressions: {
    study: (predictors, name) => ridge(predictors.replace('age', 'I(age^2 / 10)'), name),
    years: 0,
  },
  ids: {
    study: (predictors, name) => {
      const { codebook: entries, ...rest } = ridge(predictors, name) as TableStudy & {
        readonly codebook: Codebook;
      };
      return { ...rest, codebook: { ...entries, pid: { type: 'id' } } } as TableStudy;
    },
    years: 1,
  },
};
/** 9 columns, the response with them, and 10. */
const nineAndTen = [
  ['age + a + b + c + d', 'age + e + f + g'],
  ['age + a + b + c + d', 'age + e + f + g + h'],
] as const;
const acknowledged = ['--acknowledge', 'R5,R6,R7'];
/** A private study of the same rows. */
const promised = (ids: boolean): TableStudy => ({
  ...ridge('age', 'private'),
  ...(ids && { codebook: { ...codebook, pid: { type: 'id' } } }),
  privacy: { epsilon: 1, delta: 1e-6, unit: 'row' },
});

/** What a rule says of the last of several releases, and that nothing was written if it refuses. */
async function last(
  rule: RuleId,
  releases: readonly (readonly [TableStudy, readonly Cell[][]])[],
): Promise<string> {
  const site = releasingSite(root, header);
  let outcome = '';
  for (const [k, [one, rows]] of releases.entries()) {
    const { written, rule: found, stderr } = await site.release(one, rows, ...acknowledged);
    outcome = found(rule).outcome;
    const isLast = k === releases.length - 1;
    if (!isLast && !written) throw new Error(`release ${k + 1}: ${stderr}`);
    const passes = outcome === 'pass' || outcome === 'not-applicable';
    if (isLast) expect([written, site.lines().length]).toEqual([passes, passes ? k + 1 : k]);
  }
  return outcome;
}

/** The check tries all cases of these; of the other kinds, whose rows take the same way, those that a rule refuses. */
const whole = new Set(['plain sums', 'ids']);

describe.each(Object.entries(kinds))('with %s', (kind, { study, years, columns = nineAndTen }) => {
  const part = <T>(all: readonly T[], ...places: readonly number[]) =>
    whole.has(kind) ? all : chosen(all, ...places);
  const later = (from: number, to: number) => people(from, to, years);

  const lessOrMore = [
    ['9 rows less', [0, 111], 'block'],
    ['10 rows less', [0, 110], 'pass'],
    ['the same rows', [0, 120], 'pass'],
    ['1 row more', [0, 121], 'block'],
  ] as const;
  it.each(part(lessOrMore, 0, 1))('R9: %s', async (_, [from, to], outcome) => {
    const first = [study('age', 'first'), people(0, 120)] as const;
    expect(await last('R9', [first, [study('age + dose', 'second'), later(from, to)]])).toBe(
      outcome,
    );
  });

  const leaves = [
    ['9 rows', 111, 'block'],
    ['10 rows', 110, 'pass'],
  ] as const;
  it.each(part(leaves))(
    'R9: everyone without two parts, which leaves %s',
    async (_, to, outcome) => {
      const parts = [
        [study('age', 'first'), people(0, 120)],
        [study('age + dose', 'second'), later(0, 60)],
        [study('age + dose', 'third'), later(60, to)],
      ] as const;
      expect(await last('R9', parts)).toBe(outcome);
    },
  );

  // A third of 30 rows is the limit.
  const counts = [
    ['few', columns[0], 'pass'],
    ['too many', columns[1], 'block'],
  ] as const;
  it.each(part(counts, 1))(
    'R10: %s columns of 30 rows over all releases',
    async (_, all, outcome) => {
      const releases = all.map(
        (predictors, k) =>
          [study(predictors, `release ${k}`), k === 0 ? people(0, 30) : later(0, 30)] as const,
      );
      expect(await last('R10', releases)).toBe(outcome);
    },
  );

  const exact = [
    ['an exact release of other people', [0, 80], 'not-applicable'],
    ['an exact release with one person who has a promise', [80, 121], 'warn'],
  ] as const;
  it.each(part(exact, 1))('R11: %s', async (_, [from, to], outcome) => {
    const first = [promised(years > 0), people(120, 240)] as const;
    expect(await last('R11', [first, [study('age', 'exact'), later(from, to)]])).toBe(outcome);
  });
});

// A private study has neither weights nor Newton rounds; the exact release before it may have.
describe.each(['weights', 'a Newton round'])(
  'R11, for a private release after one with %s',
  (kind) => {
    it.each([
      ['other people', [0, 80], 'pass'],
      ['one person of whom exact sums are out', [80, 121], 'warn'],
    ] as const)('of %s', async (_, [from, to], outcome) => {
      const first = [kinds[kind].study('age + dose', 'exact'), people(120, 240)] as const;
      expect(await last('R11', [first, [promised(false), people(from, to)]])).toBe(outcome);
    });
  },
);

describe('R11, for the second private release of the same rows', () => {
  const delta = 1e-6;
  const limit = muOf({ epsilon: 10, delta: BUDGET_DELTA });
  const left = Math.sqrt(limit ** 2 - muOf({ epsilon: 8, delta }) ** 2);
  const tried = Array.from({ length: 900 }, (_, k) => (k + 1) / 100);
  /** The largest ε, in hundredths, that the budget is good for. */
  const most = tried.findLast((epsilon) => muOf({ epsilon, delta }) <= left)!;
  const rows = people(0, 60);

  it.each([
    ['plain sums', 'age', codebook, rows],
    ['expressions', 'I(age^2 / 10)', codebook, rows],
    ['weights that are a column of the formula', 'age + w', codebook, rows],
    ['ids', 'age', { ...codebook, pid: { type: 'id' } } as Codebook, people(0, 60, 1)],
  ])('with %s', async (_, predictors, entries, later) => {
    const study = (epsilon: number, name: string): TableStudy =>
      exactStudy(`y ~ ${predictors}`, entries, { name, privacy: { epsilon, delta, unit: 'row' } });
    const site = releasingSite(root, header);
    expect((await site.release(study(8, 'first'), rows)).code).toBe(0);
    const over = await site.release(study(most + 0.01, 'over'), later);
    expect([over.rule('R11').outcome, over.written]).toEqual(['block', false]);
    const within = await site.release(study(most, 'within'), later);
    expect([within.rule('R11').outcome, within.written]).toEqual(['pass', true]);
    expect(site.lines().length).toBe(2);
  });
});
