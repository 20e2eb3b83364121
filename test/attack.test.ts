import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auc } from '../src/attack/auc.ts';
import { binaryRows } from '../src/attack/binary-rows.ts';
import { differencingAttack, lonelyRow } from '../src/attack/differencing-attack.ts';
import { exposureOf } from '../src/attack/exposure.ts';
import { membershipAttack } from '../src/attack/membership-attack.ts';
import {
  cellColumns,
  modelColumns,
  pickRows,
  summaryOf,
  type Target,
} from '../src/attack/site-rows.ts';
import { smallCells } from '../src/attack/small-cells.ts';
import { bitCounts, twoValuedColumns } from '../src/attack/two-valued.ts';
import { attackText } from '../src/cli/attack-text.ts';
import { attackFile } from '../src/node/run/attack.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { normals } from '../src/random/normals.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { plainInk } from '../src/text/text-table.ts';
import { bitTable, targetOf } from './attack/target.ts';
import { temporaryFolder } from './cli.ts';
import { cases } from './endurance.ts';
import { type Table, tableOf } from './tables.ts';

const silent = () => {};

function randomBits(rows: number, columns: number, seed: number): number[][] {
  const words = seededWords(seed);
  const bit = () => words() >>> 31;
  return Array.from({ length: rows }, () => Array.from({ length: columns }, bit));
}

/** What the statistic of a table alone gives: its two-valued columns, and the rows put together from their counts. */
function seenIn(target: Target) {
  const { statistic } = summaryOf(target, target.block);
  const cells = cellColumns(target);
  const bits = twoValuedColumns(statistic, cells, target.codebook);
  const counts = bitCounts(statistic, bits);
  return { cells, bits, counts, found: binaryRows(counts) };
}

const sorted = (rows: readonly ArrayLike<number>[]) =>
  rows.map((row) => Array.from(row).join('')).sort();

describe('rows of bits from a plain statistic', () => {
  it.each([
    [1, 7],
    [2, 9],
    [5, 20],
    [10, 20],
    [15, 30],
    [18, 40],
  ])('are all recovered: %i rows of %i columns', (rows, columns) => {
    const bits = randomBits(rows, columns, 100 + rows);
    const target = targetOf(bitTable(bits), `q${columns} ~ .`);
    const { bits: seen, found } = seenIn(target);
    if ('hidden' in found) throw new Error(found.hidden);
    expect(found.unique).toBe(true);
    const names = seen.map(({ column }) => target.layout.columns[column]);
    expect(names.length).toBe(columns);
    const truth = bits.map((row) => names.map((name) => row[Number(name.slice(1)) - 1]));
    expect(sorted(found.rows.map((row) => row.subarray(1)))).toEqual(sorted(truth));
  });

  it('are right wherever the attack calls them the only ones', () => {
    const table = fc
      .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 14 }))
      .chain(([n, d]) =>
        fc.array(fc.array(fc.nat(1), { minLength: d, maxLength: d }), {
          minLength: n,
          maxLength: n,
        }),
      );
    let sure = 0;
    fc.assert(
      fc.property(table, (rows) => {
        const width = rows[0].length + 1;
        const counts = new Float64Array(width * width);
        for (const row of rows.map((bits) => [1, ...bits])) {
          row.forEach((a, i) => {
            row.forEach((b, j) => {
              counts[i * width + j] += a * b;
            });
          });
        }
        const found = binaryRows(counts);
        if ('hidden' in found || !found.unique) return;
        sure++;
        expect(sorted(found.rows.map((row) => row.subarray(1)))).toEqual(sorted(rows));
      }),
      { seed: 41, numRuns: cases(300) },
    );
    expect(sure).toBeGreaterThan(cases(300) / 2);
  });

  it('come through indicators of categories and any two numbers', () => {
    const words = seededWords(12);
    const rows = 9;
    const draw = (of: readonly number[]) =>
      Array.from({ length: rows }, () => of[words() % of.length]);
    const columns = Object.fromEntries([
      ...Array.from({ length: 8 }, (_, k) => [`g${k}`, draw([0, 1, 2, 3])]),
      ...Array.from({ length: 6 }, (_, k) => [`t${k}`, [3.5, 7.25, ...draw([3.5, 7.25]).slice(2)]]),
      ['age', Array.from({ length: rows }, () => 20 + (words() % 600) / 10)],
    ]);
    const levels = Object.fromEntries(
      Array.from({ length: 8 }, (_, k) => [`g${k}`, ['a', 'b', 'c', 'd']]),
    );
    const target = targetOf(tableOf(columns, levels), 'age ~ .');
    const { recovery } = exposureOf(target, seededWords(1), silent);
    expect(recovery).toMatchObject({ bits: 30, found: rows, inFile: rows, unique: true });
  });

  it('are not found among numbers, nor where too many rows fit, and the reason is told', () => {
    const words = seededWords(3);
    const numbers = Array.from({ length: 12 }, () => (words() % 1000) / 7);
    const plain = exposureOf(targetOf(tableOf({ y: numbers }), 'y ~ 1'), seededWords(1), silent);
    expect(plain.recovery).toMatchObject({
      bits: 0,
      found: 0,
      hidden: expect.stringMatching(/two values/),
    });
    const many = exposureOf(
      targetOf(bitTable(randomBits(400, 12, 6)), 'q1 ~ .'),
      seededWords(1),
      silent,
    );
    expect(many.recovery).toMatchObject({ found: 0, hidden: expect.stringMatching(/possible/) });
    const wide = exposureOf(
      targetOf(bitTable(randomBits(60, 40, 6)), 'q1 ~ .'),
      seededWords(1),
      silent,
    );
    expect(wide.recovery).toMatchObject({ found: 0, hidden: expect.stringMatching(/dimensions/) });
  });
});

