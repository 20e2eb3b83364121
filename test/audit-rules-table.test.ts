import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RuleId } from '../src/disclosure/rule.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { ruleOf } from './audited.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { chosen } from './endurance.ts';
import { studyOf, type Table, tableOf } from './tables.ts';

// Each rule again, by the command: a file that just passes and one that does not, where rows are weighted, in a Newton round,
// with ids, and inside expressions. What follows from all rows alike is in audit-rules.test.ts.

const root = temporaryFolder();
let files = 0;

/** Numbers with fractions, all different, without an outlier. */
function spread(rows: number, phase = 0): number[] {
  const step = Math.sqrt([2, 3, 5, 7, 11, 13][phase % 6]) + 0.0137 * Math.floor(phase / 6);
  return Array.from({ length: rows }, (_, r) => 1.25 + ((r * step) % 1));
}

const fill = (rows: number, value: number) => Array<number>(rows).fill(value);
const levels = (...counts: number[]) => counts.flatMap((count, level) => fill(count, level));
const binary = (rows: number) => spread(rows, 3).map((v) => (v > 1.75 ? 1 : 0));

type Columns = Readonly<Record<string, number[]>>;
type Choices = NonNullable<Parameters<typeof studyOf>[2]>;

/** A site's columns, the terms to ask for, and how much each row is to count. */
interface Site {
  readonly columns: Columns;
  readonly terms: string;
  readonly response?: string;
  readonly weights?: readonly number[];
}

/** How a study gives rows their weights. */
interface Way {
  readonly name: string;
  /** The columns and terms beside a site's own, and the study's choices. */
  ask(site: Site): { columns: Columns; formula: string; choices: Choices };
}

/** Weights that differ a little, so that their column has more than two values. */
const jittered = (weights: readonly number[]) =>
  weights.map((w, r) => w * (1 + 1e-4 * ((r * 0.37) % 1)));

/** The weights are those of η = intercept + q. */
function newton(
  family: 'binomial' | 'poisson',
  intercept: number,
  eta: (weight: number) => number,
): Way {
  return {
    name: `a Newton round, ${family}`,
    ask({ columns, terms, response = 'z', weights }) {
      const own = response === 'z' ? { z: binary(Object.values(columns)[0].length) } : {};
      const weighs = weights && { q: jittered(weights).map((w) => eta(w) - intercept) };
      const all = { ...own, ...columns, ...weighs };
      const formula = `${response} ~ ${terms}${weights === undefined ? '' : ' + q'}`;
      const names = terms.split(' + ').filter((term) => term !== '1');
      const at = Object.fromEntries([
        ['(Intercept)', intercept],
        ...names.map((term) => [nameOf(term), 0]),
        ...(weights === undefined ? [] : [['q', 1]]),
      ]);
      return { columns: all, formula, choices: { fusion: { kind: 'glm', family, at } } };
    },
  };
}

/** Categories g and h have the levels no and yes. */
const nameOf = (term: string) => (['g', 'h'].includes(term) ? `${term}yes` : term);

const weighted: Way = {
  name: 'a column of weights',
  ask({ columns, terms, response = 'y', weights }) {
    const rows = Object.values(columns)[0].length;
    const y = { y: spread(rows) };
    const w = weights ?? fill(rows, 1);
    return {
      columns: { ...y, ...columns, w: [...w] },
      formula: `${response} ~ ${terms}`,
      choices: { weights: 'w' },
    };
  },
};

/** An id for each row, so that persons are known: no rule may look less closely for it. */
const withIds: Way = {
  name: 'ids',
  ask(site) {
    const { columns, formula, choices } = weighted.ask(site);
    const { w, ...rest } = columns;
    const pid = w.map((_, r) => 7000 + ((r * 37) % 1009));
    return site.weights === undefined
      ? { columns: { pid, ...rest }, formula, choices: {} }
      : { columns: { pid, ...columns }, formula, choices };
  },
};

const ways: readonly Way[] = [
  weighted,
  withIds,
  newton('poisson', -5, Math.log),
  // p(1 − p) is a hundredth of the weight.
  newton('binomial', 0, (weight) => {
    const p = (1 - Math.sqrt(1 - weight / 25)) / 2;
    return Math.log(p / (1 - p));
  }),
];

