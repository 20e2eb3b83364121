import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { pageStates } from './page-states.ts';
import { pageTour, settled } from './page-tour.ts';

const looks = (['light', 'dark'] as const).flatMap((scheme) =>
  [1440, 360].map((width) => ({ scheme, width })),
);

/** `npm run screenshots`: every page in its main states, light and dark, wide and narrow; names given as arguments choose among them. */
async function takeScreenshots(wanted: readonly string[]): Promise<void> {
  const folder = fileURLToPath(new URL('./screenshots', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const browser = await launchBrowser();
  if (browser === undefined) throw new Error('no browser on this machine');
  const states = await pageStates();
  try {
    for (const { address, stops } of pageTour(states)) {
      if (!stops.some(({ name }) => isWanted(name, wanted))) continue;
      const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB' });
      const page = await context.newPage();
      page.setDefaultTimeout(8000);
      await page.goto(address);
      for (const { name, go } of stops) {
        try {
          await settled(page);
          await go(page);
        } catch (failure) {
          console.warn(`${name}: ${String(failure).split('\n')[0]}`);
        }
        if (isWanted(name, wanted)) await takeAll(page, join(folder, name));
      }
      await context.close();
    }
  } finally {
    await browser.close();
    await states.stop();
  }
}

function isWanted(name: string, wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((part) => name.startsWith(part));
}

async function takeAll(page: Page, path: string): Promise<void> {
  for (const { scheme, width } of looks) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate('scrollTo(0, 0)');
    await settled(page);
    await page.screenshot({ path: `${path}-${scheme}-${width}.png`, fullPage: true });
  }
}

await takeScreenshots(process.argv.slice(2));
