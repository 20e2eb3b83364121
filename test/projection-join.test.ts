import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fitStudy } from '../src/node/run/fit.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import type { TableStudy } from '../src/study/study.ts';
import { workerBrowser } from './browser.ts';
import { fitReport, suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { joinHere } from './join-here.ts';
import { unitsStudy, unitsTable } from './projected.ts';
import { expectRelative } from './relative.ts';
import { resultVisit } from './result-visit.ts';
import { servedStudy } from './served-study.ts';
import { watchingProxy } from './watching-proxy.ts';

const root = temporaryFolder();
const study: TableStudy = { ...unitsStudy, fusion: { kind: 'ridge', ridge: 0 } };

/** Some rows of the table as a file; the first `rare` of them alone have level c. */
function file(name: string, from: number, to: number, rare = 20): string {
  const path = join(mkdtempSync(join(root, 'file-')), `${name}.csv`);
  const { kg, year, dose, z } = unitsTable.cells;
  const lines = Array.from({ length: to - from }, (_, k) => {
    const r = from + k;
    return `${kg[r]},${year[r]},${dose[r]},${k < rare ? 'c' : 'ab'[k % 2]},${z[r]}`;
  });
  writeFileSync(path, `${['kg,year,dose,g,z', ...lines].join('\n')}\n`);
  return path;
}

describe('a site asked for projections', () => {
  it.runIf(enduring)(
    'sends what everyone resolves to the same report, to the last bit, and pages tell its columns',
    async () => {
      const folder = mkdtempSync(join(root, 'served-'));
      const running = await servedStudy(folder, study, ['north', 'south']);
      const proxy = await watchingProxy(running.served.address);
      const home = (site: string) => join(folder, site);
      const told: string[] = [];
      const sent = (site: string, path: string) =>
        joinHere({ link: running.link(site, proxy.address), path }, home(site), told);

      // A level of three rows: the sums of projections would still tell them.
      await expect(sent('north', file('rare', 0, 100, 3))).rejects.toMatchObject({
        message: expect.stringMatching(/audit refuses .*R3/s),
      });
      expect(told.join('\n')).toContain('on 3 random projections of the columns');
      expect(proxy.received.map(({ method }) => method)).toEqual(['GET']);
      expect(existsSync(join(home('north'), 'ledger.jsonl'))).toBe(false);

      const files = [file('north', 0, 60), file('south', 60, 120)];
      await sent('north', files[0]);
      await sent('south', files[1]);
      const fitted = await fitStudy(study, files, () => silentProgress, { threads: 1 });
      const { flags: _, ...here } = fitted.report;
      await eventually(async () => {
        const { flags: __, ...there } = (await running.admin.resolution('latest')).report;
        expect(there).toEqual(JSON.parse(JSON.stringify(here)));
      });
      const names = here.original!.map(({ term }) => term);
      expect(names).toContain('kg');
      const browser = await workerBrowser();
      if (browser === undefined) return;
      const { id, adminToken, coordinatorKey } = running.created;
      const address = (page: string) =>
        `${running.served.address}/${page}#${id}.${adminToken}.${coordinatorKey}`;
      const result = await resultVisit(browser, address('result'));
      const shown = await result.table('Coefficients');
      // A term that R names otherwise has R's name below it.
      expect(shown.slice(1).map(([name]) => name.split(' ').at(-1))).toEqual(names);
      const effects = await result.part('effects');
      await effects.getByText('dose', { exact: true }).waitFor();
      const predict = await resultVisit(browser, address('predict'));
      for (const [name, value] of [
        ['kg (kg)', '80'],
        ['year', '1990'],
        ['dose', '0.001'],
      ] as const) {
        await predict.page.getByLabel(name).fill(value);
      }
      const at = { kg: 80, year: 1990, dose: 0.001, '(Intercept)': 1, gb: 0, gc: 0 };
      const expected = here.original!.reduce(
        (sum, { term, estimate }) => sum + estimate * at[term as keyof typeof at],
        0,
      );
      const value = predict.page.locator('.predict-value data');
      await eventually(async () => {
        expectRelative(
          Number(await value.first().getAttribute('value')),
          expected,
          1e-9,
          'the form',
        );
      });
      expect(await predict.page.locator('.predict-sum tbody tr').count()).toBeGreaterThan(3);
      expect(await predict.page.locator('body').textContent()).not.toMatch(/projection\d/);
    },
  );
});

describe('the command line', () => {
  const files = [file('north', 0, 60), file('south', 60, 120)];

  it('fits with --projection as a study with that feature does, and exports', async () => {
    const folder = mkdtempSync(join(root, 'fit-'));
    const model = join(folder, 'model.json');
    const given = await fitReport(
      'z ~ kg + year + dose + g',
      files,
      '--projection',
      '3,7',
      '--save-model',
      model,
    );
    expect(given.projection).toEqual({ dimension: 3, seed: 7, columns: 5 });
    expect(JSON.parse(readFileSync(model, 'utf8')).study.features).toEqual([
      { kind: 'projection', dimension: 3, seed: 7 },
    ]);
    const tidy = await suffice('export', model, '--format', 'csv');
    const [, ...lines] = tidy.stdout.trim().split(/\r?\n/);
    expect(lines.map((line) => line.split(',')[0])).toEqual(
      given.original!.map(({ term }) => term),
    );
  });

  it('says what a projection spares and what it costs, before anything is sent', async () => {
    const path = join(mkdtempSync(join(root, 'check-')), 'study.json');
    writeFileSync(path, JSON.stringify(study));
    const { code, stdout } = await suffice('study', 'check', path);
    expect(code).toBe(0);
    expect(stdout).toContain('sends 15 numbers once, 240 B');
    expect(stdout).toContain('5 columns to 3 (seed 4294967295); without it 448 B');
    expect(stdout).toMatch(/keeps about 60 % of what unrelated columns explain/);
  });
});