const plain = (rows: number): Site => ({ columns: { a: spread(rows, 1) }, terms: 'a' });
const wide = (count: number): Site => {
  const names = Array.from({ length: count - 1 }, (_, k) => `x${k}`);
  const columns = Object.fromEntries(names.map((name, k) => [name, spread(100, k + 1)]));
  return { columns, terms: names.join(' + ') };
};
/** So many rows have all of the weight that there is. */
const heavy = (count: number): Site => ({
  ...plain(40),
  weights: [...fill(count, 1), ...fill(40 - count, 1e-6)],
});
/** Five rows of 40 are yes; the first of them has this weight. */
const heavyLevel = (weight: number): Site => ({
  columns: { g: levels(35, 5) },
  terms: 'g',
  weights: [...fill(35, 1), weight, 1, 1, 1, 1],
});
/** Five rows are yes and yes; the first of them has this weight. */
const heavyCell = (weight: number): Site => ({
  columns: { g: levels(20, 25), h: [...levels(10, 10), ...levels(20, 5)] },
  terms: 'g + h',
  weights: [...fill(40, 1), weight, 1, 1, 1, 1],
});
/** Neither the weight nor the value of the first yes makes up half of the sum, but both together. */
const heavySum = (value: number): Site => ({
  columns: { g: levels(35, 5), c: [...spread(35, 2), value, 1.1, 1, 0.9, 1] },
  terms: 'c + g',
  weights: [...fill(35, 1), 2, 1, 1, 1, 1],
});
/** The logarithms of the weights are evenly spaced over this range, so no value stands out without them. */
const heavyRow = (range: number): Site => ({
  columns: { a: spread(40, 1) },
  terms: '1',
  weights: Array.from({ length: 40 }, (_, r) => Math.exp((-range * r) / 39)),
});
const common = (most: number): Site => ({ columns: { g: levels(most, 100 - most) }, terms: 'g' });
const whole = (rows: number): Site => ({ columns: { z: binary(rows) }, terms: '1', response: 'z' });

/** [rule, what, a site that just passes, one that does not, how]. */
type Case = readonly [RuleId, string, Site, Site, 'block' | 'warn'];
const cases: readonly Case[] = [
  ['R0', 'ten rows', plain(10), plain(9), 'block'],
  ['R0', 'the weight of ten rows', heavy(10), heavy(9), 'block'],
  ['R1', 'a third', wide(33), wide(34), 'block'],
  ['R2', 'freedom', plain(12), plain(11), 'block'],
  ['R3', 'a row with half of a level’s weight', heavyLevel(3.9), heavyLevel(4.1), 'block'],
  ['R4', 'a row with half of a cell’s weight', heavyCell(3.9), heavyCell(4.1), 'block'],
  ['R5', 'a row with half of a weighted sum', heavySum(1.99), heavySum(2.02), 'block'],
  ['R6', 'a row with half of the weight', heavyRow(2), heavyRow(30), 'block'],
  ['R7', 'nearly everyone', common(90), common(91), 'warn'],
  ['R8', 'whole numbers', whole(31), whole(30), 'block'],
];

const two = ['no', 'yes'];

/** Writes a table as a file. */
function csvOf({ rows, cells, codebook }: Table): string {
  const names = Object.keys(cells);
  const cell = (name: string, r: number) => {
    const column = codebook[name];
    return column.type === 'category' ? column.levels[cells[name][r]] : cells[name][r];
  };
  const lines = Array.from({ length: rows }, (_, r) => names.map((name) => cell(name, r)).join());
  const path = join(root, `${++files}.csv`);
  writeFileSync(path, `${[names.join(), ...lines].join('\n')}\n`);
  return path;
}

/** What `suffice audit` says of a file. */
async function auditOf(columns: Columns, formula: string, choices: Choices) {
  const named = Object.keys(columns).filter((name) => ['g', 'h'].includes(name));
  const drawn = tableOf(columns, Object.fromEntries(named.map((name) => [name, two])));
  const ids: Codebook = 'pid' in columns ? { pid: { type: 'id' } } : {};
  const table = { ...drawn, codebook: { ...drawn.codebook, ...ids } };
  const study = join(root, `${++files}.json`);
  writeFileSync(study, JSON.stringify(studyOf(table, formula, choices)));
  const home = join(root, `home-${files}`);
  const args = ['audit', study, csvOf(table), '--json', '--quiet', '--home', home];
  const { stdout, stderr } = await suffice(...args);
  if (!stdout.startsWith('{')) throw new Error(stderr);
  return JSON.parse(stdout);
}