/** Numbers, a category of four and one of two levels, and a column of two values. */
function mixedTable(rows: number, seed: number): Table {
  const words = seededWords(seed);
  const normal = normals(words);
  const numbers = () => Array.from({ length: rows }, () => Math.round(1e4 * normal()) / 100);
  const codes = (of: number) => Array.from({ length: rows }, (_, r) => (r < of ? r : words() % of));
  const columns = {
    y: numbers(),
    a: numbers(),
    b: numbers(),
    g: codes(4),
    h: codes(2),
    t: codes(2).map((code) => 1 + code),
  };
  return tableOf(columns, { g: ['i', 'ii', 'iii', 'iv'], h: ['no', 'yes'] });
}

describe('two-way tables read off a statistic', () => {
  it('have the small cells that counting rows gives', () => {
    for (const [rows, seed] of [
      [6, 1],
      [20, 2],
      [45, 3],
      [300, 4],
    ]) {
      const table = mixedTable(rows, seed);
      const target = targetOf(table, 'y ~ a + b + g + h + t');
      const { cells, bits, counts } = seenIn(target);
      const { pairs, ...read } = smallCells(counts, bits, cells);
      const sizes = (names: readonly string[]) => {
        const times = new Map<string, number>();
        for (let r = 0; r < rows; r++) {
          const key = names.map((name) => table.cells[name][r]).join();
          times.set(key, (times.get(key) ?? 0) + 1);
        }
        return [...times.values()];
      };
      const small = (names: readonly string[]) => sizes(names).filter((count) => count < 5).length;
      const truth = [
        ['g', 'h'],
        ['g', 't'],
        ['h', 't'],
      ].map((columns) => ({ columns, cells: small(columns) }));
      const alone = ['g', 'h', 't'].flatMap((name) => sizes([name])).filter((count) => count === 1);
      expect(read).toEqual({
        columns: 3,
        levels: ['g', 'h', 't'].reduce((sum, name) => sum + small([name]), 0),
        tables: 3,
        cells: truth.reduce((sum, pair) => sum + pair.cells, 0),
        alone: alone.length,
      });
      expect(pairs.length).toBe(truth.filter((pair) => pair.cells > 0).length);
      for (const pair of pairs) expect(truth).toContainEqual(pair);
    }
  });
});

describe('membership', () => {
  it('is certain where there are fewer rows than columns', () => {
    const words = seededWords(60);
    const normal = normals(words);
    const columns = Object.fromEntries(
      Array.from({ length: 100 }, (_, j) => [`x${j}`, Array.from({ length: 60 }, normal)]),
    );
    const attack = membershipAttack(targetOf(tableOf(columns), 'x0 ~ .'), seededWords(2));
    expect(attack).toMatchObject({ by: 'distance', members: 60, others: 1000, auc: 1 });
    expect(attack?.farthestMember).toBeLessThan(1e-9);
    expect(attack?.nearestOther).toBeGreaterThan(0.2);
  });

  it('is told by leverage where columns are many, and is a guess where they are few', () => {
    const normal = normals(seededWords(61));
    const made = (rows: number, width: number) =>
      targetOf(
        tableOf(
          Object.fromEntries(
            Array.from({ length: width }, (_, j) => [
              `x${j}`,
              Array.from({ length: rows }, normal),
            ]),
          ),
        ),
        'x0 ~ .',
      );
    const many = membershipAttack(made(800, 99), seededWords(2));
    expect(many).toMatchObject({ by: 'leverage', members: 400, others: 400 });
    expect(many?.auc).toBeGreaterThan(0.9);
    const few = membershipAttack(made(4000, 4), seededWords(2));
    expect(Math.abs(few!.auc - 0.5)).toBeLessThan(0.03);
  });

  it('of a single row needs no attack: the statistic is the row', () => {
    const target = targetOf(tableOf({ y: [3.25], a: [17] }), 'y ~ a');
    const { recovery, membership, differencing } = exposureOf(target, seededWords(1), silent);
    expect(recovery).toMatchObject({ found: 1, inFile: 1, standingOut: 1 });
    expect(membership).toBeUndefined();
    expect(differencing).toMatchObject({ rows: [0], cellsPerRow: 2, exact: 2 });
  });

  it('is scored by the chance that a member comes first', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(scores, scores, (members, others) => {
        const wins = members.flatMap((a) => others.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
        const share = wins.reduce<number>((sum, win) => sum + win, 0) / wins.length;
        expect(auc(members, others)).toBeCloseTo(share, 12);
      }),
    );
  });
});

