import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { serveHelper } from '../src/node/server/serve-helper.ts';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import { type Link, linkText } from '../src/protocol/link.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { wordsOf } from '../src/statistic/layout.ts';
import { ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import { sumStatistics } from '../src/statistic/statistic.ts';
import type { Study } from '../src/study/study.ts';
import { agreement, contribution } from './linear.ts';
import { islands, type PageStates, penguinPath } from './page-states.ts';
import { chooseFile, type Journey, seen } from './page-tour.ts';
import { scratch } from './scratch.ts';

/** Pages of secure studies: a refused total, a site that is asked to open, and sites that agree on masks. */
export function secureJourneys(states: PageStates): readonly Journey[] {
  let address = (_: string) => '';
  return [
    {
      address: `${states.served.address}/join`,
      stops: [
        {
          name: 'study-dispute',
          async go(page) {
            address = await inDispute(page, states);
            await page.goto(address(''));
            await seen(page, 'Ask the sites to open their numbers');
          },
        },
        {
          name: 'study-dispute-asked',
          async go(page) {
            await page.getByRole('button', { name: 'Ask the sites to open their numbers' }).click();
            await seen(page, 'The sites were asked on');
          },
        },
        {
          name: 'join-asked-to-open',
          async go(page) {
            await page.goto(address('dream'));
            await seen(page, 'The analyst asks you to open what you sent');
          },
        },
        {
          name: 'join-agree-to-open',
          async go(page) {
            await page.getByRole('button', { name: 'Agree to open' }).click();
            await seen(page, 'Let the coordinator see your statistic?');
          },
        },
      ],
    },
    {
      address: `${states.served.address}/join`,
      stops: [{ name: 'join-masks', go: (page) => waitsForMasks(page, states) }],
    },
  ];
}

/** Addresses of a study whose total is impossible, by site; that of the analyst without one. The dream island is this browser. */
async function inDispute(page: Page, { served }: PageStates): Promise<(site: string) => string> {
  const own = await keyOf(page);
  const data = mkdtempSync(join(scratch, 'suffice-helper-'));
  const helper = await serveHelper({ data, port: 0, log: 'none' });
  const keys = Object.fromEntries(islands.map((site) => [site, createSigningKey()]));
  const { keys: seals, signingKey } = helper.helper.description;
  const study = penguinStudy('Penguins in dispute', {
    kind: 'two-aggregators',
    helper: { url: helper.address, key: seals.x25519, signingKey },
    roster: { ...Object.fromEntries(islands.map((site) => [site, keys[site].key])), dream: own },
    minimumSites: 3,
  });
  const link = await posted(served, study);
  const agreed = agreement(study as never);
  await agreed.aggregation.load?.();
  const { layout } = agreed;
  for (const site of islands.filter((one) => one !== 'dream')) {
    const nothing = { statistic: sumStatistics(layout, []), rows: 0, dropped: 0, missing: {} };
    const made = contribution(agreed, site, nothing as never);
    const values = made.statistic.values.slice();
    setRingEntry(values, wordsOf(layout), 0, ringEntry(values, wordsOf(layout), 0) + 1n);
    const spoiled = { ...made, statistic: { ...made.statistic, values } };
    await studyClient(link(site)).contribute(
      encodeContribution(signContribution(spoiled, keys[site])),
    );
  }
  await page.goto(linkText(link('dream')));
  await give(page);
  await seen(page, 'Warnings to acknowledge');
  for (const box of await page.getByRole('checkbox').all()) await box.check();
  await page.getByRole('button', { name: /^Send / }).click();
  await seen(page, 'Sent and acknowledged');
  await served.coordinator.runDueWork();
  await helper.stop();
  return (site) => linkText(link(site));
}

function penguinStudy(name: string, aggregation: Study['aggregation']): Study {
  const plain = parseStudy(JSON.parse(readFileSync(penguinPath('study.json'), 'utf8')));
  return { ...plain, name, ...(aggregation === undefined ? {} : { aggregation }) };
}

async function posted(served: PageStates['served'], study: Study): Promise<(site: string) => Link> {
  const operator = readFileSync(served.operatorTokenFile!, 'utf8').trim();
  const created = await postStudy(served.address, operator, { study, sites: islands });
  const { id, coordinatorKey, adminToken, invitations } = created;
  return (site) => ({
    ...{ coordinator: served.address, study: id, coordinatorKey },
    purpose: site === '' ? 'study' : 'join',
    token: invitations.find((one) => one.site === site)?.token ?? adminToken,
  });
}

/** The site of this browser has sent its keys, and waits for two others that do not come. */
async function waitsForMasks(page: Page, { served }: PageStates): Promise<void> {
  const own = await keyOf(page);
  const others = islands.filter((site) => site !== 'dream');
  const roster = Object.fromEntries(others.map((site) => [site, createSigningKey().key]));
  const link = await posted(
    served,
    penguinStudy('Penguins by masks', {
      kind: 'pairwise-masks',
      roster: { ...roster, dream: own },
      minimumSites: 3,
    }),
  );
  await page.goto(linkText(link('dream')));
  await give(page);
  await seen(page, '1 of 3 keys of the sites');
}

async function keyOf(page: Page): Promise<string> {
  await seen(page, 'The key of this browser');
  return (await page.locator('code.digest').textContent())!;
}

async function give(page: Page): Promise<void> {
  await page.locator('.tag', { hasText: 'Ready for your file' }).waitFor();
  await chooseFile(page, 'dream.csv', readFileSync(penguinPath('dream.csv')));
}
