import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { createPool } from '../src/node/compute/pool.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import { nearLevel } from '../src/site/near-level.ts';
import { prepareContribution } from '../src/site/prepare-contribution.ts';
import type { TableStudy } from '../src/study/study.ts';
import { type Outcome, suffice, temporaryFolder } from './cli.ts';
import { agreement } from './linear.ts';
import { servedStudy } from './served-study.ts';
import { watchingProxy } from './watching-proxy.ts';

const root = temporaryFolder();
const folderOf = () => mkdtempSync(join(root, 'test-'));

const study: TableStudy = {
  schema: 'suffice/study@1',
  name: 'Recovery',
  formula: 'days ~ age + sex + diabetes',
  codebook: {
    days: { type: 'number', range: [0, 120] },
    age: { type: 'number', range: [18, 100] },
    sex: { type: 'category', levels: ['female', 'male'] },
    diabetes: { type: 'category', levels: ['FALSE', 'TRUE'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};
const studyFile = join(root, 'study.json');
writeFileSync(studyFile, JSON.stringify(study));
const codebookFile = join(root, 'codebook.json');
writeFileSync(codebookFile, JSON.stringify(study.codebook));

type Row = readonly [age: string, sex: string, diabetes: string, days: string];

/** Rows as the study words them, and the same rows in the words of a site. */
const rows = Array.from({ length: 40 }, (_, r): Row => {
  const age = r === 3 || r === 9 ? 'NA' : r === 5 ? 'NA' : String(20 + ((r * 7) % 70));
  const sex = ['male', 'female', 'male', 'male'][r % 4];
  return [age, sex, r % 5 === 0 ? 'TRUE' : 'FALSE', (10 + ((r * 5) % 11) / 4).toFixed(2)];
});
const worded = rows.map(([age, sex, diabetes, days], r): Row => {
  const own = ['Male', 'female', 'M ', 'male'][r % 4];
  const shown = { 3: 'mr-smith', 5: '999.75', 9: 'mr-smith' }[r] ?? age;
  return [shown, sex === 'male' ? own : sex, diabetes === 'TRUE' ? 'yes' : 'no', days];
});
const names = ['age', 'sex', 'diabetes', 'days'] as const;
const ownNames = ['Âge', 'sex', 'diabetes', 'days'] as const;
const flags = [
  ...['--column', 'age=Âge', '--missing-marker', 'mr-smith', '--read-as', 'age:999.75='],
  ...['--read-as', 'sex:Male=male', '--read-as', 'sex:M =male'],
  ...['--read-as', 'diabetes:yes=TRUE', '--read-as', 'diabetes:no=FALSE'],
];
/** Cells of the file that no message, request or file may repeat. */
const secrets = ['Male', 'mr-smith', '999.75'];

function csv(header: readonly string[], lines: readonly Row[], name = 'north'): string {
  const path = join(folderOf(), `${name}.csv`);
  writeFileSync(path, `${[header, ...lines].map((cells) => cells.join()).join('\n')}\n`);
  return path;
}

function parquet(header: readonly string[], lines: readonly Row[]): string {
  const path = join(folderOf(), 'north.parquet');
  const columnData = header.map((name, k) => ({
    name,
    data: lines.map((cells) => cells[k]),
    type: 'STRING' as const,
  }));
  writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData })));
  return path;
}

