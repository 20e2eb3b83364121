import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/model/report.ts';
import type { TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { runBuiltSuffice } from './site-process.ts';

const root = temporaryFolder();
const home = join(root, 'home');

const study: TableStudy = {
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
/** The study has no disclosure rules. */
const rulesOff = ['--acknowledge', 'none'];
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
async function contributed(rows: readonly string[], ...flags: readonly string[]): Promise<string> {
  const out = join(root, `${++outs}.suffice`);
  const args = [studyPath, table('north', rows), '--out', out, '--home', home, ...flags];
  const { code, stderr } = await suffice('contribute', ...args, ...rulesOff);
  expect([code, stderr]).toEqual([0, '']);
  return out;
}

async function combined(...files: readonly string[]): Promise<Report> {
  const { code, stdout, stderr } = await suffice('combine', studyPath, ...files, '--json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('suffice contribute', () => {
  it('writes a file once, enters it in the ledger, and does not overwrite it', async () => {
    const out = await contributed(rowsOf(1), '--site', 'once');
    const bytes = readFileSync(out);
    const args = ['contribute', studyPath, table('north', rowsOf(2)), '--home', home, ...rulesOff];
    const again = await suffice(...args, '--out', out);
    expect(again.code).toBe(2);
    expect(readFileSync(out)).toEqual(bytes);
    const ledger = readFileSync(join(home, 'ledger.jsonl'), 'utf8').trim().split('\n');
    expect(JSON.parse(ledger.at(-1)!)).toMatchObject({ site: 'once', rows: 30, to: out });
    expect((await suffice(...args, '--out', out, '--force')).code).toBe(0);
    expect(readFileSync(out)).not.toEqual(bytes);
  });

  it('writes nothing in a dry run, for a file that does not match, or for no place to write', async () => {
    const elsewhere = join(root, 'untouched');
    const out = join(root, 'nothing.suffice');
    const good = table('north', rowsOf(1));
    const bad = table('north', ['777,Zaphod,1']);
    const args = ['--home', elsewhere, '--out', out];
    const dry = await suffice('contribute', studyPath, good, ...args, '--dry-run', '--json');
    expect(dry.code).toBe(0);
    expect(JSON.parse(dry.stdout)).toMatchObject({ site: 'north', rows: 30, numbers: 10 });
    const refused = await suffice('contribute', studyPath, bad, ...args);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('column "x"');
    expect(refused.stderr).toContain('column "g"');
    for (const secret of ['777', 'Zaphod']) {
      expect(refused.stderr).not.toContain(secret);
      expect(refused.stdout.split('What does not fit')[0]).not.toContain(secret);
    }
    expect((await suffice('contribute', studyPath, good, '--home', elsewhere)).code).toBe(2);
    expect(existsSync(out)).toBe(false);
    expect(existsSync(join(elsewhere, 'ledger.jsonl'))).toBe(false);
  });

  it('records nothing where nothing could be written', async () => {
    const before = readFileSync(join(home, 'ledger.jsonl'), 'utf8');
    for (const out of [join(root, 'no-such-folder', 'x.suffice'), root]) {
      const args = [studyPath, table('north', rowsOf(5)), '--out', out, '--force', '--home', home];
      expect((await suffice('contribute', ...args, ...rulesOff)).code).toBe(2);
    }
    expect(readFileSync(join(home, 'ledger.jsonl'), 'utf8')).toBe(before);
  });

  it('writes nothing that the audit refuses', async () => {
    const strict = join(root, 'strict.json');
    writeFileSync(strict, JSON.stringify({ ...study, disclosure: { profile: 'default' } }));
    const few = table('north', rowsOf(1).slice(0, 4));
    const out = join(root, 'few.suffice');
    const before = readFileSync(join(home, 'ledger.jsonl'), 'utf8');
    const refused = await suffice('contribute', strict, few, '--out', out, '--home', home);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('R0')]);
    expect(existsSync(out)).toBe(false);
    expect(readFileSync(join(home, 'ledger.jsonl'), 'utf8')).toBe(before);
    const many = table('north', [...rowsOf(1), ...rowsOf(2)]);
    const plenty = await suffice('contribute', strict, many, '--dry-run', '--home', home);
    expect([plenty.code, plenty.stdout]).toEqual([0, expect.stringContaining('R0   pass')]);
  });

  it.runIf(enduring)('shows and writes the same on one thread and on several', async () => {
    const rows = Array.from({ length: 600_000 }, (_, r) => {
      const x = ((r * 7919) % 50_000) / 1000;
      return `${x.toFixed(3)},${r % 3 === 0 ? 'b' : r % 1000 === 1 ? 'NA' : 'a'},${(x - (r % 9)).toFixed(4)}`;
    });
    const path = table('north', rows); // over 8 MB, which is cut into parts
    const shown = async (threads: string) => {
      const flags = ['--dry-run', '--home', home, '--threads', threads];
      const args = ['contribute', studyPath, path, ...flags, ...rulesOff];
      const { code, stdout, stderr } = await runBuiltSuffice(args);
      expect([code, stderr]).toEqual([0, '']);
      return stdout;
    };
    const [one, several] = [await shown('1'), await shown('3')];
    expect(several).toBe(one);
    expect(one).toContain('600,000 rows');
  });

  it('names the key of a study that is wrong', async () => {
    const path = join(root, 'wrong.json');
    writeFileSync(path, JSON.stringify({ ...study, arithmetic: 'roughly' }));
    const { code, stderr } = await suffice(
      'contribute',
      path,
      table('north', rowsOf(1)),
      '--dry-run',
    );
    expect(code).toBe(3);
    expect(stderr).toContain('arithmetic');
  });
});

