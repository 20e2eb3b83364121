import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Link, linkText, parseLink } from '../src/protocol/link.ts';
import { expectAccessible } from './axe.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { fileBrowser } from './file-browser.ts';
import { pageVisit, shelfOf } from './join-page.ts';
import { secureSetting, studyFile } from './secure-setting.ts';
import { hasSharedData } from './shared-data.ts';
import { type Columns, csvOf, heartStudy, heartTables } from './vertical-heart.ts';
import { watchedPage } from './watched-page.ts';

const folder = temporaryFolder();
const present = fileBrowser();
const setting = await secureSetting(folder, ['registry']);
const { served } = setting;

it.skipIf(!hasSharedData)(
  'a party takes part in a tab that is reloaded on its way, another by the command; the total is that of the joined table',
  async (context) => {
    const browser = present(context);
    const { joined, hospital, registry } = heartTables();
    const write = (name: string, columns: Columns) => {
      const path = join(folder, name);
      writeFileSync(path, csvOf(columns));
      return path;
    };
    const running = { served } as Parameters<typeof pageVisit>[1];
    const visit = await pageVisit(browser, running, 'hospital');
    const { page } = visit;
    await page.goto(`${visit.address}/join`);
    await visit.heading('The key of this browser');
    const key = (await page.locator('code.digest').textContent())!;
    writeFileSync(
      join(folder, 'roster.txt'),
      `hospital ${key}\n${readFileSync(join(folder, 'roster.txt'), 'utf8')}`,
    );
    const path = join(folder, 'heart.json');
    const links = join(folder, 'heart');
    for (const args of [
      ['study', 'secure', studyFile(folder, 'heart', heartStudy), '--out', path],
      ['study', 'create', path, '--coordinator', served.address, '--out', links],
    ]) {
      const flags =
        args[1] === 'secure'
          ? ['--helper', setting.helper.address, '--roster', join(folder, 'roster.txt')]
          : ['--token-file', served.operatorTokenFile!];
      const { code, stderr } = await suffice(...args, ...flags);
      expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    }
    const linkOf = (name: string, coordinator: string): Link => ({
      ...(parseLink(readFileSync(join(links, name), 'utf8')) as Link),
      coordinator,
    });
    const invitation = { link: () => linkOf('hospital.invitation', visit.address) };

    // Everything is said before; nothing leaves between the choice of a file and its approval.
    await visit.come(invitation);
    await visit.ready();
    for (const said of ['nhs_number', 'links the rows', 'How does num depend on age']) {
      expect(await visit.text()).toContain(said);
    }
    expect(await page.locator('main code', { hasText: 'thalach' }).count()).toBe(0);
    visit.mark();
    await visit.give('hospital.csv', csvOf(hospital));
    await visit.heading('What will be sent');
    for (const said of [
      `token of each of your ${hospital.age.length} complete rows`,
      'each number minus a random one',
      'Each party learns which of its own people all parties have.',
      'Who is in all tables is itself a disclosure.',
    ]) {
      expect(await visit.text()).toContain(said);
    }
    expect([visit.asked, visit.received()]).toEqual([[], []]);
    await expectAccessible(page);

    // It waits for the other party; a reload asks for the same file, and another one is refused.
    await visit.approve();
    await visit.heading('The exchange with the other parties');
    await page.getByText('Waiting for the key of registry.').waitFor();
    const posted = () =>
      visit
        .received()
        .filter(({ method }) => method === 'POST')
        .map(({ path: at, body }) =>
          at.endsWith('/parties') ? JSON.parse(body.toString()).step : at.replace(/.*\//, ''),
        );
    expect(posted()).toEqual(['keys']);
    await visit.come(invitation);
    await page.getByText('You have begun the exchange with the other parties.').waitFor();
    await visit.ready();
    visit.mark();
    await visit.give('hospital.csv', csvOf(hospital));
    await visit.heading('What will be sent');
    expect([visit.asked, visit.received()]).toEqual([[], []]);

    // The analyst sees how far each party is.
    const analyst = await watchedPage(browser);
    await analyst.page.goto(linkText(linkOf('admin.link', served.address)));
    const row = (name: string) =>
      analyst.page.getByRole('row', { name: new RegExp(`^${name}`) }).last();
    await analyst.page.getByRole('heading', { name: 'The exchange between the parties' }).waitFor();
    await expect.poll(() => row('hospital').textContent()).toMatch(/Keys.*Secret/);
    await expect.poll(() => row('registry').textContent()).toMatch(/nothing yet.*Keys/);
    // By keys: the button has a name, and Enter presses it.
    for (const box of await page.getByRole('checkbox').all()) await box.check();
    await page.getByRole('button', { name: /^Send what is left/ }).focus();
    await page.keyboard.press('Enter');
    await visit.heading('The exchange with the other parties');
    await expectAccessible(page);
    const other = await suffice(
      ...['join', join(links, 'registry.invitation'), write('registry.csv', registry)],
      ...['--yes', '--json', '--acknowledge', 'R6,R7', '--home', setting.home('registry')],
    );
    expect([other.code, other.code === 0 ? '' : other.stderr]).toEqual([0, '']);
    await visit.heading('Sent and acknowledged');
    expect([...new Set(posted())]).toEqual([
      'keys',
      'secret',
      'tokens',
      'columns',
      'contributions',
    ]);
    expect(visit.complaints).toEqual([]);
    expect(Object.values(await shelfOf(page, 'receipts'))).toHaveLength(1);
    await expect.poll(() => row('hospital').textContent()).toMatch(/Share.*done/);
    await expectAccessible(analyst.page);
    analyst.expectDiscretion(served.address, [linkOf('admin.link', '').token]);

    await served.coordinator.runDueWork();
    const { stdout } = await suffice('report', join(links, 'admin.link'), '--json');
    const pooled = await suffice('fit', path, write('joined.csv', joined), '--json');
    const report = JSON.parse(stdout);
    expect([report.n, report.digest]).toEqual([
      joined.age.length,
      JSON.parse(pooled.stdout).digest,
    ]);
    await page.reload();
    await visit.heading('Your site has contributed');
    expect(await page.getByText('To send more').count()).toBe(0);
  },
);
