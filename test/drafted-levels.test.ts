import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/model/report.ts';
import { suffice, temporaryFolder } from './cli.ts';

const folder = temporaryFolder();
let files = 0;

/** A file of 60 rows with y = 1, 2.5, … and further columns. */
function csv(columns: Readonly<Record<string, (r: number) => string>>, y = response): string {
  const names = Object.keys(columns);
  const lines = Array.from({ length: 60 }, (_, r) =>
    [y(r), ...names.map((name) => columns[name]!(r))].join(';'),
  );
  const path = join(folder, `file-${++files}.csv`);
  writeFileSync(path, `${[['y', ...names].join(';'), ...lines].join('\n')}\n`);
  return path;
}

const response = (r: number) => (1 + ((r * 37) % 41) * 1.5).toFixed(1);
const group = (r: number) => ['a', 'b', 'c'][(r * 7) % 3]!;
const isOld = (r: number) => (r * 5) % 7 < 3;
const person = (r: number) => `Anna Muster${r}`;

const termsIn = (stdout: string) => (JSON.parse(stdout) as Report).terms!;
const namesIn = (stdout: string) => termsIn(stdout).map(({ term }) => term);

describe('a text that differs in nearly every row is a level only if a person says so', () => {
  const path = csv({ group, person, code: (r) => String(r * 17).padStart(5, '0') });

  it('fit refuses it, takes it in factor(), and leaves it out of "."', async () => {
    const named = await suffice('fit', 'y ~ person', path, '--json');
    expect([named.code, named.stdout]).toEqual([3, '']);
    expect(named.stderr).toContain('60 different texts in 60 rows');
    expect(named.stderr).toContain('write factor(person)');
    expect(named.stderr).not.toContain('Anna');
    const dot = await suffice('fit', 'y ~ .', path, '--json');
    expect(namesIn(dot.stdout)).toEqual(['(Intercept)', 'groupb', 'groupc']);
    expect(dot.stderr).toContain('person (60 different texts), code (60 different texts)');
    const many = csv({ level: (r) => `level ${r % 7}` });
    const seven = await suffice('fit', 'y ~ level', many, '--json');
    expect(seven.stderr).toContain('7 different texts in 60 rows');
    const factor = await suffice('fit', 'y ~ factor(level)', many, '--json');
    expect(termsIn(factor.stdout)).toHaveLength(7);
    expect((await suffice('fit', 'y ~ level', csv({ level: (r) => `l${r % 6}` }))).code).toBe(0);
  });

  it('study init writes nothing of it; with factor() it warns, and so do check and create', async () => {
    const out = join(folder, 'study.json');
    const refused = await suffice('study', 'init', 'y ~ person', path, '--out', out);
    expect([refused.code, existsSync(out)]).toEqual([3, false]);
    const drafted = await suffice('study', 'init', 'y ~ factor(person)', path, '--out', out);
    const words = (text: string) => text.replaceAll(/\s+/g, ' ');
    expect(words(drafted.stdout)).toContain(
      'fewer than 3 rows of your file have each of its 60 levels',
    );
    const warning = 'person: its levels look like names of persons. Every level is published';
    const checked = await suffice('study', 'check', out);
    expect(words(checked.stdout)).toContain(warning);
    const plan = ['--coordinator', 'http://localhost:1', '--site', 'north', '--dry-run'];
    const created = await suffice('study', 'create', out, ...plan);
    expect([created.code, created.stderr]).toEqual([0, expect.stringContaining(warning)]);
    const dot = await suffice('study', 'init', 'y ~ .', path, '--out', out, '--force');
    expect(dot.stdout).toContain('left out of "."');
    expect(readFileSync(out, 'utf8')).not.toMatch(/Anna|person|"code"/);
    expect((await suffice('study', 'check', out)).stdout).not.toContain('published');
  });

  it.each([
    ['dates', (r: number) => `2024-03-${10 + (r % 5)}`],
    ['measurements', (r: number) => `${r % 5},5`],
    ['ids', (r: number) => `P-10${r % 5}7`],
  ])('levels that look like %s are warned of', async (look, level) => {
    const out = join(folder, `${look}.json`);
    await suffice('study', 'init', 'y ~ factor(x)', csv({ x: level }), '--out', out);
    expect((await suffice('study', 'check', out)).stdout).toContain(
      `x: its levels look like ${look}`,
    );
  });
});

