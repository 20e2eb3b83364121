import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/model/report.ts';
import type { Study } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';

const root = temporaryFolder();
const home = join(root, 'home');

const study: Study = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + g',
  codebook: {
    y: { type: 'number', range: [-100, 100] },
    x: { type: 'number', range: [0, 50] },
    g: { type: 'category', levels: ['a', 'b'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};
const studyPath = join(root, 'study.json');
writeFileSync(studyPath, JSON.stringify(study));

const rowsOf = (seed: number) =>
  Array.from(
    { length: 30 },
    (_, r) => `${(r * 3 + seed) % 50},${r % 2 === 0 ? 'a' : 'b'},${((r * seed) % 17) - 8}`,
  );

function table(name: string, rows: readonly string[]): string {
  const path = join(mkdtempSync(join(root, 'rows-')), `${name}.csv`);
  writeFileSync(path, `${['x,g,y', ...rows].join('\n')}\n`);
  return path;
}

let outs = 0;

/** Writes a contribution; gives its path. */
function contributed(rows: readonly string[], ...flags: readonly string[]): string {
  const out = join(root, `${++outs}.suffice`);
  const args = [studyPath, table('north', rows), '--out', out, '--home', home, ...flags];
  const { code, stderr } = suffice('contribute', ...args);
  expect([code, stderr]).toEqual([0, '']);
  return out;
}

function combined(...files: readonly string[]): Report {
  const { code, stdout, stderr } = suffice('combine', studyPath, ...files, '--json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('suffice contribute', () => {
  it('writes a file once, enters it in the ledger, and does not overwrite it', () => {
    const out = contributed(rowsOf(1), '--site', 'once');
    const bytes = readFileSync(out);
    const args = ['contribute', studyPath, table('north', rowsOf(2)), '--home', home];
    const again = suffice(...args, '--out', out);
    expect(again.code).toBe(2);
    expect(readFileSync(out)).toEqual(bytes);
    const ledger = readFileSync(join(home, 'ledger.jsonl'), 'utf8').trim().split('\n');
    expect(JSON.parse(ledger.at(-1)!)).toMatchObject({ site: 'once', rows: 30, to: out });
    expect(suffice(...args, '--out', out, '--force').code).toBe(0);
    expect(readFileSync(out)).not.toEqual(bytes);
  });

  it('writes nothing in a dry run, for a file that does not match, or for no place to write', () => {
    const elsewhere = join(root, 'untouched');
    const out = join(root, 'nothing.suffice');
    const good = table('north', rowsOf(1));
    const bad = table('north', ['777,Zaphod,1']);
    const args = ['--home', elsewhere, '--out', out];
    const dry = suffice('contribute', studyPath, good, ...args, '--dry-run', '--json');
    expect(dry.code).toBe(0);
    expect(JSON.parse(dry.stdout)).toMatchObject({ site: 'north', rows: 30, numbers: 10 });
    const refused = suffice('contribute', studyPath, bad, ...args);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('column "x"');
    expect(refused.stderr).toContain('column "g"');
    for (const secret of ['777', 'Zaphod']) {
      expect(refused.stdout + refused.stderr).not.toContain(secret);
    }
    expect(suffice('contribute', studyPath, good, '--home', elsewhere).code).toBe(2);
    expect(existsSync(out)).toBe(false);
    expect(existsSync(join(elsewhere, 'ledger.jsonl'))).toBe(false);
  });

  it('records nothing where nothing could be written', () => {
    const before = readFileSync(join(home, 'ledger.jsonl'), 'utf8');
    for (const out of [join(root, 'no-such-folder', 'x.suffice'), root]) {
      const args = [studyPath, table('north', rowsOf(5)), '--out', out, '--force', '--home', home];
      expect(suffice('contribute', ...args).code).toBe(2);
    }
    expect(readFileSync(join(home, 'ledger.jsonl'), 'utf8')).toBe(before);
  });

  it('writes nothing that the audit refuses', () => {
    const strict = join(root, 'strict.json');
    writeFileSync(strict, JSON.stringify({ ...study, disclosure: { profile: 'default' } }));
    const few = table('north', rowsOf(1).slice(0, 4));
    const out = join(root, 'few.suffice');
    const before = readFileSync(join(home, 'ledger.jsonl'), 'utf8');
    const refused = suffice('contribute', strict, few, '--out', out, '--home', home);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('R0')]);
    expect(existsSync(out)).toBe(false);
    expect(readFileSync(join(home, 'ledger.jsonl'), 'utf8')).toBe(before);
    const many = table('north', [...rowsOf(1), ...rowsOf(2)]);
    const plenty = suffice('contribute', strict, many, '--dry-run', '--home', home);
    expect([plenty.code, plenty.stdout]).toEqual([0, expect.stringContaining('R0   pass')]);
  });

  it('shows and writes the same on one thread and on several', () => {
    const rows = Array.from({ length: 600_000 }, (_, r) => {
      const x = ((r * 7919) % 50_000) / 1000;
      return `${x.toFixed(3)},${r % 3 === 0 ? 'b' : r % 1000 === 1 ? 'NA' : 'a'},${(x - (r % 9)).toFixed(4)}`;
    });
    const path = table('north', rows); // over 8 MB, which is cut into parts
    const [one, several] = ['1', '3'].map((threads) => {
      const flags = ['--dry-run', '--home', home, '--threads', threads];
      const { code, stdout, stderr } = suffice('contribute', studyPath, path, ...flags);
      expect([code, stderr]).toEqual([0, '']);
      return stdout;
    });
    expect(several).toBe(one);
    expect(one).toContain('600,000 rows');
  });

  it('names the key of a study that is wrong', () => {
    const path = join(root, 'wrong.json');
    writeFileSync(path, JSON.stringify({ ...study, arithmetic: 'roughly' }));
    const { code, stderr } = suffice('contribute', path, table('north', rowsOf(1)), '--dry-run');
    expect(code).toBe(3);
    expect(stderr).toContain('arithmetic');
  });
});

