import { describe, expect, it } from 'vitest';
import { audit } from '../src/disclosure/audit.ts';
import type { History } from '../src/disclosure/history.ts';
import type { Audit, RuleId } from '../src/disclosure/rule.ts';
import type { Charge } from '../src/privacy/charge.ts';
import { audited, ruleOf, standardOf } from './audited.ts';
import { type Table, tableOf } from './tables.ts';

const two = ['no', 'yes'];
const three = ['i', 'ii', 'iii'];

/** Numbers with fractions, all different, without an outlier; `phase` makes another column of them. */
function spread(rows: number, phase = 0): number[] {
  const step = Math.sqrt([2, 3, 5, 7, 11, 13][phase % 6]) + 0.0137 * Math.floor(phase / 6);
  return Array.from({ length: rows }, (_, r) => 1.25 + ((r * step) % 1));
}

/** As many rows of each level as said, from level 0. */
function levels(...counts: number[]): number[] {
  return counts.flatMap((count, level) => Array<number>(count).fill(level));
}

/** y, a and the given columns; those with names of levels are categories. */
function site(
  columns: Readonly<Record<string, number[]>>,
  named: Readonly<Record<string, string[]>> = {},
): Table {
  const rows = Object.values(columns)[0].length;
  return tableOf({ y: spread(rows), a: spread(rows, 1), ...columns }, named);
}

const plain = (rows: number) => site({ y: spread(rows) });

/** A table of so many number columns, y among them, and a formula over all. */
function wide(rows: number, columns: number): [Table, string] {
  const names = Array.from({ length: columns - 1 }, (_, k) => `x${k}`);
  const cells = names.map((name, k) => [name, spread(rows, k + 1)]);
  return [tableOf({ y: spread(rows), ...Object.fromEntries(cells) }), `y ~ ${names.join(' + ')}`];
}

/** g and h of three levels each; `count` rows have both at their first level. */
function crossed(count: number): Table {
  const cells = [count, 10, 10, 10, 10, 10, 10, 10, 10];
  const of = (level: (cell: number) => number) =>
    cells.flatMap((rows, cell) => Array<number>(rows).fill(level(cell)));
  const columns = { g: of((cell) => cell % 3), h: of((cell) => Math.floor(cell / 3)) };
  return site(columns, { g: three, h: three });
}

/** Five rows of 40 are `yes`; their c is as given, the others' c are spread. */
function dominated(...c: number[]): Table {
  return site({ g: levels(35, 5), c: [...spread(35, 2), ...c] }, { g: two });
}

/** x = −1.5, −0.5, 0.5, 1.5 and so on, and one value far out; from 6.7784 on it is half of the squares about some centre. */
function outlying(value: number): Table {
  return site({ x: [...Array.from({ length: 39 }, (_, r) => (r % 4) - 1.5), value] });
}

/** b is nearly a; one row is off the line by this much, and no value is an outlier. */
function offLine(step: number): Table {
  const a = spread(80, 1);
  const b = a.map((v, r) => v + 0.02 * Math.cos(r) + (r === 40 ? step : 0));
  return tableOf({ y: spread(80), a, b });
}

/** A column that is 0 in all rows but so many, of different sizes. */
const mostlyZero = (rows: number): Table =>
  tableOf({ y: spread(80), a: Array.from({ length: 80 }, (_, r) => (r < rows ? 1.5 + r / 8 : 0)) });

const history = (more: Partial<History>): History => ({
  differences: [],
  releasedColumns: 2,
  spentMu: 0,
  sameRound: false,
  otherSite: 'none',
  contributions: 0,
  adds: true,
  exactBefore: false,
  incomparable: 0,
  ...more,
});
const differing = (rows: number) => history({ differences: [{ at: '2026-01-01', rows }] });
const releasing = (releasedColumns: number) => ({ ...differing(0), releasedColumns });

/** Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2) = 1e-5 at ε = 10: scipy 1.10, brentq. */
const MU_OF_10 = 2.0004456204306322;
const chargeOf = (mu: number, more: Partial<Charge> = {}): Charge => ({
  ...{ mu, promise: 'p', round: 0, place: 'c', placement: 'central', unit: 'row', releases: 1 },
  ...more,
});
const spending = (mu: number, more: Partial<History> = {}, how: Partial<Charge> = {}) =>
  audit({ charge: chargeOf(mu, how), history: history(more) }, standardOf());

/** [rule, what, a table that just passes, one that does not, how]. */
type Case = [RuleId, string, () => Audit, () => Audit, 'block' | 'warn'];

