import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { pageStates } from './page-states.ts';
import { settled, walk } from './page-tour.ts';
import { wholeTour } from './whole-tour.ts';

const looks = (['light', 'dark'] as const).flatMap((scheme) =>
  [1440, 360].map((width) => ({ scheme, width })),
);

const folder = fileURLToPath(new URL('./screenshots', import.meta.url));

/** `npm run screenshots`: every page in its main states, light and dark, wide and narrow; beginnings of names given as arguments choose among them, and `readme` is the picture in the README. */
async function takeScreenshots(wanted: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await launchBrowser();
  if (browser === undefined) throw new Error('no browser on this machine');
  const states = await pageStates();
  const journeys = wholeTour(states).filter(({ stops }) =>
    stops.some(({ name }) => isWanted(name, wanted)),
  );
  const names = journeys.flatMap(({ stops }) => stops.map(({ name }) => name));
  const total = names.filter((name) => isWanted(name, wanted)).length;
  let taken = 0;
  try {
    const failures = await walk(
      browser,
      journeys,
      { reducedMotion: 'reduce' },
      async (page, name) => {
        if (!isWanted(name, wanted)) return;
        await takeAll(page, name);
        console.log(`${++taken} of ${total} ${name}`);
      },
    );
    console.log(`all on one page: ${contactSheet()}`);
    for (const failure of failures) console.error(`failed: ${failure}`);
    if (failures.length > 0) process.exitCode = 1;
  } finally {
    await browser.close();
    await states.stop();
  }
}

/** The picture that the README opens with: the top of a result. */
async function takeReadmePicture(): Promise<void> {
  const browser = await launchBrowser();
  if (browser === undefined) throw new Error('no browser on this machine');
  const states = await pageStates(['resolved']);
  try {
    const page = await browser.newPage({ viewport: { width: 1216, height: 1090 } });
    await page.goto(states.studies.resolved.address('result'));
    await settled(page);
    const path = fileURLToPath(new URL('../docs/result.png', import.meta.url));
    await page.screenshot({ path });
    console.log(path);
  } finally {
    await browser.close();
    await states.stop();
  }
}

function isWanted(name: string, wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((part) => name.startsWith(part));
}

async function takeAll(page: Page, name: string): Promise<void> {
  for (const { scheme, width } of looks) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    await takeWhole(page, `${name}-${scheme}-${width}`, width);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** Higher pictures come out wrong: the browser begins again at the top. */
const MOST_PIXELS = 4000;

/** The whole page, in as few pictures as can be. */
async function takeWhole(page: Page, name: string, width: number): Promise<void> {
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  if (height <= MOST_PIXELS) {
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    return;
  }
  await page.setViewportSize({ width, height: MOST_PIXELS });
  await settled(page);
  for (let part = 0; part * MOST_PIXELS < height; part++) {
    await page.evaluate(`scrollTo(0, ${part * MOST_PIXELS})`);
    const path = join(folder, part === 0 ? `${name}.png` : `${name}-part${part + 1}.png`);
    await page.screenshot({ path });
  }
}

function linked(file: string): string {
  return `<a href="${file}"><img src="${file}" alt="${file}" loading="lazy"></a>`;
}

/** Writes a page that shows every picture of the folder, those of a stop in one line; gives its path. */
function contactSheet(): string {
  const pictures = readdirSync(folder).filter((name) => name.endsWith('.png'));
  const names = [
    ...new Set(pictures.map((name) => name.replace(/-(light|dark)-\d+(-part\d)?\.png$/, ''))),
  ];
  const lines = names.map((name) => {
    const shown = looks
      .map(({ scheme, width }) => `${name}-${scheme}-${width}`)
      .map((first) => pictures.filter((file) => file.startsWith(first)))
      .map((parts) => `<span>${parts.map(linked).join('')}</span>`);
    return `<h2 id="${name}">${name}</h2>\n<div>${shown.join('')}</div>`;
  });
  const path = join(folder, 'index.html');
  writeFileSync(
    path,
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screenshots</title>
<style>
body { margin: 2rem; background: #777; font: 1rem sans-serif; }
div { display: grid; grid-template-columns: 3fr 1fr 3fr 1fr; gap: 1rem; align-items: start; }
img { width: 100%; }
</style>
<h1>${pictures.length} pictures of ${names.length} stops</h1>
${lines.join('\n')}
</html>
`,
  );
  return path;
}

const wanted = process.argv.slice(2);
await (wanted[0] === 'readme' ? takeReadmePicture() : takeScreenshots(wanted));
