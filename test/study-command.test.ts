import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStudyFolder } from '../src/node/files/study-folder.ts';
import type { TableStudy } from '../src/study/study.ts';
import { widenRange } from '../src/study/widen-range.ts';
import { momentText, parseDuration, parseMoment } from '../src/text/duration.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { agreement } from './linear.ts';

const folder = temporaryFolder();
const biscoe = 'examples/penguins/biscoe.csv';
const dream = 'examples/penguins/dream.csv';
const formula = 'body_mass ~ bill_length + flipper_length + sex + species';

function table(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function init(out: string, ...args: readonly string[]) {
  const path = join(folder, out);
  const outcome = await suffice('study', 'init', ...args, '--out', path);
  const study: TableStudy | undefined = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : undefined;
  return { ...outcome, path, study };
}

it('study check says which columns each party brings, and the key', async () => {
  const split = {
    ...{ schema: 'suffice/study@1', formula: 'outcome ~ age + log(dose)', arithmetic: 'exact' },
    codebook: {
      age: { type: 'number', unit: 'years', range: [0, 110] },
      dose: { type: 'number', range: [1, 9] },
      outcome: { type: 'number', range: [0, 4] },
    },
    fusion: { kind: 'ridge', ridge: 0 },
    partition: {
      ...{ kind: 'vertical', key: [['person'], ['surname', 'born']] },
      parties: { hospital: ['age'], registry: ['outcome', 'dose'] },
    },
  };
  const path = table('split.json', JSON.stringify(split));
  const { code, stdout } = await suffice('study', 'check', path);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(`
  Each party brings columns of its own, about the same people:
    hospital
      age  number in years, from 0 to 110
    registry
      outcome  number, from 0 to 4
      dose     number, from 1 to 9
  The file of every party also has the key columns:
    rows are linked by  person
    or else by          surname, born
`),
  ]);
  expect(stdout).not.toContain('from your file');
  const plan = JSON.parse((await suffice('study', 'check', path, '--json')).stdout);
  expect(plan).toMatchObject({ parties: split.partition.parties, key: split.partition.key });
  expect(plan.fedAvg).toEqual([]);
  expect(stdout).toMatch(/^each party +sends a share of \d+ numbers/m);

  // A file is tried as that of the party whose columns it has.
  const keys = 'person,surname,born';
  const own = table('hospital.csv', `${keys},age\n1,Ito,1990,34\n2,Roy,1980,\n3,May,1970,54\n`);
  const accepted = await suffice('study', 'check', path, own);
  expect([accepted.code, accepted.stdout]).toEqual([
    0,
    expect.stringContaining(
      'the file would be accepted from hospital: 2 rows, 1 dropped (missing cells: age 1)\n',
    ),
  ]);
  const tried = JSON.parse((await suffice('study', 'check', path, own, '--json')).stdout);
  expect(tried.file).toEqual({
    path: own,
    party: 'hospital',
    rows: 2,
    dropped: 1,
    missing: { age: 1 },
  });
  for (const [text, says] of [
    ['person,age\n1,34\n', 'registry outcome, dose, person, surname, born'],
    [`${keys},age\n1,Ito,1990,340\n`, 'age'],
    ['', 'the file is empty'],
    [`${keys},age\n1,Ito,1990,34\n1,Roy,1980,44\n2,Roy,1981,54\n`, 'person'],
  ]) {
    const refused = await suffice('study', 'check', path, table('other.csv', text));
    expect([refused.code, refused.stdout]).toEqual([
      3,
      expect.stringMatching(new RegExp(`the file would be refused: .*${says}`)),
    ]);
  }
});

