import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Link, parseLink } from '../src/protocol/link.ts';
import type { TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { fileBrowser } from './file-browser.ts';
import { pageVisit } from './join-page.ts';
import { secureSetting, studyFile } from './secure-setting.ts';
import { hasSharedData } from './shared-data.ts';
import { type Columns, csvOf, heartStudy, heartTables } from './vertical-heart.ts';

const folder = temporaryFolder();
const present = fileBrowser();
const setting = await secureSetting(folder, ['registry']);
const { served } = setting;

it.skipIf(!hasSharedData)(
  'a party links by points in a tab, the other by the command; the total is that of the joined table',
  async (context) => {
    const browser = present(context);
    const some = (columns: Columns): Columns => {
      const kept = columns.nhs_number.map((id) => String(id) < '943 471300');
      return Object.fromEntries(
        Object.entries(columns).map(([name, cells]) => [name, cells.filter((_, r) => kept[r])]),
      );
    };
    const { joined, hospital, registry } = heartTables();
    const write = (name: string, columns: Columns) => {
      const path = join(folder, name);
      writeFileSync(path, csvOf(some(columns)));
      return path;
    };
    const running = { served } as Parameters<typeof pageVisit>[1];
    const visit = await pageVisit(browser, running, 'hospital');
    const { page } = visit;
    await page.goto(`${visit.address}/join`);
    await visit.heading('The key of this browser');
    const key = (await page.locator('code.digest').textContent())!;
    const roster = join(folder, 'roster.txt');
    writeFileSync(roster, `hospital ${key}\n${readFileSync(roster, 'utf8')}`);
    const path = join(folder, 'points.json');
    const links = join(folder, 'points');
    const study = {
      ...{ ...heartStudy, formula: 'num ~ age + trestbps' },
      partition: {
        ...{ ...heartStudy.partition!, linkage: 'ecdh' },
        parties: { hospital: ['age', 'trestbps'], registry: ['num'] },
      },
    } as TableStudy;
    for (const args of [
      [
        ...['study', 'secure', studyFile(folder, 'points', study), '--out', path],
        ...['--helper', setting.helper.address, '--roster', roster],
      ],
      [
        ...['study', 'create', path, '--coordinator', served.address, '--out', links],
        ...['--token-file', served.operatorTokenFile!],
      ],
    ]) {
      const { code, stderr } = await suffice(...args);
      expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    }
    const text = readFileSync(join(links, 'hospital.invitation'), 'utf8');
    await visit.come({
      link: () => ({ ...(parseLink(text) as Link), coordinator: visit.address }),
    });
    await visit.ready();
    visit.mark();
    await visit.give('hospital.csv', csvOf(some(hospital)));
    await visit.heading('What will be sent');
    expect(await visit.text()).toContain('registry learns it before anybody can stop it');
    expect([visit.asked, visit.received()]).toEqual([[], []]);
    await visit.approve();
    await page.getByText('Waiting for the key of registry').waitFor();
    const other = await suffice(
      ...['join', join(links, 'registry.invitation'), write('registry.csv', registry)],
      ...['--yes', '--json', '--acknowledge', 'R6,R7', '--home', setting.home('registry')],
    );
    expect([other.code, other.code === 0 ? '' : other.stderr]).toEqual([0, '']);
    await visit.heading('Sent and acknowledged');
    const steps = visit
      .received()
      .filter(({ method }) => method === 'POST')
      .map(({ path: at, body }) =>
        at.endsWith('/parties') ? JSON.parse(body.toString()).step : at.replace(/.*\//, ''),
      );
    expect(steps).toEqual(['keys', 'points', 'doubled', 'count', 'columns', 'contributions']);
    expect(visit.complaints).toEqual([]);
    expect(visit.asked).toContainEqual(expect.stringMatching(/libsodium-sumo.*\.js$/));

    await served.coordinator.runDueWork();
    const { stdout } = await suffice('report', join(links, 'admin.link'), '--json');
    const pooled = await suffice('fit', path, write('joined.csv', joined), '--json');
    const report = JSON.parse(stdout);
    expect(report.n).toBe(some(joined).age.length);
    expect(report.digest).toBe(JSON.parse(pooled.stdout).digest);
  },
);
