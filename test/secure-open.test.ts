import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agreement, contribution } from '../src/federate.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import { studyClient } from '../src/protocol/client.ts';
import { type Link, parseLink } from '../src/protocol/link.ts';
import type { SiteOpening } from '../src/protocol/opening-messages.ts';
import { sealDocument } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { wordsOf } from '../src/statistic/layout.ts';
import { ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import { sumStatistics } from '../src/statistic/statistic.ts';
import { runSuffice, suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { pageVisit } from './join-page.ts';
import { penguins, secureSetting } from './secure-setting.ts';
import { watchedPage } from './watched-page.ts';

const folder = temporaryFolder();
const present = fileBrowser();
const setting = await secureSetting(folder, ['dream', 'eve', 'torgersen']);
const { served } = setting;
const linkIn = (path: string) => parseLink(readFileSync(path, 'utf8').trim()) as Link;

/** A site that skips its own check: its sums have a unit too many, before they are masked. */
async function sendGarbage(invitation: string): Promise<{ agree(): Promise<void> }> {
  const client = studyClient(linkIn(invitation));
  const { study, digest } = await client.view();
  const agreed = agreement(parseStudy(study));
  await agreed.aggregation.load?.();
  const key = await (await openSiteFolder(setting.home('eve'))).key();
  const statistic = sumStatistics(agreed.layout, []);
  const made = contribution(agreed, 'eve', { statistic, rows: 0, dropped: 0, missing: {} });
  const values = made.statistic.values.slice();
  const words = wordsOf(agreed.layout);
  setRingEntry(values, words, 0, ringEntry(values, words, 0) + 1n);
  const spoiled = { ...made, statistic: { ...made.statistic, values } };
  const receipt = await client.contribute(encodeContribution(signContribution(spoiled, key)));
  return {
    async agree() {
      const opening: SiteOpening = {
        schema: 'suffice/opening@1',
        study: digest,
        site: 'eve',
        contributions: [{ sequence: 1, digest: receipt.digest }],
      };
      await client.agreeToOpen({ opening: sealDocument(opening, key) });
    },
  };
}

it.runIf(enduring)(
  'the analyst asks on the page; sites agree by page and by command; the liar is named',
  async (context) => {
    const browser = present(context);
    const running = { served } as Parameters<typeof pageVisit>[1];
    const visit = await pageVisit(browser, running, 'biscoe');
    await visit.page.goto(`${visit.address}/join`);
    await visit.heading('The key of this browser');
    const key = (await visit.page.locator('code.digest').textContent())!;
    const roster = join(folder, 'roster.txt');
    writeFileSync(roster, `${readFileSync(roster, 'utf8')}biscoe ${key}\n`);
    const links = await setting.create(penguins('study.json'), 'blamed');
    const invitation = (site: string) => join(links, `${site}.invitation`);
    const admin = join(links, 'admin.link');

    // Before anything is wrong, nobody can be asked.
    const early = await suffice('open', admin);
    expect([early.code, early.stderr]).toEqual([
      5,
      expect.stringMatching(/nothing has to be opened/),
    ]);

    await visit.come({
      link: (_, address) => ({ ...linkIn(invitation('biscoe')), coordinator: address! }),
    });
    await visit.ready();
    await visit.give('biscoe.csv', readFileSync(penguins('biscoe.csv')));
    await visit.heading('What will be sent');
    await visit.approve();
    await visit.heading('Sent and acknowledged');
    const eve = await sendGarbage(invitation('eve'));
    for (const site of ['dream', 'torgersen']) {
      expect((await setting.join(links, site)).stderr).toBe('');
    }
    await served.coordinator.runDueWork();
    const status = await suffice('status', admin);
    expect(status.stdout).toMatch(/problem +the opened total is not the sum of any rows/);
    expect(status.stdout).toMatch(/opening +biscoe has not agreed\n +dream has not agreed/);

    // A site is not asked yet: nothing is sent.
    const unasked = await suffice(
      'open',
      invitation('dream'),
      '--yes',
      '--home',
      setting.home('dream'),
    );
    expect([unasked.code, unasked.stderr]).toEqual([5, expect.stringMatching(/nobody has asked/)]);

    const analyst = await watchedPage(browser);
    const { page } = analyst;
    await page.goto(`${served.address}/study#${pageOf(linkIn(admin))}`);
    await page.getByRole('button', { name: 'Ask the sites to open their numbers' }).click();
    await page.getByText('The sites were asked on').waitFor();

    // By command: what it means is said first, and nobody agrees without a word.
    const silent = await runSuffice(['open', invitation('dream'), '--home', setting.home('dream')]);
    expect([silent.code, silent.stderr]).toEqual([2, expect.stringMatching(/must be confirmed/)]);
    expect(silent.stderr).toMatch(/The coordinator then sees your statistic/);
    const other = await suffice(
      'open',
      invitation('dream'),
      '--yes',
      '--home',
      setting.home('eve'),
    );
    expect([other.code, other.stderr]).toEqual([5, expect.stringMatching(/has no receipt/)]);
    const view = await studyClient(linkIn(admin)).view();
    expect(view.opening?.sites.map(({ state }) => state)).toEqual(view.sites.map(() => 'silent'));
    const agreed = await suffice(
      'open',
      invitation('dream'),
      '--yes',
      '--home',
      setting.home('dream'),
    );
    expect([agreed.code, agreed.stdout]).toEqual([0, expect.stringMatching(/dream has agreed/)]);

    const receipts = join(setting.home('dream'), 'receipts');
    const kept = readdirSync(receipts).filter((name) => name.endsWith('-opening.json'));
    expect(kept).toHaveLength(1);
    expect(statSync(join(receipts, kept[0])).mode & 0o777).toBe(0o600);

    // By page: one request.
    await visit.page.reload();
    await visit.heading('The analyst asks you to open what you sent');
    expect(await visit.text()).toContain('The coordinator then sees your statistic');
    visit.mark();
    await visit.page.getByRole('button', { name: 'Agree to open' }).click();
    await visit.page.getByRole('dialog').getByRole('button', { name: 'Agree to open' }).click();
    await visit.page.getByText('biscoe has agreed').waitFor();
    expect(visit.asked.filter((one) => one.startsWith('POST'))).toEqual([
      expect.stringMatching(/\/openings$/),
    ]);
    expect(visit.complaints).toEqual([]);

    // The last words open everybody, as two sites cannot hide one.
    await eve.agree();
    const last = ['open', invitation('torgersen'), '--yes', '--home', setting.home('torgersen')];
    expect((await suffice(...last)).code).toBe(0);
    await served.coordinator.runDueWork();
    await page.getByText(/^eve was opened: its numbers are wrong/).waitFor();
    await page.getByText('The result is ready').waitFor();
    const report = JSON.parse((await suffice('report', admin, '--json')).stdout);
    const files = ['biscoe', 'dream', 'torgersen'].map((site) => penguins(`${site}.csv`));
    const fit = await suffice('fit', join(folder, 'blamed.json'), ...files, '--json');
    expect(report.digest).toBe(JSON.parse(fit.stdout).digest);
  },
);

function pageOf({ study, token, coordinatorKey }: Link): string {
  return `${study}.${token}.${coordinatorKey}`;
}