describe('suffice combine', () => {
  it('gives the report of a fit over the same rows', async () => {
    const codebook = join(root, 'codebook.json');
    writeFileSync(codebook, JSON.stringify(study.codebook));
    const sites: string[] = [];
    for (const seed of [1, 2, 3]) {
      sites.push(await contributed(rowsOf(seed), '--site', `site-${seed}`));
    }
    const pooled = table('pooled', [1, 2, 3].flatMap(rowsOf));
    const flags = ['--codebook', codebook, '--grid', '44', '--json'];
    const { stdout } = await suffice('fit', study.formula, pooled, ...flags);
    // A fit drafts a study of its own, so that only the digest differs.
    const { sites: _, digest: __, ...fitted }: Report = JSON.parse(stdout);
    // Rows this regular look wrong beside each other; pooled, there is nothing beside them.
    const { sites: lines, digest, flags: ___, disagreement, ...rest } = await combined(...sites);
    expect(rest).toEqual(fitted);
    expect(disagreement?.['p.value']).toBeLessThan(0.05);
    expect(lines.map(({ name, n }) => [name, n])).toEqual([
      ['site-1', 30],
      ['site-2', 30],
      ['site-3', 30],
    ]);
    expect(digest).toMatch(/^sha256:/);
    expect((await combined(...sites.toReversed())).digest).toBe(digest);
  });

  it('adds and replaces by number', async () => {
    const [one, two, three] = [
      await contributed(rowsOf(1)),
      await contributed(rowsOf(2), '--sequence', '2', '--mode', 'replace'),
      await contributed(rowsOf(3), '--sequence', '3'),
    ];
    const pooled = await contributed([...rowsOf(2), ...rowsOf(3)]);
    expect((await combined(three, one, two)).digest).toBe((await combined(pooled)).digest);
    expect((await combined(three, one, two)).sites).toEqual([{ name: 'north', n: 60, dropped: 0 }]);
  });

  it('refuses two files of one site with one number', async () => {
    const files = [await contributed(rowsOf(1)), await contributed(rowsOf(2))];
    const { code, stderr, stdout } = await suffice('combine', studyPath, ...files);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('second file of north');
  });

  it('tells of files nobody signed, or refuses them', async () => {
    const file = await contributed(rowsOf(1), '--unsigned');
    const told = await suffice('combine', studyPath, file, '--json');
    expect(told.code).toBe(0);
    expect(told.stderr).toContain('nobody signed');
    expect((await suffice('combine', studyPath, file, '--require-signatures')).code).toBe(3);
    expect((await combined(await contributed(rowsOf(1)))).digest).toBe(
      JSON.parse(told.stdout).digest,
    );
  });

  it('refuses a file that was changed, cut, or made for another study', async () => {
    const file = await contributed(rowsOf(1));
    const bytes = readFileSync(file);
    const altered = join(root, 'altered.suffice');
    const at = bytes.indexOf('"dropped":"0"') + '"dropped":"'.length;
    const changed = Buffer.from(bytes);
    changed.write('1', at);
    writeFileSync(altered, changed);
    expect((await suffice('combine', studyPath, altered)).stderr).toContain(
      'signature is not valid',
    );
    writeFileSync(altered, bytes.subarray(0, -8));
    expect((await suffice('combine', studyPath, altered)).code).toBe(3);
    const other = join(root, 'other.json');
    writeFileSync(other, JSON.stringify({ ...study, formula: 'y ~ x' }));
    const { code, stderr } = await suffice('combine', other, file);
    expect(code).toBe(3);
    expect(stderr).toContain('another study');
  });

  it('refuses files of one site under different keys', async () => {
    const one = await contributed(rowsOf(1));
    const two = await contributed(rowsOf(2), '--sequence', '2', '--home', join(root, 'stranger'));
    const { code, stderr } = await suffice('combine', studyPath, one, two);
    expect(code).toBe(3);
    expect(stderr).toContain('different keys');
  });
});
