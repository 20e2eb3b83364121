import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { runSuffice, temporaryFolder } from './cli.ts';
import { anyStudy, operator, rows, runningStudy } from './coordinator-study.ts';
import { servedStudy } from './served-study.ts';
import { watchingProxy } from './watching-proxy.ts';

const root = temporaryFolder();

const recovery: TableStudy = {
  schema: 'suffice/study@1',
  name: 'Recovery',
  formula: 'days ~ age + treatment',
  codebook: {
    days: { type: 'number', range: [0, 120] },
    age: { type: 'number', range: [18, 100] },
    treatment: { type: 'category', levels: ['control', 'new'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};

/** Another question about the same people, over other columns. */
const pressure: TableStudy = {
  ...recovery,
  name: 'Pressure',
  formula: 'pressure ~ weight',
  codebook: {
    pressure: { type: 'number', range: [60, 220] },
    weight: { type: 'number', range: [30, 200] },
  },
};

const people = (count: number, rare = 3): string[] =>
  Array.from({ length: count }, (_, r) => {
    const age = 18.5 + ((r * 37) % 80);
    const treatment = r % rare === 0 ? 'new' : 'control';
    const days = (age / 4 + ((r * 5) % 11)).toFixed(2);
    return `${age},${treatment},${days},${(110 + ((r * 13) % 40)).toFixed(1)},${(55 + ((r * 29) % 50)).toFixed(1)}`;
  });

function table(folder: string, name: string, lines: readonly string[]): string {
  const path = join(folder, `${name}.csv`);
  writeFileSync(path, `${['age,treatment,days,pressure,weight', ...lines].join('\n')}\n`);
  return path;
}

/** A study behind a proxy that hears every request, and a site's folder. */
async function overheard(study: Study, folder = mkdtempSync(join(root, 'test-'))) {
  const running = await servedStudy(mkdtempSync(join(root, 'served-')), study, ['north', 'south']);
  const proxy = await watchingProxy(running.served.address);
  const home = join(folder, 'home');
  const invitation = running.invitation('north', proxy.address);
  return {
    folder,
    home,
    running,
    join: (path: string, ...flags: string[]) =>
      runSuffice(['join', invitation, path, '--yes', '--home', home, ...flags]),
    said: () => proxy.received.map(({ method }) => method),
    entries: async () => (await running.admin.auditLog()).entries.length,
  };
}

const ledger = (home: string) => {
  const path = join(home, 'ledger.jsonl');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0;
};
const held = (home: string, part: string) =>
  existsSync(join(home, part)) ? readdirSync(join(home, part)) : [];

describe('a refused audit sends nothing, stores nothing, loses nothing', () => {
  it('of a file with too few rows', async () => {
    const { folder, home, join: run, said, entries } = await overheard(recovery);
    const before = await entries();
    const { code, stdout, stderr } = await run(table(folder, 'few', people(9)));
    expect(code).toBe(5);
    expect(stdout).toContain('R0');
    expect(stderr).toMatch(/audit refuses .*R0.*nothing was sent/s);
    expect(said()).toEqual(['GET']);
    expect([ledger(home), held(home, 'outbox'), held(home, 'receipts')]).toEqual([0, [], []]);
    expect(await entries()).toBe(before);
    for (const value of people(9)
      .flatMap((line) => line.split(','))
      .filter((v) => v.length > 4)) {
      expect(stderr).not.toContain(value);
    }
  });

  it('of a file with a small level, and says so in a dry run', async () => {
    const { folder, home, join: run, said } = await overheard(recovery);
    const path = table(folder, 'rare', people(80, 27));
    expect((await run(path)).code).toBe(5);
    const dry = await run(path, '--dry-run', '--json', '--quiet');
    expect(dry.code).toBe(5);
    const { audit } = JSON.parse(dry.stdout);
    const blocked = audit.rules.filter(({ outcome }: { outcome: string }) => outcome === 'block');
    expect(blocked.map(({ rule }: { rule: string }) => rule)).toContain('R3');
    expect(said()).toEqual(['GET', 'GET']);
    expect([ledger(home), held(home, 'outbox')]).toEqual([0, []]);
  });

  it('and tells programs as JSON, and people on stderr even where they want no words', async () => {
    const { folder, join: run } = await overheard(recovery);
    const path = table(folder, 'rare', people(80, 27));
    const json = await run(path, '--json');
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
      5,
      { schema: 'suffice/refused@1', outcome: 'refused', audit: { outcome: 'refuse' } },
    ]);
    expect(json.stderr).toContain('nothing was sent');
    const silent = await run(path, '--quiet');
    expect([silent.code, silent.stdout]).toEqual([5, '']);
    expect(silent.stderr).toContain('level new of treatment: fewer than 5 rows');
    expect(silent.stderr).not.toContain('R0 ');
    const dry = await run(path, '--quiet', '--dry-run');
    expect(dry.stderr).toContain('level new of treatment: fewer than 5 rows');
    const warned = await run(table(folder, 'one-sided', people(80, 13)), '--quiet', '--json');
    expect(warned.stderr).toMatch(/R7 .*warns.*the baseline of treatment: more than 90 %/s);
    expect(JSON.parse(warned.stdout)).toMatchObject({
      outcome: 'refused',
      audit: { outcome: 'acknowledge' },
    });
  });

  it('of what would only be written', async () => {
    const folder = mkdtempSync(join(root, 'test-'));
    const study = join(folder, 'study.json');
    writeFileSync(study, JSON.stringify(recovery));
    const out = join(folder, 'north.suffice');
    const home = join(folder, 'home');
    const run = (path: string, ...flags: string[]) =>
      runSuffice(['contribute', study, path, '--home', home, '--out', out, '--json', ...flags]);
    const refused = await run(table(folder, 'rare', people(80, 27)));
    expect([refused.code, JSON.parse(refused.stdout).schema]).toEqual([5, 'suffice/refused@1']);
    expect(refused.stderr).toContain('nothing was written');
    const path = table(folder, 'one-sided', people(80, 13));
    const warned = await run(path);
    expect([warned.code, JSON.parse(warned.stdout).outcome]).toEqual([5, 'refused']);
    expect(warned.stderr).toContain('nobody has acknowledged it; nothing was written');
    expect([existsSync(out), ledger(home)]).toEqual([false, 0]);
    const written = await run(path, '--acknowledge', 'r6, r7');
    expect([written.code, JSON.parse(written.stdout).schema]).toEqual([0, 'suffice/contributed@1']);
    expect([existsSync(out), ledger(home)]).toEqual([true, 1]);
  });

  it('of warnings that nobody has acknowledged', async () => {
    const { folder, home, join: run, said } = await overheard(recovery);
    const path = table(folder, 'one-sided', people(80, 13));
    const { code, stderr } = await run(path);
    expect(code).toBe(5);
    expect(stderr).toContain('--acknowledge R7');
    expect(said()).toEqual(['GET']);
    expect(ledger(home)).toBe(0);
    expect((await run(path, '--acknowledge', 'R7')).code).toBe(0);
    expect(ledger(home)).toBe(1);
  });

  it('of a release that differs from an earlier one by a row: replaced, or asked by another study', async () => {
    const first = await overheard(recovery);
    const { folder, home } = first;
    const all = people(80);
    expect((await first.join(table(folder, 'all', all))).code).toBe(0);
    const less = table(folder, 'less', all.slice(1));
    const replaced = await first.join(less, '--replace');
    expect([replaced.code, replaced.stderr]).toEqual([5, expect.stringContaining('R9')]);
    expect(first.said()).toEqual(['GET', 'POST', 'GET', 'GET']);
    const second = await overheard(pressure, folder);
    const other = await second.join(less);
    expect([other.code, other.stderr]).toEqual([5, expect.stringContaining('R9')]);
    expect(second.said()).toEqual(['GET']);
    expect([ledger(home), held(home, 'receipts').length]).toEqual([1, 2]);
    expect((await second.join(table(folder, 'all', all))).code).toBe(0);
    expect((await first.join(table(folder, 'fewer', all.slice(12)), '--replace')).code).toBe(0);
    expect(ledger(home)).toBe(3);
  });

  it('of a site whose ledger was changed', async () => {
    const { folder, home, join: run, said } = await overheard(recovery);
    expect((await run(table(folder, 'all', people(80)))).code).toBe(0);
    const path = join(home, 'ledger.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"rows":80', '"rows":90'));
    const { code, stderr } = await run(table(folder, 'more', people(120)), '--replace');
    expect([code, stderr]).toEqual([5, expect.stringContaining('ledger')]);
    expect(said()).toEqual(['GET', 'POST']);
  });

  it('unless the study has switched the rules off, which a site can undo for itself', async () => {
    const open = { ...recovery, disclosure: { profile: 'none' } } as const;
    const { folder, join: run, said } = await overheard(open);
    const path = table(folder, 'few', people(9));
    expect((await run(path, '--profile', 'default')).code).toBe(5);
    expect(said()).toEqual(['GET']);
    const unseen = await run(path);
    expect([unseen.code, said()]).toEqual([5, ['GET', 'GET']]);
    const { code, stdout } = await run(path, '--acknowledge', 'none');
    expect([code, stdout]).toEqual([0, expect.stringContaining('rules off')]);
  });
});

