import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { NetworkFisherFusion } from '../src/fusion/network-terms.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { fitStudy } from '../src/node/run/fit.ts';
import { linkText } from '../src/protocol/link.ts';
import type { ImageStudy } from '../src/study/image-study.ts';
import { temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { fileBrowser } from './file-browser.ts';
import { putIdx, type TestImages } from './image-files.ts';
import { nothingLeft, type PageVisit, pageVisit } from './join-page.ts';
import { servedStudy } from './served-study.ts';

const root = temporaryFolder();
const present = fileBrowser();
const example = (name: string) =>
  fileURLToPath(new URL(`../examples/digits/${name}`, import.meta.url));

const { features: _, ...digits } = parseStudy(
  JSON.parse(readFileSync(example('study.json'), 'utf8')),
) as ImageStudy;
const fusion: NetworkFisherFusion = {
  kind: 'fisher-diagonal',
  network: { layers: [{ kind: 'dense', units: 24 }, { kind: 'relu' }] },
  training: { epochs: 200, rate: 0.001 },
  rounds: 2,
  head: 'ridge',
};
const study: ImageStudy = { ...digits, fusion };

/** Some rows of a site, as IDX files. The middle one has many, so that its training can be interrupted. */
function site(name: string, from: string, rows: number): string[] {
  const [images, labels] = ['images.idx3-ubyte', 'labels.idx1-ubyte'].map((part) =>
    readFileSync(example(`${from}-${part}`)),
  );
  const some: TestImages = {
    ...{ height: 8, width: 8, channels: 1, labels: [...labels.subarray(8, 8 + rows)] },
    values: Array.from({ length: rows }, (_, k) => images.subarray(16 + 64 * k, 80 + 64 * k)),
  };
  const path = putIdx(root, name, some);
  return [path, path.replace('-images-idx3', '-labels-idx1')];
}
const files = {
  north: site('north', 'north', 130),
  middle: site('middle', 'north', 586),
  south: site('south', 'south', 130),
};
const sites = ['north', 'middle', 'south'] as const;

function give({ page }: Pick<PageVisit, 'page'>, name: (typeof sites)[number]): Promise<void> {
  return page.locator('input[type=file]').first().setInputFiles(files[name]);
}

/** The study over the files of some sites, in this process. */
function fitHere(names: readonly (typeof sites)[number][]) {
  const paths = names.map((name) => files[name][0]);
  return fitStudy(study, paths, undefined, { threads: 1 });
}

/** Presses Stop, or closes the tab, in the moment in which the page says something. */
function atOnce(page: Page, text: string, act: 'stop' | 'close'): Promise<void> {
  if (act === 'close') void page.waitForEvent('console').then(() => page.close());
  return page.evaluate(
    ([wanted, what]) => {
      const watch = new MutationObserver(() => {
        const button = [...document.querySelectorAll('button')].find(
          ({ textContent }) => textContent === 'Stop',
        );
        if (button === undefined || !document.body.textContent!.includes(wanted)) return;
        watch.disconnect();
        if (what === 'stop') button.click();
        else console.log('now');
      });
      watch.observe(document.body, { childList: true, characterData: true, subtree: true });
    },
    [text, act],
  );
}

/** Approves what was trained, and waits for the receipt. */
async function approve(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'What will be sent' }).waitFor();
  for (const box of await page.getByRole('checkbox').all()) await box.check();
  await page.getByRole('button', { name: /^Send / }).click();
  await page.getByRole('heading', { name: 'Sent and acknowledged' }).waitFor();
}

describe('networks in tabs', () => {
  it.runIf(enduring)(
    'three tabs give the network of one process; a training is stopped, killed and gone on with; a site withdraws',
    async (context) => {
      const browser = present(context);
      const running = await servedStudy(root, study, sites);
      const middle = await pageVisit(browser, running, 'middle');
      await middle.come();
      await middle.ready();
      middle.mark();

      await atOnce(middle.page, 'Training the network', 'stop');
      await give(middle, 'middle');
      await middle.page.getByText('You stopped the training.').waitFor();
      await nothingLeft(middle, running);

      await middle.ready();
      await atOnce(middle.page, 'this one goes on from there', 'close');
      await give(middle, 'middle');
      await eventually(async () => expect(middle.page.isClosed()).toBe(true));
      const page = await middle.context.newPage();
      await page.goto(linkText(running.link('middle', middle.address)));
      await page.getByText('A training for this study was interrupted').waitFor();
      await page.locator('.tag', { hasText: 'Ready for your file' }).waitFor();
      await give({ page }, 'middle');
      await page.getByText('where an earlier training of these rows was stopped').waitFor();
      await approve(page);
      for (const name of ['north', 'south'] as const) {
        const visit = await pageVisit(browser, running, name);
        await visit.come();
        await visit.ready();
        visit.mark();
        await give(visit, name);
        await approve(visit.page);
        expect([visit.received().map(({ method }) => method), visit.complaints]).toEqual([
          ['POST'],
          [],
        ]);
      }
      const whole = await fitHere(['north', 'middle', 'south']);
      await expect.poll(async () => (await running.admin.view()).state).toBe('resolved');
      const { report } = await running.admin.resolution('latest');
      expect({ ...report, sites: [] }).toEqual({ ...whole.report, sites: [] });

      const reader = await middle.context.newPage();
      const link = linkText(running.link('middle', middle.address));
      await reader.goto(link.replace('/join', '/result'));
      await reader.getByRole('heading', { name: 'The network' }).waitFor();
      const layers = reader.getByRole('list', { name: 'Layers of the network' });
      // 24 × 65 and 10 × 25, biases included; what it estimates is not listed.
      await layers.getByText('250 weights').waitFor();
      expect(await layers.getByText('weights').allTextContents()).toEqual([
        '1,560 weights',
        '250 weights',
      ]);
      await reader.getByText('2 more rounds are planned').waitFor();
      expect(await reader.getByRole('heading', { name: /Coefficients|Classes/ }).count()).toBe(0);
      await reader.goto(link.replace('/join', '/predict'));
      await reader.getByRole('heading', { name: 'Your images' }).waitFor();
      const unseen = ['held-out-images.idx3-ubyte', 'held-out-labels.idx1-ubyte'].map(example);
      await reader.locator('input[type=file]').first().setInputFiles(unseen);
      await reader.getByText(/^\d+ of 359 images are predicted right/).waitFor();

      await page.getByRole('button', { name: 'Withdraw from the study' }).click();
      await page.getByRole('button', { name: 'Withdraw and erase' }).click();
      await page.getByText('You have left this study').waitFor();
      const rest = await fitHere(['north', 'south']);
      await expect
        .poll(async () => (await running.admin.resolution('latest')).report.digest)
        .toBe(rest.report.digest);
    },
  );
});