// A round of the other family weighs rows by the same code; `npm run endure` has it.
describe.each(chosen(ways, 0, 1, 2))('with $name', ({ ask }) => {
  it.each(cases)('%s: %s', async (rule, _, passing, tripping, level) => {
    const outcome = async (site: Site) => {
      const { columns, formula, choices } = ask(site);
      return ruleOf(await auditOf(columns, formula, choices), rule).outcome;
    };
    expect(await outcome(passing)).toBe('pass');
    expect(await outcome(tripping)).toBe(level);
  });
});

describe('inside expressions', () => {
  /** y, a, b, and p and q of 0 and 1. */
  const site = (rows: number, more: Columns = {}): Columns => ({
    ...{ y: spread(rows), a: spread(rows, 1), b: spread(rows, 2) },
    ...more,
  });
  const rare = (count: number) => site(60, { p: levels(60 - count, count) });
  const crossed = (count: number) =>
    site(60, { p: levels(30, 30), q: [...levels(15, 15), ...levels(30 - count, count)] });
  /** Of 30 rows in a product with a comparison, one has this b. */
  const outlying = (value: number) => ({
    ...site(60, { p: levels(30, 30) }),
    b: [...fill(30, 1.5), ...Array.from({ length: 29 }, (_, r) => 1 + (r % 4) / 3), value],
  });

  type Asked = readonly [Columns, string];
  it.each<[RuleId, string, Asked, Asked, 'block' | 'warn']>([
    ['R0', 'rows', [site(10), 'y ~ I(a*b)'], [site(9), 'y ~ I(a*b)'], 'block'],
    [
      'R1',
      'columns',
      [site(10), 'y ~ I(a*b) + I(a + b)'],
      [site(10), 'y ~ I(a*b) + I(a + b) + a'],
      'block',
    ],
    ['R2', 'freedom', [site(12), 'y ~ I(a*b)'], [site(11), 'y ~ I(a*b)'], 'block'],
    [
      'R3',
      'a comparison',
      [rare(5), 'y ~ I(a + b*(p > 0.5))'],
      [rare(4), 'y ~ I(a + b*(p > 0.5))'],
      'block',
    ],
    [
      'R3',
      'a column of two values',
      [rare(5), 'y ~ I(a + b*p)'],
      [rare(4), 'y ~ I(a + b*p)'],
      'block',
    ],
    [
      'R4',
      'two comparisons',
      [crossed(5), 'y ~ I(a + (p > 0.5)*b + (q > 0.5)*b)'],
      [crossed(4), 'y ~ I(a + (p > 0.5)*b + (q > 0.5)*b)'],
      'block',
    ],
    [
      'R5',
      'a product',
      [crossed(5), 'y ~ I(a + b*p*q)'],
      [crossed(4), 'y ~ I(a + b*p*q)'],
      'block',
    ],
    [
      'R5',
      'a hidden part',
      [site(60), 'y ~ I(a + b/2^22)'],
      [site(60), 'y ~ I(a + b/2^26)'],
      'block',
    ],
    [
      'R6',
      'a part',
      [outlying(5), 'y ~ I(a*1000 + b*(p > 0.5))'],
      [outlying(60), 'y ~ I(a*1000 + b*(p > 0.5))'],
      'block',
    ],
    [
      'R7',
      'nearly everyone',
      [site(100, { p: levels(90, 10) }), 'y ~ I(p > 0.5)'],
      [site(100, { p: levels(91, 9) }), 'y ~ I(p > 0.5)'],
      'warn',
    ],
    [
      'R8',
      'whole numbers',
      [{ z: binary(31), p: binary(31) }, 'z ~ I(p + 2*z)'],
      [{ z: binary(30), p: binary(30) }, 'z ~ I(p + 2*z)'],
      'block',
    ],
  ])('%s: %s', async (rule, _, passing, tripping, level) => {
    expect(ruleOf(await auditOf(...passing, {}), rule).outcome).toBe('pass');
    expect(ruleOf(await auditOf(...tripping, {}), rule).outcome).toBe(level);
  });
});