it('a column of another type does not hide that rows were released before', async () => {
  const folder = mkdtempSync(join(root, 'retyped-'));
  const rowsOf = (count: number) =>
    Array.from({ length: count }, (_, r) => `${1 + (r % 3)},${10 + ((r * 7) % 60) / 4}`);
  const path = (name: string, rows: readonly string[]) => {
    const file = join(folder, `${name}.csv`);
    writeFileSync(file, `${['kind,days', ...rows].join('\n')}\n`);
    return file;
  };
  const studyFile = (name: string, kind: TableStudy['codebook'][string]) => {
    const file = join(folder, `${name}.json`);
    const codebook = { days: recovery.codebook.days, kind };
    writeFileSync(file, JSON.stringify({ ...recovery, formula: 'days ~ kind', codebook }));
    return file;
  };
  const contribute = (study: string, file: string, out: string) =>
    runSuffice([
      ...['contribute', study, file, '--site', 'north', '--out', join(folder, out)],
      ...['--home', join(folder, 'home'), '--quiet'],
    ]);
  const number = studyFile('number', { type: 'number', range: [0, 4] });
  const category = studyFile('category', { type: 'category', levels: ['1', '2', '3'] });
  expect((await contribute(number, path('all', rowsOf(90)), 'a.suffice')).code).toBe(0);
  const less = await contribute(category, path('less', rowsOf(89)), 'b.suffice');
  expect([less.code, less.stderr]).toEqual([5, expect.stringContaining('R9')]);
  expect(existsSync(join(folder, 'b.suffice'))).toBe(false);
});

