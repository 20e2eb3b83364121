import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSuffice, temporaryFolder } from './cli.ts';
import { clickhouseDatabase, whyNoClickhouse } from './database-tables.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';

const folder = temporaryFolder();
const study = {
  schema: 'suffice/study@1',
  formula: 'y ~ x',
  codebook: {
    y: { type: 'number', range: [0, 1000] },
    x: { type: 'number', range: [0, 1000] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};

describe.runIf(enduring && whyNoClickhouse() === undefined)('a table of ClickHouse', () => {
  let database: Awaited<ReturnType<typeof clickhouseDatabase>>;
  const path = join(folder, 'study.json');
  beforeAll(async () => {
    database = await clickhouseDatabase();
    const rows = Array.from({ length: 60 }, (_, r) => [String(r), String((r * 7) % 31)]);
    await database.put('patients', { columns: { y: 'number', x: 'number' }, rows });
    writeFileSync(path, JSON.stringify(study));
  });
  afterAll(() => database?.stop());

  let count = 0;
  async function contributed(address: string, ...flags: readonly string[]) {
    const out = join(folder, `${++count}.suffice`);
    const home = join(folder, `home-${count}`);
    const outcome = await runSuffice(
      [
        ...['contribute', path, address, '--unsigned', '--site', 'north', '--out', out],
        ...['--home', home, '--yes', '--acknowledge', 'none', ...flags],
      ],
      { env: { SUFFICE_DB_PASSWORD: 'click secret' } },
    );
    return { ...outcome, written: existsSync(out) };
  }

  async function refused(address: string, code: number, ...flags: readonly string[]) {
    const outcome = await contributed(address, ...flags);
    expect([outcome.code, outcome.written], outcome.stderr).toEqual([code, false]);
    expect(outcome.stderr).not.toContain('click secret');
    return outcome.stderr;
  }

  it('is read and summed by a user that may change no setting', async () => {
    const strict = database.place.replace('reader', 'strict');
    for (const when of ['never', 'always']) {
      const { code, stderr, written } = await contributed(`${strict}#patients`, '--pushdown', when);
      expect([code, written], stderr).toEqual([0, true]);
    }
  });

  it('is summed by queries longer than the server takes, where the user may say so', async () => {
    const [brief, fixed] = ['brief', 'fixed'].map((name) => database.place.replace('reader', name));
    const { code, stderr } = await contributed(`${brief}#patients`, '--pushdown', 'always');
    expect(code, stderr).toBe(0);
    const said = await refused(`${fixed}#patients`, 5, '--pushdown', 'always');
    expect(said).toContain('the query is longer than the server takes from this user');
    expect(said).toMatch(/max_query_size = \d+, max_ast_elements = \d+, max_expanded_ast_elements/);
    expect((await contributed(`${fixed}#patients`, '--pushdown', 'never')).code).toBe(0);
  });

  it('is refused to a user without rights to it', async () => {
    const elsewhere = database.place.replace('reader', 'elsewhere');
    expect(await refused(`${elsewhere}#patients`, 5)).toContain('no permission');
    expect(await refused(`${elsewhere}#select y, x from default.patients`, 5)).toContain(
      'no permission',
    );
  });

  it('is refused where it is a view with random numbers', async () => {
    await database.run(
      'create view shaken as select toFloat64(rand() % 1000) as y, x from patients',
    );
    for (const rows of ['shaken', 'select toFloat64(rand() % 1000) as y, x from patients']) {
      for (const when of ['never', 'always']) {
        const said = await refused(`${database.place}#${rows}`, 3, '--pushdown', when);
        expect(said).toContain('the rows changed between two readings');
      }
    }
  });

  it('is refused where the connection is lost in the middle', async () => {
    const endless = 'select toFloat64(number % 9) as y, toFloat64(1) as x from system.numbers';
    const ending = eventually(async () => {
      const running = await database.run(
        "select count() from system.processes where query like '%system.numbers%'",
      );
      expect(Number(running)).toBe(2);
      database.kill();
    });
    const said = await refused(`${database.place}#${endless}`, 4);
    await ending;
    expect(said).toContain('the connection to the database was lost');
  });
});