const cases: readonly Case[] = [
  ['R0', 'ten rows', () => audited(plain(10), 'y ~ a'), () => audited(plain(9), 'y ~ a'), 'block'],
  ['R1', 'a third', () => audited(...wide(100, 33)), () => audited(...wide(100, 34)), 'block'],
  ['R2', 'freedom', () => audited(plain(12), 'y ~ a'), () => audited(plain(11), 'y ~ a'), 'block'],
  [
    'R2',
    'a column that follows from another',
    () => audited(site({ b: spread(60, 2) }), 'y ~ a + b'),
    () => audited(site({ b: spread(60, 1).map((v) => 3 - 2 * v) }), 'y ~ a + b'),
    'warn',
  ],
  ...(
    [
      ['an indicated level', (n: number) => levels(40, n), two],
      ['a baseline of two', (n: number) => levels(n, 40), two],
      ['a level of three', (n: number) => levels(20, 20, n), three],
      ['the baseline of three', (n: number) => levels(n, 20, 20), three],
      ['one of two numbers', (n: number) => levels(0, 40, n), undefined],
    ] as const
  ).map(([what, g, names]): Case => {
    const table = (n: number) => site({ g: g(n) }, names === undefined ? {} : { g: [...names] });
    return [
      'R3',
      what,
      () => audited(table(5), 'y ~ g'),
      () => audited(table(4), 'y ~ g'),
      'block',
    ];
  }),
  [
    'R3',
    'a response of two values',
    () => audited(site({ z: levels(40, 5) }), 'z ~ a'),
    () => audited(site({ z: levels(40, 4) }), 'z ~ a'),
    'block',
  ],
  [
    'R4',
    'the cell of two baselines',
    () => audited(crossed(5), 'y ~ g + h'),
    () => audited(crossed(4), 'y ~ g + h'),
    'block',
  ],
  [
    'R4',
    'a cell of two numbers',
    () =>
      audited(site({ g: levels(20, 20), h: [...levels(10, 10), ...levels(15, 5)] }), 'y ~ g + h'),
    () =>
      audited(site({ g: levels(20, 20), h: [...levels(10, 10), ...levels(16, 4)] }), 'y ~ g + h'),
    'block',
  ],
  [
    'R5',
    'a group whose sums are told',
    () => audited(site({ g: levels(40, 5) }, { g: two }), 'y ~ a + g'),
    () => audited(site({ g: levels(40, 4) }, { g: two }), 'y ~ a + g'),
    'block',
  ],
  [
    'R5',
    'half of a sum in one row',
    () => audited(dominated(4, 1, 1, 1, -1), 'y ~ c + g'),
    () => audited(dominated(4.01, 1, 1, 1, -1), 'y ~ c + g'),
    'warn',
  ],
  [
    'R5',
    'two thirds of a sum in two rows',
    () => audited(dominated(3.03, 3, 1, 1, -1), 'y ~ c + g'),
    () => audited(dominated(3.1, 3, 1, 1, -1), 'y ~ c + g'),
    'warn',
  ],
  [
    'R6',
    'half of the squares in one row',
    () => audited(outlying(6.77), 'y ~ x', undefined, { leverage: 0, wholeLeverage: 0 }),
    () => audited(outlying(6.79), 'y ~ x', undefined, { leverage: 0, wholeLeverage: 0 }),
    'block',
  ],
  [
    'R6',
    'leverage',
    () => audited(offLine(0.05), 'y ~ a + b'),
    () => audited(offLine(0.08), 'y ~ a + b'),
    'warn',
  ],
  [
    'R6',
    'leverage',
    () => audited(offLine(0.05), 'y ~ a + b'),
    () => audited(offLine(0.5), 'y ~ a + b'),
    'block',
  ],
  [
    'R7',
    'nearly everyone',
    () => audited(site({ g: levels(90, 10) }, { g: two }), 'y ~ g'),
    () => audited(site({ g: levels(91, 9) }, { g: two }), 'y ~ g'),
    'warn',
  ],
  [
    'R7',
    'a baseline of three',
    () => audited(site({ g: levels(90, 5, 5) }, { g: three }), 'y ~ g'),
    () => audited(site({ g: levels(91, 4, 5) }, { g: three }), 'y ~ g'),
    'warn',
  ],
  [
    'R7',
    'one level alone',
    () => audited(site({ g: levels(20, 20, 0) }, { g: three }), 'y ~ g'),
    () => audited(site({ g: levels(40, 0, 0) }, { g: three }), 'y ~ g'),
    'warn',
  ],
  [
    'R7',
    'a constant',
    () => audited(site({ b: levels(20, 20) }), 'y ~ a + b'),
    () => audited(site({ b: Array<number>(40).fill(7) }), 'y ~ a + b'),
    'warn',
  ],
  [
    'R8',
    'whole numbers',
    () => audited(site({ z: spread(31).map((v) => Math.floor(9 * v)) }), 'z ~ 1'),
    () => audited(site({ z: spread(30).map((v) => Math.floor(9 * v)) }), 'z ~ 1'),
    'block',
  ],
  [
    'R9',
    'a difference of rows',
    () => audited(plain(40), 'y ~ a', undefined, { history: differing(10) }),
    () => audited(plain(40), 'y ~ a', undefined, { history: differing(9) }),
    'block',
  ],
  [
    'R9',
    'releases that cannot be compared',
    () => audited(plain(40), 'y ~ a', undefined, { history: differing(0) }),
    () => audited(plain(40), 'y ~ a', undefined, { history: history({ incomparable: 1 }) }),
    'warn',
  ],
  [
    'R10',
    'columns over all releases',
    () => audited(plain(100), 'y ~ a', undefined, { history: releasing(33) }),
    () => audited(plain(100), 'y ~ a', undefined, { history: releasing(34) }),
    'block',
  ],
  [
    'R10',
    'record numbers',
    () => audited(site({ id: Array.from({ length: 100 }, (_, r) => 1 + (r % 94)) }), 'y ~ id'),
    () =>
      audited(site({ id: Array.from({ length: 100 }, (_, r) => 1 + ((7 * r) % 101)) }), 'y ~ id'),
    'block',
  ],
  [
    'R10',
    'whole numbers, one for each row',
    () => audited(site({ id: spread(100).map((v) => v * 1e6 + 0.5) }), 'y ~ id'),
    () => audited(site({ id: spread(100).map((v) => Math.floor(v * 1e6)) }), 'y ~ id'),
    'warn',
  ],
  [
    'R11',
    'the budget of all releases',
    () => spending(MU_OF_10 * 0.6, { spentMu: MU_OF_10 * 0.7999 }),
    () => spending(MU_OF_10 * 0.6, { spentMu: MU_OF_10 * 0.8001 }),
    'block',
  ],
  ['R11', 'exact before', () => spending(1), () => spending(1, { exactBefore: true }), 'warn'],
  [
    'R11',
    'a round asked twice',
    () => spending(0.1, { contributions: 1 }),
    () => spending(0.1, { sameRound: true }),
    'block',
  ],
  [
    'R11',
    'contributions with noise of their own',
    () => spending(0.1, { contributions: 1 }, { placement: 'local', releases: 2 }),
    () => spending(0.1, { contributions: 2 }, { placement: 'local', releases: 2 }),
    'block',
  ],
  [
    'R11',
    'contributions without noise of their own',
    () => spending(0.1, { contributions: 2 }, { placement: 'aggregators', releases: 2 }),
    () => spending(0.1, { contributions: 2 }, { placement: 'local', releases: 2 }),
    'block',
  ],
  [
    'R11',
    'more rows of people',
    () => spending(0.1, { contributions: 1, adds: false }, { unit: 'person' }),
    () => spending(0.1, { contributions: 1, adds: true }, { unit: 'person' }),
    'block',
  ],
  [
    'R11',
    'the same rows as two sites',
    () => spending(0.1, { otherSite: 'none' }),
    () => spending(0.1, { otherSite: 'most' }),
    'block',
  ],
  ['R11', 'rows added twice', () => spending(0.1), () => spending(0.1, { repeated: 2 }), 'warn'],
  [
    'R5',
    'numbers that are 0 but for a few',
    () => audited(mostlyZero(5), 'y ~ a'),
    () => audited(mostlyZero(4), 'y ~ a'),
    'block',
  ],
];

