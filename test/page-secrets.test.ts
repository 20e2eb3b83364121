import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../src/node/server/serve.ts';
import { linkText } from '../src/protocol/link.ts';
import { studyId } from '../src/protocol/study-part.ts';
import { temporaryFolder } from './cli.ts';
import { chosen, enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { study } from './http-study.ts';
import { servedStudy } from './served-study.ts';

const present = fileBrowser();
const folder = temporaryFolder();
const secret = /sf[ico]_/;

/** The addresses that this tab can go back and forth to. */
const historyOf = (page: Page): Promise<string[]> =>
  page.evaluate(
    '[location.href, ...(globalThis.navigation?.entries() ?? []).map(({ url }) => url)]',
  );

async function expectHidden(page: Page): Promise<void> {
  const places = await historyOf(page);
  expect(places.filter((place) => secret.test(place))).toEqual([]);
  const links = await page
    .locator('a[href]')
    .evaluateAll((all) => all.map((one) => (one as { href?: string }).href ?? ''));
  expect(links.filter((place) => secret.test(place))).toEqual([]);
}

describe('the secret of a link', () => {
  it('leaves the address and the history of every page, and the tab keeps it', async (context) => {
    const browser = present(context);
    const running = await servedStudy(join(folder, 'one'), { ...study, name: 'Hidden' }, ['north']);
    const { served, created } = running;
    const tab = await browser.newContext();
    onTestFinished(() => tab.close());
    const page = await tab.newPage();
    const invitation = linkText(running.link('north'));
    const admin = linkText({
      ...running.link('north'),
      purpose: 'study',
      token: created.adminToken,
    });
    const named = `#${created.digest.slice(7)}.${created.coordinatorKey}`;

    // A site: its page, a reload, the pages it can go to, and back.
    await page.goto(invitation);
    await page.getByRole('heading', { name: 'What is asked' }).waitFor();
    await expect.poll(() => page.url()).toBe(`${served.address}/join${named}`);
    await page.reload();
    await page.getByRole('heading', { name: 'What is asked' }).waitFor();
    await expectHidden(page);
    await page.getByRole('link', { name: 'Result' }).click();
    await page.waitForURL(`${served.address}/result${named}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectHidden(page);

    // The analyst in the same tab: each page gets the secret it is for.
    await page.goto(admin);
    await page.getByRole('heading', { name: 'Hidden' }).waitFor();
    await expect.poll(() => page.url()).toBe(`${served.address}/study${named}`);
    await page.getByRole('link', { name: 'Predict' }).click();
    await page.waitForURL(`${served.address}/predict${named}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectHidden(page);
    await page.goto(`${served.address}/join${named}`);
    await page.getByRole('heading', { name: 'What is asked' }).waitFor();

    // A copied address in another browser opens nothing, and asks for the link.
    const other = await browser.newContext();
    onTestFinished(() => other.close());
    const cold = await other.newPage();
    const asked: string[] = [];
    cold.on('request', (request) => asked.push(request.url()));
    await cold.goto(`${served.address}/join${named}`);
    await cold.getByText('This link is not complete.').waitFor();
    for (const name of chosen(['study', 'result', 'predict'], 1)) {
      await cold.goto(`${served.address}/${name}${named}`);
      await cold.getByText('open the link you were given').waitFor();
    }
    expect(asked.filter((url) => url.includes('/studies'))).toEqual([]);
  });

  it.runIf(enduring)(
    'stays in the address where the browser keeps nothing for a tab',
    async (context) => {
      const browser = present(context);
      const running = await servedStudy(join(folder, 'two'), study, ['north']);
      const tab = await browser.newContext();
      onTestFinished(() => tab.close());
      await tab.addInitScript(
        'Object.defineProperty(globalThis, "sessionStorage", { get() { throw new Error("off") } })',
      );
      const page = await tab.newPage();
      await page.goto(linkText(running.link('north')));
      await page.getByRole('heading', { name: 'What is asked' }).waitFor();
      await expect.poll(() => page.url()).toBe(linkText(running.link('north')));
      await page.getByRole('link', { name: 'Result' }).click();
      await page.waitForURL(/\/result#/);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.getByText('names no study').count()).toBe(0);
    },
  );
});

describe('a page of an old study with hidden characters', () => {
  it('writes them out in every text', async (context) => {
    const browser = present(context);
    const served = await serve({ data: join(folder, 'three'), port: 0, log: 'none' });
    onTestFinished(() => served.stop());
    expect(readFileSync(served.operatorTokenFile!, 'utf8')).not.toBe('');
    const name = 'x\u202eegassem';
    const old = {
      ...study,
      name: 'A\u202eB\u200bC',
      formula: `y ~ \`${name}\``,
      codebook: { y: study.codebook.y!, [name]: study.codebook.x! },
    };
    // The store of an earlier version may hold it; a request for a new study would be refused.
    const created = await served.coordinator.create(
      { role: 'operator' },
      { study: old, sites: ['north'] },
    );
    const { token } = created.invitations[0]!;
    const { digest, coordinatorKey } = created;
    const tab = await browser.newContext();
    onTestFinished(() => tab.close());
    const page = await tab.newPage();
    await page.goto(
      linkText({
        coordinator: served.address,
        purpose: 'join',
        study: studyId(digest),
        digest,
        token,
        coordinatorKey,
      }),
    );
    await page.getByRole('heading', { name: 'What is asked' }).waitFor();
    const text = `${await page.locator('body').textContent()} ${await page.title()}`;
    expect(text).not.toMatch(/[\u202e\u200b]/);
    expect(text).toContain('x<U+202E>egassem');
    expect(text).toContain('A<U+202E>B<U+200B>C');
    const attributes = await page
      .locator('[title], [aria-label]')
      .evaluateAll((all) =>
        all.map((one) => (one as { outerHTML?: string }).outerHTML ?? '').join(),
      );
    expect(attributes).not.toMatch(/\u202e/);
  });
});
