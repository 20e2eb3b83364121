import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fitByChance, matchingRows } from '../src/attack/chance-fit.ts';
import { attackText } from '../src/cli/attack-text.ts';
import { type Attacked, type AttackRequest, attackFile } from '../src/node/run/attack.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { nearNames } from '../src/study/near-names.ts';
import { plainInk } from '../src/text/text-table.ts';
import { temporaryFolder } from './cli.ts';

const watch = { reading: () => silentProgress, patterns: () => {} };

/** The attack on a table given as lines, and its text on one line. */
async function attacked(
  lines: readonly (readonly (string | number)[])[],
  asked: Partial<AttackRequest> = {},
): Promise<{ readonly found: Attacked; readonly text: string }> {
  const path = join(temporaryFolder(), 'own.csv');
  writeFileSync(path, lines.map((line) => line.join()).join('\n'));
  const found = await attackFile({ decimal: '.', missingMarkers: [], path, ...asked }, watch);
  return { found, text: attackText('own.csv', found, plainInk).replaceAll(/\s+/g, ' ') };
}

const bits = (rows: number, columns: number, seed: number) => {
  const words = seededWords(seed);
  return Array.from({ length: rows }, () => Array.from({ length: columns }, () => words() >>> 31));
};

/** Two numbers, a category and a column of two values; one value and one name beside them. */
const patients = (rows: number) => {
  const words = seededWords(7);
  const body = Array.from({ length: rows }, (_, r) => [
    'cat',
    `p${r}`,
    20 + (words() % 6000) / 100,
    15 + (words() % 1500) / 100,
    r % 3 === 0 ? 'f' : 'm',
    r % 2,
  ]);
  return [['species', 'patient', 'age', 'bmi', 'sex', 'ill'], ...body];
};

describe('what an attack says of rows', () => {
  it('calls one of several solutions a guess, beside what chance fits, and names no rule that lets it pass', async () => {
    const { found, text } = await attacked([['a', 'b', 'c', 'd'], ...bits(60, 4, 1)]);
    const { recovery, audit } = found;
    expect(recovery).toMatchObject({ found: 60, unique: false, byChance: expect.any(Number) });
    expect(audit.outcome).toBe('pass');
    const chance = Math.round(recovery.byChance!);
    expect(text).toContain(
      `a guess that fits ${recovery.inFile} of 60 rows, where chance alone would fit about ${chance}.`,
    );
    expect(text).toContain('No rule stops this here.');
    expect(text).not.toMatch(/outright|Rules? R\d+(, R\d+)* stops? this/);
  });

  it('says how many columns come with the rows, and which rules stop it', async () => {
    const { found, text } = await attacked(patients(7));
    expect(found.recovery).toMatchObject({ unique: true, inFile: 7 });
    expect(found.recovery).not.toHaveProperty('byChance');
    expect(text).toContain('7 rows put together over 2 of 4 columns');
    expect(text).toContain('2 of 4 columns of 7 of 7 rows outright');
    const blocked = found.audit.rules.flatMap(({ rule, outcome }) =>
      outcome === 'block' ? [rule] : [],
    );
    const named = blocked.filter((rule) => ['R0', 'R1', 'R2', 'R8'].includes(rule));
    expect(text).toContain(`Rules ${named.join(', ')} stop this here`);
  });

  it('names no rule where there is nothing to stop', async () => {
    const { found, text } = await attacked(patients(1500));
    expect(found.audit.outcome).toBe('pass');
    expect(text).toContain('the attack finds a table, and no single person.');
    expect(text).not.toMatch(/stops? this/);
  });

  it('compares two rows, as its figures do', async () => {
    const { text } = await attacked(patients(40));
    expect(text).toContain(
      'is shown the last beside another picks the right one in at most 55.3 of 100 cases; guessing is right in 50.',
    );
  });
});

describe('what chance fits', () => {
  it('is all of a table of one kind of row, and the overlap of frequencies otherwise', () => {
    const alike = ['1', '1', '1', '1'];
    expect(fitByChance([alike, alike], seededWords(1))).toBe(4);
    const half = Array.from({ length: 2000 }, (_, r) => String(r % 2));
    // Of two equal columns, independent ones agree in half of the rows.
    expect(fitByChance([half, half], seededWords(1)) / 2000).toBeCloseTo(0.5, 1);
    expect(matchingRows(['a', 'a', 'b'], ['a', 'b', 'b'])).toBe(2);
  });
});

describe('columns that an attack leaves out', () => {
  it('are named with the reason of each', async () => {
    const few = await attacked(patients(40));
    expect(few.found.leftOut).toEqual([
      { column: 'species', reason: 'only one value in this file' },
      { column: 'patient', reason: 'another text in most rows' },
    ]);
    expect(few.text).toContain(
      'left out: species (only one value in this file), patient (another text in most rows).',
    );
    const many = await attacked(patients(1500));
    expect(many.text).toContain('patient (another text in most rows)');
    const [header, ...rows] = patients(40);
    const odd = [header, ...rows.map((row, r) => (r === 9 ? row.with(2, 'Samarkand') : row))];
    const { text } = await attacked(odd);
    expect(text).toContain('age (text in a column of numbers)');
    expect(text).not.toContain('Samarkand');
  });

  it('cannot be misspelt ones: near names are offered', async () => {
    await expect(attacked(patients(20), { columns: ['age', 'sxe'] })).rejects.toMatchObject({
      problem: 'no column "sxe" in the file',
      remedy: 'did you mean sex?',
    });
    await expect(attacked(patients(20), { columns: ['weight'] })).rejects.toMatchObject({
      remedy: 'there are species, patient, age, bmi, sex, ill',
    });
    expect(nearNames('sxe', ['sex', 'six', 'age'])).toEqual(['sex']);
    expect(nearNames('abc', ['cab', 'xyz'])).toEqual([]);
  });
});

describe('a distance that is rounding', () => {
  it('tells nothing where every row lies in what the statistic spans', async () => {
    const same = [5, 6, 7, 8];
    const { found, text } = await attacked([
      ['a', 'b', 'c', 'd', 'e', 'f'],
      [0, 0, ...same],
      [1, 0, ...same],
      [0, 1, ...same],
      [0, 0, ...same],
    ]);
    expect(found.membership).toMatchObject({
      by: 'distance',
      auc: 0.5,
      farthestMember: 0,
      nearestOther: 0,
    });
    expect(text).toContain(
      'within rounding of what the statistic spans: the attack cannot distinguish them.',
    );
    expect(text).not.toContain('who is in it');
  });
});
