import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { serve } from '../src/node/server/serve.ts';
import { studyClient } from '../src/protocol/client.ts';
import { type Link, linkText } from '../src/protocol/link.ts';
import { regionalStudy } from '../src/study/regional-study.ts';
import { expectAccessible } from './axe.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { fileBrowser } from './file-browser.ts';
import { penguins } from './secure-setting.ts';
import { servedStudy } from './served-study.ts';
import { watchedPage } from './watched-page.ts';

const present = fileBrowser();

it('the page of a region says where its sum goes, that it arrived, and why it did not', async (context) => {
  const browser = present(context);
  const folder = temporaryFolder();
  const study = parseStudy(JSON.parse(readFileSync(penguins('study.json'), 'utf8')));
  const above = await servedStudy(join(folder, 'above'), study, ['north', 'south']);
  const below = await serve({ data: join(folder, 'below', 'data'), port: 0, log: 'none' });
  context.onTestFinished(() => below.stop());
  const { coordinatorKey, digest } = above.created;
  const place = { study: digest, site: 'north', coordinator: above.served.address, coordinatorKey };
  const region = await servedStudy(
    join(folder, 'below'),
    regionalStudy(study, place, { name: 'The north' }),
    ['biscoe', 'dream'],
    { parent: linkText(above.link('north')) },
    below,
  );
  const admin = { ...region.link('biscoe'), token: region.created.adminToken };
  const { page, ...watched } = await watchedPage(browser);
  await page.goto(linkText({ ...admin, purpose: 'study' }));
  await page.getByRole('heading', { name: 'The study above' }).waitFor();
  const card = page.locator('section', { has: page.getByText('The study above') });
  await card.getByText(`as north of study ${above.created.id}`).waitFor();
  await card.getByText('nothing is sent yet').waitFor();
  await expectAccessible(page);

  // The invitation is replaced above, so the sum does not get through; the card says so.
  const { token } = await above.admin.invite('north', {});
  for (const site of ['biscoe', 'dream']) {
    const flags = ['--yes', '--quiet', '--acknowledge', 'R6,R7', '--home', join(folder, site)];
    const sent = await suffice('join', region.invitation(site), penguins(`${site}.csv`), ...flags);
    expect([sent.code, sent.stderr]).toEqual([0, '']);
  }
  const due = async () => {
    await below.coordinator.runDueWork();
    await below.coordinator.sendDueSums();
  };
  // The coordinator may be at it by itself, so one call may find nothing to do. Nobody reloads the page.
  await expect
    .poll(async () => {
      await due();
      return card.getByText(/^not sent: /).count();
    })
    .toBe(1);
  const { entries } = await studyClient({ ...admin, purpose: 'study' }).auditLog();
  expect(entries.filter(({ event }) => event === 'sum-waits').map(({ detail }) => detail)).toEqual([
    {},
  ]);

  // With a new one it goes on.
  const secret = (name: string, link: Link) => {
    const path = join(folder, name);
    writeFileSync(path, `${linkText(link)}\n`, { mode: 0o600 });
    return path;
  };
  const renewed = await suffice(
    ...['study', 'renew-parent', secret('admin.link', { ...admin, purpose: 'study' })],
    ...['--parent', secret('north.invitation', { ...above.link('north'), token })],
  );
  expect([renewed.code, renewed.stdout]).toEqual([
    0,
    `study ${region.created.id} goes on with the new invitation; what waits is sent within seconds\n`,
  ]);
  await page.getByText('The region has a new invitation to the study above').waitFor();
  await due();
  await card.getByText(/^the sum over 2 sites was received/).waitFor();
  expect(await card.getByText(/^not sent: /).count()).toBe(0);
  watched.expectDiscretion(below.address, [admin.token, token]);
});