describe('one level has one spelling', () => {
  it('TRUE, true, True, 1 and BOOLEAN are one level', async () => {
    const written = (yes: string, no: string) => csv({ old: (r) => (isOld(r) ? yes : no) });
    const capitals = written('TRUE', 'FALSE');
    const parquet = join(folder, 'old.parquet');
    const rows = Array.from({ length: 60 }, (_, r) => r);
    writeFileSync(
      parquet,
      Buffer.from(
        parquetWriteBuffer({
          columnData: [
            { name: 'y', data: rows.map(response).map(Number), type: 'DOUBLE' },
            { name: 'old', data: rows.map(isOld), type: 'BOOLEAN' },
          ],
        }),
      ),
    );
    const twin = await suffice('fit', 'y ~ old', capitals, capitals, '--json');
    expect(namesIn(twin.stdout)).toEqual(['(Intercept)', 'oldTRUE']);
    for (const other of [
      written('true', 'false'),
      written('True', 'False'),
      written('1', '0'),
      parquet,
    ]) {
      const { stdout } = await suffice('fit', 'y ~ old', capitals, other, '--json');
      expect(termsIn(stdout)).toEqual(termsIn(twin.stdout));
    }
  });

  it('blanks around a level are no part of it; upper and lower case are told apart, with a note', async () => {
    const sex = (r: number) => ['F', ' F', 'F ', 'f', 'M'][r % 5]!;
    const { stdout, stderr } = await suffice('fit', 'y ~ sex', csv({ sex }), '--json');
    expect(namesIn(stdout)).toEqual(['(Intercept)', 'sexM', 'sexf']);
    expect(stderr).toContain('sex: levels that differ only in upper and lower case: F, f');
  });

  it('numbers as levels in two notations stay apart, with a note', async () => {
    const dose = (mark: string) => (r: number) => ['1', `1${mark}5`, `2${mark}5`][r % 3]!;
    const files = [csv({ dose: (r) => `"${dose(',')(r)}"` }), csv({ dose: dose('.') })];
    const { stdout, stderr } = await suffice('fit', 'y ~ factor(dose)', ...files, '--json');
    expect(namesIn(stdout)).toHaveLength(5);
    expect(stderr).toContain('levels that differ only in the decimal mark: 1,5; 1.5; 2,5; 2.5');
  });

  it('a stated decimal mark that the file does not show is noted', async () => {
    const commas = (r: number) => response(r).replace('.', ',');
    const costs = csv({ costs: (r) => `${1 + (r % 7)}.${100 + ((r * 31) % 800)}` }, commas);
    const costNotes = async (...flags: string[]) =>
      (await suffice('fit', 'y ~ costs', costs, '--json', ...flags)).stderr;
    expect(await costNotes('--decimal', '.')).toContain('its numbers are written with ","');
    expect(await costNotes('--decimal', ',')).toBe('');
    expect(await costNotes()).toBe('');
  });

  it('labels that are partly numbers are a category, with a note; numbers with words are refused', async () => {
    const grade = (r: number) => ['K', '1', '2', '3'][r % 4]!;
    const { stdout, stderr } = await suffice('fit', 'y ~ grade', csv({ grade }), '--json');
    expect(namesIn(stdout)).toEqual(['(Intercept)', 'grade2', 'grade3', 'gradeK']);
    expect(stderr).toContain('all 4 are read as levels');
    const weight = (r: number) => (r % 6 === 0 ? 'heavy' : String(50 + r));
    const mixed = await suffice('fit', 'y ~ weight', csv({ weight }), '--json');
    expect([mixed.code, mixed.stdout]).toEqual([3, '']);
    expect(mixed.stderr).toContain('text in a column of numbers: 10 of 60 cells');
  });
});

describe('files of one fit may write their numbers differently', () => {
  const x = (r: number) => (((r * 13) % 59) / 4).toFixed(2);

  it('with another decimal mark, but not with another unit', async () => {
    const comma = (text: string) => text.replace('.', ',');
    const plain = csv({ x });
    const german = csv({ x: (r) => comma(x(r)) }, (r) => comma(response(r)));
    const twin = await suffice('fit', 'y ~ x', plain, plain, '--json');
    for (const flags of [[], ['--decimal', ','], ['--decimal', '.']]) {
      const { stdout } = await suffice('fit', 'y ~ x', plain, german, '--json', ...flags);
      expect(termsIn(stdout)).toEqual(termsIn(twin.stdout));
    }
    const percent = csv({ x: (r) => `${x(r)}%` });
    const mixed = await suffice('fit', 'y ~ x', plain, percent, '--json');
    expect([mixed.code, mixed.stdout]).toEqual([3, '']);
    expect(mixed.stderr).toContain(`60 bare numbers (${plain}), 60 with % (${percent})`);
  });

  it('dates are R’s days, whatever their order', async () => {
    const day = (r: number) => new Date(Date.UTC(2024, 0, 1 + ((r * 7) % 59)));
    const days = csv({ day: (r) => String(day(r).getTime() / 86_400_000) });
    const iso = csv({ day: (r) => day(r).toISOString().slice(0, 10) });
    const dots = csv({
      day: (r) => day(r).toISOString().slice(0, 10).split('-').reverse().join('.'),
    });
    const twin = await suffice('fit', 'y ~ day', days, days, '--json');
    const { stdout, stderr } = await suffice('fit', 'y ~ day', iso, dots, '--json');
    expect(termsIn(stdout)).toEqual(termsIn(twin.stdout));
    expect(stderr).toContain('day: dates are read as numbers, in days since 1970-01-01');
  });
});