describe('widening a range', () => {
  it.each([
    [
      [2700, 6300],
      [900, 8100],
    ],
    [
      [34.5, 59.6],
      [21, 73],
    ],
    [
      [0, 10],
      [0, 15],
    ],
    [
      [18, 90],
      [0, 126],
    ],
    [
      [-7, -2],
      [-9.5, 0],
    ],
    [
      [-1, 1],
      [-2, 2],
    ],
    [
      [0, 1],
      [0, 1],
    ],
    [
      [5, 5],
      [2.5, 7.5],
    ],
    [
      [0, 0],
      [0, 0.5],
    ],
    [
      [0.001, 0.004],
      [0, 0.0055],
    ],
  ])('%j → %j', (from, to) => {
    expect(widenRange(from as [number, number])).toEqual(to);
  });

  it('holds all it held, never crosses 0, and reaches half the span further or 0', () => {
    const value = fc.double({ min: -1e12, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        fc.pre(high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)));
        fc.pre(!(low === 0 && high === 1));
        const [l, h] = widenRange([low, high]);
        const span = (high - low) / 2;
        const slack = 1e-9 * Math.max(Math.abs(low), Math.abs(high));
        expect(l <= low + slack && h >= high - slack).toBe(true);
        expect(l <= low - span + slack || (low >= 0 && l === 0)).toBe(true);
        expect(h >= high + span - slack || (high <= 0 && h === 0)).toBe(true);
        if (low >= 0) expect(l).toBeGreaterThanOrEqual(0);
        if (high <= 0) expect(h).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('times and durations', () => {
  const now = Date.parse('2030-01-01T00:00:00Z');

  it.each([
    ['90s', 90_000],
    ['10m', 600_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    ['4w', 2_419_200_000],
    ['2', undefined],
    ['d', undefined],
    ['-2d', undefined],
  ])('%s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each([
    ['2d', '2030-01-03T00:00:00.000Z'],
    ['2030-02-01', '2030-02-01T23:59:59.000Z'],
    ['2030-02-01T12:00:00Z', '2030-02-01T12:00:00.000Z'],
    ['2030-02-01T12:00+02:00', '2030-02-01T10:00:00.000Z'],
  ])('%s is %s', (text, iso) => {
    expect(parseMoment('--deadline', text, now)).toBe(iso);
  });

  it.each(['soon', '2030-02-31T99:00:00Z', '2029-12-31', '2030-02-01T12:00', '0s'])(
    '%s is refused',
    (text) => {
      expect(() => parseMoment('--deadline', text, now)).toThrow('--deadline is');
    },
  );

  it('reads as a person would say it', () => {
    expect(momentText('2030-01-04T00:00:00Z', now)).toBe('in 3 days');
    expect(momentText('2029-12-31T21:00:00Z', now)).toBe('3 hours ago');
    expect(momentText('2030-01-01T00:00:01Z', now)).toBe('in 1 second');
  });
});

describe('suffice study init', () => {
  it('drafts a study that parses, with wider ranges and the levels found', async () => {
    const { code, stdout, study, path } = await init(
      'study.json',
      formula,
      biscoe,
      '--name',
      'penguins',
      '--quorum',
      '2',
      '--ridge',
      'gcv',
    );
    expect(code).toBe(0);
    expect(study).toMatchObject({
      schema: 'suffice/study@1',
      name: 'penguins',
      formula,
      fusion: { kind: 'ridge', ridge: 'gcv' },
      quorum: { sites: 2 },
    });
    expect(study?.codebook.body_mass).toMatchObject({ type: 'number', range: [1100, 8100] });
    expect(study?.codebook.species).toMatchObject({ levels: ['Adelie', 'Gentoo'] });
    expect(stdout).toContain('body_mass       1100 to 8100  (found 2850 to 6300)');
    expect(stdout).toContain('check units, ranges and levels');
    expect((await suffice('study', 'digest', path)).stdout.trim()).toBe(agreement(study!).digest);
  });

  it('leaves ranges alone with --exact-ranges, and tells what it did as JSON', async () => {
    const { study, stdout } = await init('exact.json', formula, biscoe, '--exact-ranges', '--json');
    expect(study?.codebook.body_mass).toMatchObject({ range: [2850, 6300] });
    expect(JSON.parse(stdout)).toMatchObject({ schema: 'suffice/study-draft@1', widened: [] });
  });

  it('keeps logarithms and divisors off 0', async () => {
    const path = table('near-zero.csv', 'y,x,v\n1,0.3,2\n2,40,3\n3,90,80\n');
    const { code, study } = await init('near-zero.json', 'y ~ log(x) + I(1 / v)', path);
    expect(code).toBe(0);
    expect(study?.codebook.x).toMatchObject({ range: [0.15, 135] });
    expect(study?.codebook.v).toMatchObject({ range: [1, 119] });
    expect(study?.codebook.y).toMatchObject({ range: [0, 4] });
  });

  it('does not overwrite without --force', async () => {
    const path = table('taken.json', 'mine');
    expect((await suffice('study', 'init', formula, biscoe, '--out', path)).code).toBe(2);
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect((await suffice('study', 'init', formula, biscoe, '--out', path, '--force')).code).toBe(
      0,
    );
  });

  it('needs the names of the sites where the formula speaks of .site', async () => {
    const refused = await init('sites.json', 'body_mass ~ bill_length + .site', biscoe);
    expect(refused).toMatchObject({ code: 2, study: undefined });
    const named = await init(
      'sites.json',
      'body_mass ~ bill_length + .site',
      biscoe,
      '--site',
      'a',
      '--site',
      'b',
    );
    expect(named.study?.codebook['.site']).toEqual({ type: 'category', levels: ['a', 'b'] });
  });

  it('writes nothing where the file has no such column', async () => {
    const { code, study } = await init('none.json', 'weight ~ bill_length', biscoe);
    expect([code, study]).toEqual([2, undefined]);
  });
});

describe('a private study', () => {
  const rows = Array.from({ length: 40 }, (_, r) => `p${r % 9},${r % 7},${2 * (r % 11)}`);
  const path = () => table('visits.csv', `${['patient,age,days', ...rows].join('\n')}\n`);
  const visits = (out: string, ...flags: string[]) =>
    init(out, 'days ~ age', path(), '--epsilon', '1', ...flags);

  it('is of persons that the file names', async () => {
    const person = (name: string) => ['--person', name, '--rows-per-person', '5'];
    const misspelt = await visits('misspelt-person.json', ...person('patint'));
    expect([misspelt.code, misspelt.study]).toEqual([2, undefined]);
    expect(misspelt.stderr).toContain('has no column patint\n  → did you mean patient?');
    expect((await visits('strange-person.json', ...person('who'))).stderr).toContain(
      'it has patient, age, days',
    );
    const { code, study } = await visits('person.json', ...person('patient'));
    expect([code, study?.codebook.patient]).toEqual([0, { type: 'id' }]);
  });

  it('promises no δ of 0.1, and hears of a weak promise', async () => {
    const none = await visits('no-promise.json', '--delta', '0.1');
    expect([none.code, none.study]).toEqual([2, undefined]);
    expect(none.stderr).toContain('--delta must be below 0.1');
    const flags = ['--epsilon', '5.1', '--delta', '0.01', '--expected-rows'];
    const weak = await visits('weak.json', ...flags, '100', '--json');
    expect(JSON.parse(weak.stdout).notes).toEqual([
      'ε = 5.1 is a weak promise; 1 is usual',
      expect.stringMatching(/^δ = 0\.01 is not below 1\/100: .*take 1e-3 or less$/),
      expect.stringContaining('state the public centre and SD of days'),
    ]);
    const checked = JSON.parse((await suffice('study', 'check', weak.path, '--json')).stdout);
    expect(checked.hints).toEqual(expect.arrayContaining(JSON.parse(weak.stdout).notes));
    const strong = await visits('strong.json', '--delta', '0.01', '--expected-rows', '99');
    expect(strong.stdout).not.toMatch(/weak|not below/);
    const broken = table(
      'broken.json',
      readFileSync(strong.path, 'utf8').replace('"delta": 0.01', '"delta": 0.1'),
    );
    expect((await suffice('study', 'check', broken)).stdout).toContain(
      'privacy.delta: δ is the chance that the promise fails, and must be below 0.1',
    );
  });

  it('needs a public centre and SD of the response, until they are stated', async () => {
    const { stdout, path: draft, study } = await visits('centre.json');
    expect(stdout).toContain('state the public centre and SD of days: { "center": 8, "sd": 3 }');
    const stated = { ...study, codebook: { ...study?.codebook } };
    stated.codebook.days = { type: 'number', range: [0, 30], center: 8, sd: 3 };
    const path = table('stated.json', JSON.stringify(stated));
    expect((await suffice('study', 'check', draft)).stdout).toContain(
      'note        state the public',
    );
    expect((await suffice('study', 'check', path)).stdout).not.toContain('state the public');
  });
});

describe('suffice study check', () => {
  it('lists limits that are not those of the profile', async () => {
    const { path, study } = await init('limits.json', formula, biscoe);
    const disclosure = { thresholds: { cell: 1, epsilon: 2 } };
    const own = table('own-limits.json', JSON.stringify({ ...study, disclosure }));
    const { code, stdout } = await suffice('study', 'check', own);
    expect(code).toBe(0);
    expect(stdout).toMatch(/rules +rows 3 \(default 10\), laxer\n +cell 1 \(default 5\), laxer\n/);
    expect(stdout).toContain('epsilon 2 (default 10), stricter');
    expect(
      JSON.parse((await suffice('study', 'check', own, '--json')).stdout).deviations,
    ).toHaveLength(3);
    expect((await suffice('study', 'check', path)).stdout).not.toMatch(/laxer|stricter/);
  });

  it('says what a site would send, beside FedAvg', async () => {
    const { path } = await init('check.json', formula, biscoe, dream);
    const { code, stdout } = await suffice('study', 'check', path);
    expect(code).toBe(0);
    expect(stdout).toContain('each site   sends 28 numbers once, 448 B and a header');
    expect(stdout).toContain('FedAvg      would send 4.8 kB up and 4.8 kB down in 100 rounds');
    const json = JSON.parse((await suffice('study', 'check', path, '--json')).stdout);
    expect(json).toMatchObject({
      schema: 'suffice/study-check@1',
      ok: true,
      numbers: 28,
      parameters: 6,
    });
  });

  it('says whether a file would be accepted', async () => {
    const { path } = await init('accept.json', formula, biscoe);
    const accepted = await suffice('study', 'check', path, biscoe);
    expect(accepted.code).toBe(0);
    expect(accepted.stdout).toContain('would be accepted: 163 rows, 5 dropped');
    const refused = await suffice('study', 'check', path, dream);
    expect(refused.code).toBe(3);
    expect(refused.stdout).toContain('would be refused');
    expect(refused.stdout).toContain('column "species"');
    expect(refused.stdout).not.toContain('Chinstrap');
  });

  it('names every problem by its key', async () => {
    const { path } = await init('problems.json', formula, biscoe);
    const bad = table(
      'bad.json',
      readFileSync(path, 'utf8').replace('"exact"', '"exakt"').replace('"ridge": 0', '"ridge": -1'),
    );
    const { code, stdout } = await suffice('study', 'check', bad);
    expect(code).toBe(3);
    expect(stdout).toContain('fusion.ridge: ');
    expect(stdout).toContain('arithmetic: ');
    const json = JSON.parse((await suffice('study', 'check', bad, '--json')).stdout);
    expect(json.ok).toBe(false);
    expect(json.problems.map(({ key }: { key: string }) => key)).toEqual([
      'fusion.ridge',
      'arithmetic',
    ]);
    const misspelt = table(
      'misspelt.json',
      readFileSync(path, 'utf8').replace('~ bill_length', '~ bil_length'),
    );
    expect((await suffice('study', 'check', misspelt)).stdout).toContain(
      'did you mean bill_length?',
    );
  });
});

describe('suffice study create, before anything is sent', async () => {
  const { path } = await init('create.json', formula, biscoe);
  const at = ['--coordinator', 'http://127.0.0.1:9'];

  it('--dry-run shows the plan and makes nothing', async () => {
    const out = join(folder, 'planned');
    const { code, stdout } = await suffice(
      'study',
      'create',
      path,
      ...at,
      '--site',
      'a',
      '--dry-run',
      '--out',
      out,
    );
    expect(code).toBe(0);
    expect(stdout).toContain('nothing was sent (--dry-run)');
    expect(existsSync(out)).toBe(false);
  });

  it.each([
    ['no site', []],
    ['a site twice', ['--site', 'a', '--site', 'a']],
    ['no token', ['--site', 'a']],
    ['a past expiry', ['--site', 'a', '--expires', '2001-01-01']],
  ])('refuses %s', async (_, flags) => {
    const out = join(folder, 'refused');
    const { code } = await suffice('study', 'create', path, ...at, ...flags, '--out', out);
    expect(code).toBe(2);
    expect(existsSync(out)).toBe(false);
  });

  it('refuses names that would leave the folder', async () => {
    const out = join(folder, 'escape');
    const before = readdirSync(folder).length;
    const { code } = await suffice('study', 'create', path, ...at, '--site', '../up', '--out', out);
    expect(code).not.toBe(0);
    expect(readdirSync(folder)).toHaveLength(before);
  });
});

describe('the folder of a study', () => {
  it('holds files only their owner can read, and overwrites none', () => {
    const path = join(folder, 'kept');
    const kept = createStudyFolder(path, ['a']);
    kept.keep(kept.adminLink, 'secret');
    expect(statSync(kept.adminLink).mode & 0o777).toBe(0o600);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(() => createStudyFolder(path, ['b'])).toThrow('already exists');
    expect(readdirSync(path).sort()).toEqual(['a.invitation', 'admin.link']);
  });

  it('leaves nothing behind when discarded or when a name does not fit', () => {
    const path = join(folder, 'gone');
    createStudyFolder(path, ['a']).discard();
    expect(existsSync(path)).toBe(false);
    expect(() => createStudyFolder(path, ['a', 'x'.repeat(300)])).toThrow();
    expect(existsSync(path)).toBe(false);
  });
});
