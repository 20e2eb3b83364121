import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { fitStudy } from '../src/node/run/fit.ts';
import { linkText } from '../src/protocol/link.ts';
import type { ImageStudy } from '../src/study/image-study.ts';
import { temporaryFolder } from './cli.ts';
import { chosen, enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { matBytes, matEntries, put, putPngs, type TestImages } from './image-files.ts';
import { nothingLeft, type PageVisit, pageVisit, studyBeside } from './join-page.ts';
import { servedStudy } from './served-study.ts';

const root = temporaryFolder();
const example = (name: string) =>
  fileURLToPath(new URL(`../examples/digits/${name}`, import.meta.url));
const present = fileBrowser();
const sites = ['north', 'middle', 'south'] as const;

/** The digits with a projection, since sums of single pixels would be refused. */
const study: ImageStudy = {
  ...(parseStudy(JSON.parse(readFileSync(example('study.json'), 'utf8'))) as ImageStudy),
  features: [{ kind: 'projection', dimension: 24, seed: 5 }],
};
const classes = Array.from({ length: 10 }, (_, k) => String(k));

const idx = (site: string) => [
  example(`${site}-images.idx3-ubyte`),
  example(`${site}-labels.idx1-ubyte`),
];

function imagesOf(site: string): TestImages {
  const [images, labels] = idx(site).map((path) => readFileSync(path));
  const count = labels.length - 8;
  return {
    ...{ height: 8, width: 8, channels: 1, labels: [...labels.subarray(8)] },
    values: Array.from({ length: count }, (_, k) => images.subarray(16 + 64 * k, 80 + 64 * k)),
  };
}

/** The same images as a MAT-file, which the tab unpacks. */
const mat = (site: string) =>
  put(root, `${site}.mat`, matBytes(matEntries(imagesOf(site)), deflateSync));

/** The same images as a folder, as files, and as a table of pixels. */
const folder = putPngs(root, 'middle', imagesOf('middle'), classes);
const { values, labels } = imagesOf('south');
const header = ['label', ...Array.from({ length: 64 }, (_, k) => `pixel${k}`)].join(',');
const table = [header, ...values.map((image, k) => [labels[k], ...image].join(','))].join('\n');

async function choose(visit: PageVisit, site: (typeof sites)[number]): Promise<void> {
  const { page } = visit;
  const csv = { name: 'south.csv', mimeType: 'text/csv', buffer: Buffer.from(table) };
  const input = page.locator('input[type=file]').nth(site === 'middle' ? 1 : 0);
  await input.setInputFiles({ north: idx('north'), middle: folder, south: csv }[site]);
}

/** How many images each class has, as the contact sheet says, and how many of them it shows. */
function sheetOf({ page }: PageVisit): Promise<readonly (readonly [string, number])[]> {
  return page.locator('.sheet > li').evaluateAll((items) =>
    items.map((item) => {
      const painted = [...item.querySelectorAll('canvas')].filter((canvas) =>
        canvas
          .getContext('2d')!
          .getImageData(0, 0, canvas.width, canvas.height)
          .data.some((value, k) => k % 4 !== 3 && value > 0),
      );
      return [item.querySelector('p')!.textContent!, painted.length] as const;
    }),
  );
}

describe('images in tabs', () => {
  it.runIf(enduring)(
    'three tabs give the digest of one process; the model is tried on own images; a site withdraws',
    async (context) => {
      const browser = present(context);
      const running = await servedStudy(root, study, sites);
      const visits = await Promise.all(sites.map((site) => pageVisit(browser, running, site)));
      for (const [k, site] of sites.entries()) {
        const visit = visits[k];
        await visit.come();
        await visit.ready();
        visit.mark();
        await choose(visit, site);
        await visit.heading('What will be sent');
        const counts = classes.map(
          (_, c) => imagesOf(site).labels.filter((one) => one === c).length,
        );
        const there = classes.filter((_, c) => counts[c] > 0);
        expect(await sheetOf(visit)).toEqual(there.map((name) => [`${name} ${counts[+name]}`, 5]));
        expect(await visit.text()).not.toContain('pixel17');
        // The images are shown here and nowhere else: nothing was asked of anybody.
        expect([visit.asked, visit.received(), visit.complaints]).toEqual([[], [], []]);
        await visit.approve();
        await visit.heading('Sent and acknowledged');
        expect(visit.received().map(({ method }) => method)).toEqual(['POST']);
      }
      const pathOf = { north: idx('north')[0], middle: folder, south: idx('south')[1] };
      const whole = await fitStudy(study, [pathOf.north, pathOf.middle, pathOf.south]);
      await expect.poll(async () => (await running.admin.view()).state).toBe('resolved');
      const { report } = await running.admin.resolution('latest');
      expect(report.digest).toBe(whole.report.digest);

      const reader = visits[0];
      const link = linkText(running.link('north', reader.address));
      await reader.page.goto(link.replace('/join', '/result'));
      await reader.heading('Classes');
      expect(await reader.text()).not.toContain('pixel17');
      await reader.page.goto(link.replace('/join', '/predict'));
      await reader.heading('Your images');
      reader.mark();
      await reader.page.locator('input[type=file]').first().setInputFiles(mat('held-out'));
      await reader.heading('What each class is taken for');
      const [, right] = /(\d+) of 359 images are predicted right/.exec((await reader.text())!)!;
      expect(Number(right)).toBeGreaterThan(320);
      expect((await sheetOf(reader)).map(([, shown]) => shown)).toEqual(classes.map(() => 5));
      expect([reader.asked, reader.complaints]).toEqual([[], []]);

      const { page } = visits[2];
      await page.getByRole('button', { name: 'Withdraw from the study' }).click();
      await page.getByRole('button', { name: 'Withdraw and erase' }).click();
      await page.getByText('You have left this study').waitFor();
      const rest = await fitStudy(study, [pathOf.north, pathOf.middle]);
      await expect
        .poll(async () => (await running.admin.resolution('latest')).report.digest)
        .toBe(rest.report.digest);
    },
  );

  it.runIf(enduring)(
    'images that do not fit are explained, and nothing leaves; a sample drafts a study; a private one takes a folder',
    async (context) => {
      const { evaluation: _, ...terms } = study;
      const priv: ImageStudy = {
        ...terms,
        data: { ...study.data, classes: ['4', '5'] },
        fusion: { kind: 'ridge', ridge: 1 },
        privacy: { epsilon: 4, delta: 1e-5, unit: 'row' },
      };
      const running = await servedStudy(join(root, 'second'), study, ['north']);
      const visit = await pageVisit(present(context), running, 'north');
      const { page } = visit;
      await visit.come();
      await visit.ready();
      visit.mark();
      const image = values[0];
      const wrong = [
        ['other class', () => putPngs(root, 'other', few(3, 10), [...classes, 'ten']), 'class'],
        [
          'a text in it',
          () => withText(putPngs(root, 'text', few(3, 3), classes)),
          'Not a PNG file',
        ],
        ['a rare class', () => rare(), 'class9'],
      ] as const;
      for (const [name, make, words] of chosen(wrong, 2)) {
        const back = page.getByRole('button', { name: 'Choose another file' });
        if ((await back.count()) > 0) await back.first().click();
        await visit.ready();
        await page.evaluate(() => {
          for (const old of document.querySelectorAll('.join-place h2')) old.classList.add('old');
        });
        await page.locator('input[type=file]').nth(1).setInputFiles(make());
        await visit.outcome();
        expect(await visit.text(), name).toContain(words);
        await nothingLeft(visit, running);
      }
      if (enduring) {
        await page.goto(`${visit.address}/create`);
        await visit.heading('New study');
        await page.waitForLoadState('networkidle');
        visit.mark();
        await page.locator('input[type=file]').first().setInputFiles(idx('held-out'));
        await page.locator('.sheet').waitFor();
        expect((await sheetOf(visit)).map(([, shown]) => shown)).toEqual(classes.map(() => 5));
        expect(await page.getByLabel('Classes').inputValue()).toBe(classes.join('\n'));
        expect([visit.asked, visit.complaints]).toEqual([[], []]);
      }

      const beside = await studyBeside(running, priv, ['north']);
      await visit.come(beside);
      await visit.ready();
      await page.locator('input[type=file]').nth(1).setInputFiles(folder);
      await visit.heading('What will be sent');
      await visit.approve();
      await visit.heading('Sent and acknowledged');
      expect((await beside.admin.view()).sites[0].state).toBe('contributed');

      function few(count: number, label: number): TestImages {
        const all = Array.from({ length: count }, () => image);
        return { height: 8, width: 8, channels: 1, values: all, labels: all.map(() => label) };
      }
      function withText(path: string): string {
        put(path, '3/readme.txt', Buffer.from('hello'));
        return path;
      }
      /** Many images of a class, and three of another. */
      function rare(): string {
        const { values: all, labels: known } = imagesOf('north');
        const some = { values: all.slice(0, 200), labels: known.slice(0, 200) };
        const own = some.labels.map((label, k) => (k < 3 ? 9 : label));
        return putPngs(root, 'rare', { ...few(0, 0), values: some.values, labels: own }, classes);
      }
    },
  );
});