it('a receipt that was lost on its way is had again from a study whose budget is spent', async () => {
  const study: TableStudy = {
    ...pressure,
    name: 'Spent',
    privacy: { epsilon: 2, delta: 1e-5, unit: 'row' },
  };
  const folder = mkdtempSync(join(root, 'spent-'));
  const running = await servedStudy(folder, study, ['only']);
  const proxy = await watchingProxy(running.served.address, ({ method }, count) => {
    posts += Number(method === 'POST');
    return method === 'POST' && posts === 1 && count > 0 ? 'cut-after' : 'pass';
  });
  let posts = 0;
  const home = join(folder, 'home');
  const invitation = running.invitation('only', proxy.address);
  const path = table(folder, 'only', people(300));
  const { code, stderr } = await runSuffice(['join', invitation, path, '--yes', '--home', home]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(posts).toBeGreaterThan(1);
  expect(held(home, 'outbox')).toEqual([]);
  expect(held(home, 'receipts')).toHaveLength(2);
  expect(readFileSync(join(home, 'ledger.jsonl'), 'utf8')).toContain('"outcome":"acknowledged"');
});

it('a coordinator publishes no total that breaks the rules, whoever made its parts', async () => {
  const store = await openSqliteStore(join(mkdtempSync(join(root, 'store-')), 'suffice.db'));
  const { coordinator, id, sites } = await runningStudy(store, ['north', 'south'], {
    study: { ...anyStudy(), disclosure: {} },
  });
  await sites[0].send(rows(0, 4));
  await sites[1].send(rows(4, 8));
  await coordinator.runDueWork();
  const view = await coordinator.view(operator, id);
  expect(view.problem).toContain('disclosure rules: R0');
  expect((await coordinator.resolutions(operator, id)).resolutions).toEqual([]);
  await store.close();
});