describe('the difference of two statistics', () => {
  it('is the row that one of them lacks, in every cell', () => {
    for (const seed of [7, 8]) {
      const target = targetOf(mixedTable(150, seed), 'y ~ a + b + g + h + t');
      expect(differencingAttack(target, seededWords(seed))).toMatchObject({
        rows: expect.objectContaining({ length: 5 }),
        cellsPerRow: 6,
        exact: 30,
      });
    }
  });

  it('is recovered by its first line alone, to the last step of the grid', () => {
    const target = targetOf(mixedTable(20, 9), 'y ~ a + b + g + h + t');
    const one = pickRows(target.block, [11]);
    const row = lonelyRow(summaryOf(target, one).statistic)!;
    modelColumns(target, one).forEach(([value], i) => {
      const step = target.layout.references[i].scale * 2 ** -44;
      expect(Math.abs(row[i] - value)).toBeLessThanOrEqual(step);
    });
    expect(lonelyRow(summaryOf(target, pickRows(target.block, [1, 2])).statistic)).toBeUndefined();
  });
});

describe('suffice attack', () => {
  const watch = { reading: () => silentProgress, patterns: () => {} };
  const choices = { decimal: '.', missingMarkers: [] } as const;

  it('puts 18 rows of 40 bits together, and says which rules refuse them', async () => {
    const path = fileURLToPath(new URL('./attack/binary-18x40.csv', import.meta.url));
    const attacked = await attackFile({ ...choices, path }, watch);
    expect(attacked.recovery).toMatchObject({
      found: 18,
      inFile: 18,
      standingOut: 18,
      unique: true,
    });
    expect(attacked.differencing).toMatchObject({ cellsPerRow: 40, exact: 200 });
    expect(attacked.membership).toMatchObject({ by: 'distance', auc: 1 });
    expect(attacked.audit.outcome).toBe('refuse');
    const blocked = attacked.audit.rules.filter(({ outcome }) => outcome === 'block');
    expect(blocked.map(({ rule }) => rule)).toEqual(['R1', 'R2', 'R3', 'R4', 'R6', 'R8']);
    const text = attackText(path, attacked, plainInk);
    expect(text).toMatch(/18 of your\s+18 are among them/);
    expect(text).toMatch(/Do not send\s+it in plain/);
  });

  it('tells counts, columns and row numbers, and no cell', async () => {
    const words = seededWords(90);
    const cell = () => (1e5 + (words() % 9e5)) / 8;
    const lines = Array.from({ length: 40 }, (_, r) => {
      const place = r === 7 ? 'Samarkand' : r % 2 === 0 ? 'Valparaiso' : 'Nagasaki';
      return [`person-${r}xyz`, cell(), cell(), place, r === 3 ? '' : cell()];
    });
    const path = join(temporaryFolder(), 'cells.csv');
    writeFileSync(path, ['id,a,b,place,c', ...lines.map((line) => line.join())].join('\n'));
    const attacked = await attackFile({ ...choices, path }, watch);
    expect(attacked).toMatchObject({
      rows: 39,
      dropped: 1,
      leftOut: [{ column: 'id' }],
      formula: 'c ~ .',
    });
    expect(attacked.smallCells).toMatchObject({ columns: 1, alone: 1, levels: 1 });
    const said = JSON.stringify(attacked) + attackText('cells.csv', attacked, plainInk);
    for (const text of lines.flat().map(String)) {
      if (text !== '') expect(said).not.toContain(text);
    }
    const named = await attackFile({ ...choices, path, columns: ['a', 'place'] }, watch);
    expect(named).toMatchObject({ rows: 40, formula: 'a ~ .', leftOut: [] });
    const asked = await attackFile({ ...choices, path, formula: 'log(a) ~ b' }, watch);
    expect(asked).toMatchObject({ columns: 3, formula: 'log(a) ~ b' });
  });
});