describe('every rule has a table that just passes and one that does not', () => {
  it.each(cases)('%s: %s', (rule, _, pass, trip, level) => {
    expect(ruleOf(pass(), rule)).toMatchObject({ outcome: 'pass', verdicts: [] });
    const tripped = trip();
    expect(ruleOf(tripped, rule).outcome).toBe(level);
    expect(tripped.outcome === 'refuse' || level === 'warn').toBe(true);
    for (const verdict of ruleOf(tripped, rule).verdicts) {
      expect(verdict.problem).not.toBe('');
      expect(verdict.remedy).not.toBe('');
    }
  });

  it('R9 cites days, each once, and no flag of a command', () => {
    const at = ['2026-01-01T12:34:56.789Z', '2026-01-01T13:00:00.000Z', '2026-02-03T00:00:00.000Z'];
    const differences = at.map((time) => ({ at: time, rows: 1 }));
    const cited = history({ differences, repeated: 3 });
    const { verdicts } = ruleOf(audited(plain(40), 'y ~ a', undefined, { history: cited }), 'R9');
    const [first, second, repeated] = verdicts;
    expect(verdicts).toHaveLength(3);
    expect(first.problem).toContain('a release of 2026-01-01 by fewer than 10 rows');
    expect(second.problem).toContain('a release of 2026-02-03 by');
    expect(repeated.remedy).toBe('leave them out, or replace all earlier contributions instead');
  });

  it('R10 leaves the columns of a first release to R1', () => {
    const first = audited(...wide(60, 34), undefined, {
      history: history({ releasedColumns: 34 }),
    });
    expect([ruleOf(first, 'R1').outcome, ruleOf(first, 'R10').outcome]).toEqual(['block', 'pass']);
  });

  it('and the cases cover them all', () => {
    expect(new Set(cases.map(([rule]) => rule)).size).toBe(12);
  });
});
