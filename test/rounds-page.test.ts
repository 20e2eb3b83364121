import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { followRounds } from '../src/protocol/follow-rounds.ts';
import { type Link, linkText } from '../src/protocol/link.ts';
import type { TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { joinHere } from './join-here.ts';
import { leave, pageVisit, shelfOf } from './join-page.ts';
import { servedStudy } from './served-study.ts';
import { watchedPage } from './watched-page.ts';
import type { Fate } from './watching-proxy.ts';

const study: TableStudy = {
  schema: 'suffice/study@1',
  name: 'Rounds in tabs',
  formula: 'sick ~ age',
  codebook: {
    sick: { type: 'number', range: [0, 1] },
    age: { type: 'number', range: [18, 100] },
  },
  fusion: { kind: 'glm', family: 'binomial', remainder: 'expected' },
  arithmetic: 'exact',
};
const rowsOf = (site: number) => {
  const rows = Array.from({ length: 120 }, (_, r) => {
    const age = 18 + ((r * 7 + site * 13) % 80);
    return `${age},${(r * 31 + site * 17) % 97 < age ? 1 : 0}`;
  });
  return `age,sick\n${rows.join('\n')}\n`;
};

const present = fileBrowser();
const root = temporaryFolder();

describe('a second round in tabs', () => {
  it.runIf(enduring)(
    'is asked for by the analyst, joined with the link of the first, interrupted and sent again',
    async (context) => {
      const folder = mkdtempSync(join(root, 'rounds-'));
      const running = await servedStudy(folder, study, ['north', 'south']);
      const { created, link, served } = running;
      const path = join(folder, 'south.csv');
      writeFileSync(path, rowsOf(1));
      const south = () => joinHere({ link: link('south'), path }, join(folder, 'south'));
      const own: Link = { ...link('north'), purpose: 'study', token: created.adminToken };
      let fate: Fate = 'pass';
      const visit = await pageVisit(present(context), running, 'north', ({ method, path }) =>
        method === 'POST' && path.endsWith('/contributions') ? fate : 'pass',
      );
      const joinByPage = async () => {
        await visit.come();
        await visit.ready();
        await visit.give('north.csv', rowsOf(0));
        await visit.heading('What will be sent');
        await visit.approve();
      };
      await south();
      await joinByPage();
      await visit.heading('Sent and acknowledged');

      const { page, expectDiscretion } = await watchedPage(present(context));
      await page.goto(linkText(own));
      await page.getByRole('button', { name: 'Ask the sites for one more round' }).click();
      await page.getByRole('button', { name: 'Open the round' }).click();
      await page.locator('.tag', { hasText: 'Round 2' }).waitFor();
      await page.getByText('0 of 2 sites have contributed').waitFor();

      fate = 'cut-before';
      await joinByPage();
      await visit.page
        .getByRole('button', { name: 'Look at the study, then send again' })
        .waitFor();
      fate = 'pass';
      await visit.come();
      expect(await visit.text()).toContain('This is round 2 of the study.');
      await visit.page.getByRole('button', { name: /^Send the same / }).click();
      await visit.heading('Sent and acknowledged');
      await south();

      await page.getByRole('link', { name: 'See the result' }).click();
      await page.locator('.tag', { hasText: 'Round 2' }).waitFor();
      const [first, second] = await followRounds(own);
      expect([first.view.state, second.view.state]).toEqual(['resolved', 'resolved']);
      // The address of the first round shows the newest result, and offers the earlier.
      await leave(page, served.address);
      await page.goto(linkText(own).replace('/study#', '/result#'));
      await page.locator('.tag', { hasText: 'Round 2' }).waitFor();
      await page.getByLabel('Round', { exact: true }).selectOption({ label: '1, resolved' });
      await page.locator('.tag', { hasText: 'Round 2' }).waitFor({ state: 'detached' });
      await page.getByText(/^After one round,/).waitFor();

      await page.getByRole('link', { name: 'Predict', exact: true }).click();
      await page.getByText(/^Round 2, resolution 1: /).waitFor();

      const { entries } = await second.client.auditLog();
      const sent = entries.filter(({ event }) => event === 'contributed');
      expect(sent.map(({ detail }) => detail.site).sort()).toEqual(['north', 'south']);
      expect(Object.keys(await shelfOf(visit.page, 'lines'))).toHaveLength(2);
      expect(Object.keys(await shelfOf(visit.page, 'outbox'))).toEqual([]);
      expect(visit.complaints).toEqual([]);
      expectDiscretion(served.address, [created.adminToken]);
    },
  );
});
