import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LedgerView } from '../src/node/site/ledger-view.ts';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import { epsilonOf } from '../src/privacy/calibration.ts';
import { studyId } from '../src/protocol/study-part.ts';
import { suffice } from './cli.ts';
import { ledgerFolders, ledgerLines, lineOf, writeLedger } from './ledger-folder.ts';

const folders = ledgerFolders();

describe('suffice ledger', () => {
  const run = (...args: string[]) => suffice('ledger', ...args);

  it('lists what has left, what waits, and what was spent', async () => {
    const folder = folders.filled();
    const home = await openSiteFolder(folder);
    const [, second] = await home.past();
    await home.record(lineOf(6, { charge: { mu: 0.6 }, shared: [lineOf(4).digest] }));
    await home.record(lineOf(7, { charge: { mu: 3 }, shared: [], outcome: 'refused' }));
    await home.record(lineOf(8, { to: '/out.suffice', outcome: 'written', mode: 'replace' }));
    const { code, stdout } = await run('--home', folder, '--json');
    const view: LedgerView = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(view).toMatchObject({ schema: 'suffice/ledger@1', folder, intact: true });
    expect(view.releases.map(({ site, outcome }) => `${site} ${outcome}`)).toEqual([
      'site 1 acknowledged',
      'site 2 acknowledged',
      'site 3 acknowledged',
      'site 4 acknowledged',
      'site 6 acknowledged',
      'site 7 refused',
      'site 8 written',
      'site 5 waiting',
    ]);
    expect(view.releases[1]).toMatchObject({ digest: second.digest, columns: ['age'] });
    expect(view.spent).toEqual([
      {
        releases: [lineOf(4).digest, lineOf(6).digest],
        mu: expect.closeTo(0.65, 14),
        epsilon: expect.closeTo(epsilonOf(0.65, 1e-5), 12),
        delta: 1e-5,
      },
      { releases: [lineOf(7).digest], mu: 3, epsilon: epsilonOf(3, 1e-5), delta: 1e-5 },
    ]);
    const text = (await run('--home', folder)).stdout;
    const { study } = lineOf(4);
    expect(text).toMatch(
      new RegExp(
        `2030-01-04 12:00  ${studyId(study)}  site 4 +acknowledged\n` +
          ' +adds 30 rows of 1 column, μ 0\\.250, ε 0\\.926; to https://coordinator\\.example\n',
      ),
    );
    expect(text).toMatch(/site 3 +acknowledged\n +adds 30 rows of 1 column, exact; to https/);
    expect(text).toMatch(/site 8 +written\n +replaces all before by 30 rows of 1 column, exact/);
    expect(text).toMatch(/site 5 +waiting\n +adds 30 rows of 1 column, exact\n/);
    const wide = text.split('\n').filter((line) => line.length > 80 && !line.includes(folder));
    expect(wide).toEqual([]);
    expect(text).toContain('μ 0.650, ε 2.68 in 2 releases that share rows');
    expect(text.replace(/\s+/g, ' ')).toContain(`8 releases; the ledger in ${folder} is intact`);
  });

  it('ends with 5 where the ledger was tampered with', async () => {
    const folder = folders.filled();
    writeLedger(folder, ledgerLines(folder).slice(0, -1));
    const told = await run('--home', folder);
    expect(told.code).toBe(5);
    expect(told.stderr).toContain('cannot be trusted: ledger.jsonl ends at line 3; it had 4 lines');
    expect(told.stderr).toContain('→ restore');
    expect(told.stdout).not.toContain('intact');
    const json = await run('--home', folder, '--json');
    expect([json.code, JSON.parse(json.stdout).intact]).toEqual([5, false]);
  });

  it('has nothing to tell of a site that never released', async () => {
    const folder = join(folders.root, 'never');
    expect(await run('--home', folder)).toEqual({
      code: 0,
      stderr: '',
      stdout: `nothing has left this site, as far as ${folder} tells\n`,
    });
    expect(readdirSync(folders.root)).not.toContain('never');
  });
});