/** What the command says of a failure: not the explanation, which is a view of its own. */
function messages({ stderr }: Outcome): string {
  const told = stderr.split('\n');
  return told.filter((line) => /^(suffice: |column "|\{| {2}→ )/.test(line)).join('\n');
}

/** Files of a site’s folder beside its key, its secret and the head of its ledger, which has no line yet. */
function kept(home: string): string[] {
  if (!existsSync(home)) return [];
  const files = readdirSync(home, { recursive: true, withFileTypes: true });
  return files.flatMap((one) =>
    one.isFile() && !/^(key\.json|ledger\.(secret|head))$/.test(one.name) ? [one.name] : [],
  );
}

describe('a refused file is explained to its owner', () => {
  const bad = csv(names, worded);
  const explained = [
    /"mr-smith" +2 cells, rows 4, 10/,
    /age: 1 cell outside 18 to 100: the number is 999\.75; row 6/,
    /"Male" +10 cells, rows 1, 5, 9, 13, 17, …; perhaps "male" \(differs by case\)/,
    /"M " +10 cells, rows 3, 7, 11, 15, 19, …; perhaps "male"/,
    /"yes" +8 cells, rows 1, 6, 11, 16, 21, …; perhaps "TRUE" \(says the same\)/,
  ];
  const home = join(root, 'home');
  const out = join(root, 'north.suffice');
  it.each([
    ['audit', ['audit', studyFile, bad, '--home', home]],
    ['contribute', ['contribute', studyFile, bad, '--out', out, '--home', home]],
    ['contribute --dry-run', ['contribute', studyFile, bad, '--dry-run', '--home', home]],
    ['fit STUDY.json', ['fit', studyFile, bad]],
    ['fit --codebook', ['fit', 'days ~ age + sex + diabetes', bad, '--codebook', codebookFile]],
  ])('by suffice %s, which leaves nothing behind', async (_, args) => {
    const outcome = await suffice(...args);
    expect(outcome.code).toBe(3);
    const shown = outcome.stdout + outcome.stderr;
    for (const words of explained) expect(shown).toMatch(words);
    for (const secret of secrets) expect(messages(outcome)).not.toContain(secret);
    expect(messages(outcome)).toContain('suffice: ');
    expect([existsSync(out), kept(home)]).toEqual([false, []]);
  });

  it('where it is asked for: not with --quiet, and not in JSON', async () => {
    const silent = await suffice('fit', studyFile, bad, '--quiet');
    const json = await suffice('fit', studyFile, bad, '--json');
    const joined = await suffice('audit', studyFile, bad, '--home', home, '--json');
    for (const secret of secrets) {
      expect(silent.stdout + silent.stderr + json.stdout + json.stderr).not.toContain(secret);
      expect(joined.stdout + joined.stderr).not.toContain(secret);
    }
  });

  it('names a column that is called otherwise, and hidden characters, of CSV and Parquet', async () => {
    const hidden = worded.map(
      ([age, ...rest]): Row => [age === '999.75' ? 'k\u202eA' : age, ...rest],
    );
    for (const path of [csv(ownNames, hidden), parquet(ownNames, hidden)]) {
      const named = await suffice('audit', studyFile, path, '--home', home);
      expect(named.stdout).toContain('age: the file has no such column; perhaps "Âge" is meant');
      expect(named.stdout).toContain("--column 'age=Âge'");
      const read = await suffice('audit', studyFile, path, '--home', home, '--column', 'age=Âge');
      expect(read.stdout).toContain('"k<U+202E>A"  1 cell, row 6');
      expect(read.stdout).toContain('"mr-smith"    2 cells, rows 4, 10');
    }
  });

  it('by suffice join, which tells the coordinator nothing and stores nothing', async () => {
    const folder = folderOf();
    const running = await servedStudy(folder, study, ['north', 'south']);
    const { address, received } = await watchingProxy(running.served.address, () => 'pass');
    const invitation = running.invitation('north', address);
    const own = join(folder, 'home');
    for (const how of [['--dry-run'], ['--yes', '--acknowledge', 'none']]) {
      const outcome = await suffice('join', invitation, bad, ...how, '--home', own);
      expect(outcome.code).toBe(3);
      for (const words of explained) expect(outcome.stdout).toMatch(words);
      for (const secret of secrets) expect(messages(outcome)).not.toContain(secret);
    }
    expect(received.filter(({ method }) => method !== 'GET')).toEqual([]);
    for (const { path, headers, body } of received) {
      const all = path + JSON.stringify(headers) + body.toString('latin1');
      for (const secret of secrets) expect(all).not.toContain(secret);
    }
    expect(kept(own)).toEqual([]);
    const { entries } = await running.admin.auditLog();
    expect(entries.filter(({ event }) => event === 'contributed')).toEqual([]);
  });

  const many = (cell: (r: number) => string) => {
    const path = join(folderOf(), 'written.csv');
    const lines = Array.from({ length: 60 }, (_, r) => `${cell(r)};${(r * 7) % 13}`);
    writeFileSync(path, `${['x;y', ...lines].join('\n')}\n`);
    return path;
  };
  it.each<readonly [string, (r: number) => string, RegExp]>([
    ['shares', (r) => (r === 7 ? 'n.b.' : `${r}.5%`), / "n\.b\." {2}1 cell, row 8\n\n/],
    ['amounts', (r) => (r === 7 ? 'n.b.' : `${r},5 €`), / "n\.b\." {2}1 cell, row 8\n\n/],
    [
      'dates in one order but for one',
      (r) => (r === 59 ? '30/04/2024' : `04/${13 + (r % 9)}/2024${' '.repeat(r < 50 ? 1500 : 0)}`),
      / "30\/04\/2024" {2}1 cell, row 60\n\n/,
    ],
  ])('with the cells that do not fit alone, among %s', async (_, cell, only) => {
    const { code, stderr } = await suffice('fit', 'y ~ x', many(cell));
    expect(code).toBe(3);
    expect(stderr).toMatch(new RegExp(`missing markers\n *${only.source}`));
  });

  it('with numbers outside a range as numbers, whatever unit is beside them', async () => {
    const x = { type: 'number', unit: '%', range: [0, 50] };
    const y = { type: 'number', range: [0, 13] };
    const shares = join(folderOf(), 'shares.json');
    writeFileSync(shares, JSON.stringify({ ...study, formula: 'y ~ x', codebook: { x, y } }));
    const { code, stderr } = await suffice(
      'fit',
      shares,
      many((r) => `${r}.5 %`),
    );
    expect(code).toBe(3);
    expect(stderr).toContain('x: 10 cells outside 0 to 50: from 50.5 to 59.5; rows 51, 52');
    expect(stderr).not.toContain('cannot be read as numbers');
  });

  it('all at once: columns of other names, unclear dates and words of another language', async () => {
    const entry = { type: 'number', unit: 'days since 1970-01-01', range: [19000, 20000] };
    const codebook = { ...study.codebook, entry };
    const dated = join(folderOf(), 'dated.json');
    writeFileSync(dated, JSON.stringify({ ...study, formula: 'days ~ age + entry', codebook }));
    const path = join(folderOf(), 'german.csv');
    const dateOf = (r: number) => (r === 70 ? '03/14/2024' : `${10 + (r % 19)}.03.2024`);
    const lines = Array.from({ length: 80 }, (_, r) =>
      [r === 3 ? 'unbekannt' : 20 + r, dateOf(r), (r * 7) % 13].join(';'),
    );
    writeFileSync(path, `${['Alter;entry;days', ...lines].join('\n')}\n`);
    const first = await suffice('audit', dated, path, '--home', home);
    expect([first.code, kept(home)]).toEqual([3, []]);
    expect(first.stdout).toContain('"03/14/2024"  1 cell, row 71');
    expect(first.stdout).toContain('other columns of the file: "Alter"');
    expect(first.stdout).toContain("--column 'age=NAME'");
    expect(first.stderr).toContain('1 of 80 cells have day and month in another order');
    expect(first.stderr).toContain('2 columns do not match the study');
    const named = await suffice('audit', dated, path, '--home', home, '--column', 'age=Alter');
    expect(named.stdout).toContain("--read-as 'age:unbekannt='");
    expect(named.stdout).not.toContain('=NAME');
    writeFileSync(path, `age;entry;days\n30;1.3.2024;1\n40;24.12.1999;2\n50;2.3.2024;3\n`);
    const outside = await suffice('audit', dated, path, '--home', home);
    expect(outside.stderr).toContain('not all dates are from 2022-01-08 to 2024-10-04');
    expect(outside.stdout).toContain('2022-01-08 to 2024-10-04: the date is 1999-12-24; row 2');
  });

  it('while the error itself carries no value', async () => {
    const pool = createPool(1);
    const store = await openSiteFolder(join(folderOf(), 'home'));
    const preparing = prepareContribution(
      {
        ...{ agreed: agreement(study), site: 'north', rows: { path: bad }, store },
        ...{ numbering: { sequence: 1, mode: 'add' }, place: 'file', missing: 'drop' },
      },
      pool,
      () => silentProgress,
    );
    const failure = await preparing.catch((error: unknown) => error as Error);
    await pool.close();
    expect(failure).toMatchObject({ name: 'MismatchedColumns' });
    const all = JSON.stringify([failure, Object.entries(failure), (failure as Error).stack]);
    for (const secret of secrets) expect(all).not.toContain(secret);
  });
});

describe('a file worded otherwise', () => {
  const home = join(root, 'worded');
  const contribution = async (path: string, ...more: readonly string[]) => {
    const out = join(folderOf(), 'north.suffice');
    const args = [
      '--out',
      out,
      '--unsigned',
      '--acknowledge',
      'none',
      '--home',
      `${home}-${more.length}`,
    ];
    const outcome = await suffice(
      'contribute',
      studyFile,
      path,
      ...args,
      '--site',
      'north',
      ...more,
    );
    expect(outcome.stderr).toBe('');
    return { ...outcome, bytes: readFileSync(out) };
  };

  it('gives the bytes of the file that is worded as the study is; its words are shown and not kept', async () => {
    const { bytes } = await contribution(csv(names, rows));
    for (const path of [csv(ownNames, worded), parquet(ownNames, worded)]) {
      const own = await contribution(path, ...flags);
      expect(own.bytes.equals(bytes)).toBe(true);
      expect(own.stdout).toContain('column "Âge" as the study\'s "age"');
      expect(own.stdout).toContain('"Male" in "sex" as the study\'s "male"');
      expect(own.stdout).toContain('"999.75" in "age" as missing');
      expect(own.stdout).toContain('"mr-smith" as missing');
    }
    const ledger = readFileSync(join(`${home}-${flags.length}`, 'ledger.jsonl'), 'utf8');
    for (const secret of [...secrets, 'Âge']) expect(ledger).not.toContain(secret);
  });

  it.each([
    ['--column', 'weight=kg', 'does not start with a column of the study'],
    ['--column', 'age=', 'does not start with a column of the study, or is not complete'],
    ['--column', 'age=days', 'two columns of the study would be read from one'],
    ['--read-as', 'sex:mr-smith', 'does not start with a column of the study, or is not complete'],
    ['--read-as', 'sex:mr-smith=man', 'a text can only stand for a level of "sex"'],
    ['--read-as', 'age:mr-smith=40', '"age" is a column of numbers'],
    ['--read-as', 'sex:male=female', 'a text that is a level of "sex" in the study'],
  ])('is refused for %s %s', async (flag, value, words) => {
    const out = join(folderOf(), 'north.suffice');
    const args = ['contribute', studyFile, csv(names, rows), '--out', out, '--home', home];
    const { code, stderr } = await suffice(...args, flag, value);
    expect([code, existsSync(out), kept(home)]).toEqual([2, false, []]);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('mr-smith');
  });
});

describe('the level that a text may stand for', () => {
  it.each([
    ['Male', ['female', 'male'], 'male'],
    ['M ', ['female', 'male'], 'male'],
    ['\u00a0male\u200b', ['female', 'male'], 'male'],
    ['Ja', ['FALSE', 'TRUE'], 'TRUE'],
    ['0', ['no', 'yes'], 'no'],
    ['0', ['low', 'high'], undefined],
    ['femal', ['female', 'male'], 'female'],
    ['contrl', ['control', 'new drug'], 'control'],
    ['m', ['male', 'married'], undefined],
    ['', ['female', 'male'], undefined],
    ['?', ['female', 'male'], undefined],
  ])('%j among %j: %j', (text, levels, level) => {
    expect(nearLevel(text, levels)?.level).toBe(level);
  });
});