describe('suffice combine', () => {
  it('gives the report of a fit over the same rows', () => {
    const codebook = join(root, 'codebook.json');
    writeFileSync(codebook, JSON.stringify(study.codebook));
    const sites = [1, 2, 3].map((seed) => contributed(rowsOf(seed), '--site', `site-${seed}`));
    const pooled = table('pooled', [1, 2, 3].flatMap(rowsOf));
    const flags = ['--codebook', codebook, '--grid', '44', '--json'];
    const { stdout } = suffice('fit', study.formula, pooled, ...flags);
    // A fit drafts a study of its own, so that only the digest differs.
    const { sites: _, digest: __, ...fitted }: Report = JSON.parse(stdout);
    // Rows this regular look wrong beside each other; pooled, there is nothing beside them.
    const { sites: lines, digest, flags: ___, ...rest } = combined(...sites);
    expect(rest).toEqual(fitted);
    expect(lines.map(({ name, n }) => [name, n])).toEqual([
      ['site-1', 30],
      ['site-2', 30],
      ['site-3', 30],
    ]);
    expect(digest).toMatch(/^sha256:/);
    expect(combined(...sites.toReversed()).digest).toBe(digest);
  });

  it('adds and replaces by number', () => {
    const [one, two, three] = [
      contributed(rowsOf(1)),
      contributed(rowsOf(2), '--sequence', '2', '--mode', 'replace'),
      contributed(rowsOf(3), '--sequence', '3'),
    ];
    const pooled = contributed([...rowsOf(2), ...rowsOf(3)]);
    expect(combined(three, one, two).digest).toBe(combined(pooled).digest);
    expect(combined(three, one, two).sites).toEqual([{ name: 'north', n: 60, dropped: 0 }]);
  });

  it('refuses two files of one site with one number', () => {
    const files = [contributed(rowsOf(1)), contributed(rowsOf(2))];
    const { code, stderr, stdout } = suffice('combine', studyPath, ...files);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('second file of north');
  });

  it('tells of files nobody signed, or refuses them', () => {
    const file = contributed(rowsOf(1), '--unsigned');
    const told = suffice('combine', studyPath, file, '--json');
    expect(told.code).toBe(0);
    expect(told.stderr).toContain('nobody signed');
    expect(suffice('combine', studyPath, file, '--require-signatures').code).toBe(3);
    expect(combined(contributed(rowsOf(1))).digest).toBe(JSON.parse(told.stdout).digest);
  });

  it('refuses a file that was changed, cut, or made for another study', () => {
    const file = contributed(rowsOf(1));
    const bytes = readFileSync(file);
    const altered = join(root, 'altered.suffice');
    const at = bytes.indexOf('"dropped":"0"') + '"dropped":"'.length;
    const changed = Buffer.from(bytes);
    changed.write('1', at);
    writeFileSync(altered, changed);
    expect(suffice('combine', studyPath, altered).stderr).toContain('signature does not fit');
    writeFileSync(altered, bytes.subarray(0, -8));
    expect(suffice('combine', studyPath, altered).code).toBe(3);
    const other = join(root, 'other.json');
    writeFileSync(other, JSON.stringify({ ...study, formula: 'y ~ x' }));
    const { code, stderr } = suffice('combine', other, file);
    expect(code).toBe(3);
    expect(stderr).toContain('another study');
  });

  it('refuses files of one site under different keys', () => {
    const one = contributed(rowsOf(1));
    const two = contributed(rowsOf(2), '--sequence', '2', '--home', join(root, 'stranger'));
    const { code, stderr } = suffice('combine', studyPath, one, two);
    expect(code).toBe(3);
    expect(stderr).toContain('different keys');
  });
});
