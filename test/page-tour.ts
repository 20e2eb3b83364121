import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PATIENCE_MS } from './patience.ts';

/** A page in one state: how to get there from the stop before, and what then must be seen. */
export interface Stop {
  readonly name: string;
  go(page: Page): Promise<void>;
}

/** Stops of one page, one after the other in one tab. */
export interface Journey {
  readonly address: string;
  readonly stops: readonly Stop[];
  /** What is different about the tab, before it goes to the address. */
  readonly before?: (page: Page) => Promise<void>;
}

/** A page that shows all of itself at once; `text` is seen when it is there. */
export function one(name: string, address: string, text: string): Journey {
  return { address, stops: [{ name, go: (page) => seen(page, text) }] };
}

/** Waits until a text stands on the page. */
export async function seen(page: Page, text: string): Promise<void> {
  await page.getByText(text).first().waitFor();
}

/** Gives the page a file, as the dialog of its button would. */
export async function chooseFile(page: Page, name: string, buffer: Buffer): Promise<void> {
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name, mimeType: 'text/csv', buffer });
}

/** How long the parts of a page may take to come: by the clock, as a busy machine needs more of it. */
const SETTLE_MS = PATIENCE_MS;

/** After this long, a tab that was not painted is the likely reason: nothing comes near a screen that is not drawn. */
export const PAINT_MS = 2000;

/** Waits until nothing is on its way, and goes back to the top: parts far down are made when they come near the screen. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  const begun = Date.now();
  let missing = await nearEveryPart(page);
  while (missing.length > 0) {
    const waited = Date.now() - begun;
    if (waited > SETTLE_MS) throw new Error(`still on its way: ${missing.join(', ')}`);
    if (waited > PAINT_MS) await painted(page);
    missing = await nearEveryPart(page);
  }
  await page.evaluate(`(async () => {
    ${nextFrame}
    scrollTo(0, 0);
    for (let k = 0; k < 3; k++) await frame();
  })()`);
}

/** Has a tab drawn. A picture may wait for a frame that does not come, so a change of size asks for one, too. */
export async function painted(page: Page): Promise<void> {
  await page.bringToFront();
  const { width, height } = page.viewportSize()!;
  await page.setViewportSize({ width, height: height + 1 });
  await page.setViewportSize({ width, height });
  const corner = { clip: { x: 0, y: 0, width: 1, height: 1 }, timeout: PAINT_MS };
  await page.screenshot(corner).catch(() => {}); // `settled` says what is missing after all
}

/** Goes to each part that is not there yet; gives those that are still not there after a moment. */
async function nearEveryPart(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(async () => {
    ${nextFrame}
    const waiting = () => [...document.querySelectorAll('.waiting')];
    await document.fonts.ready;
    if (waiting().length === 0) return [];
    for (const place of waiting()) {
      place.scrollIntoView({ block: 'center' });
      await frame();
    }
    await new Promise((done) => setTimeout(done, 100));
    return waiting().map((place) => place.closest('section')?.id || place.className);
  })()`);
}

/** A tab that is not painted, behind another one, has no frames. */
const nextFrame = `const frame = () => new Promise((done) => {
  requestAnimationFrame(done);
  setTimeout(done, 250);
});`;

/** Scripts in a page have no time limit of their own: one that hangs must be told by its stop. */
async function inTime(visit: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done in ${STOP_MS / 1000} s`)), STOP_MS);
  });
  await Promise.race([visit, late]).finally(() => clearTimeout(timer));
}

const STOP_MS = 2 * PATIENCE_MS;

/** Goes through journeys, two at a time, each in a tab of its own; gives what went wrong, by stop. */
export async function walk(
  browser: Browser,
  journeys: readonly Journey[],
  tab: BrowserContextOptions,
  visit: (page: Page, name: string) => Promise<void>,
): Promise<readonly string[]> {
  const left = [...journeys];
  const failures: string[] = [];
  const lane = async () => {
    for (let journey = left.shift(); journey !== undefined; journey = left.shift()) {
      const context = await browser.newContext({ locale: 'en-GB', ...tab });
      const page = await context.newPage();
      const come = async () => {
        await journey.before?.(page);
        await page.goto(journey.address);
      };
      for (const [k, { name, go }] of journey.stops.entries()) {
        try {
          if (k === 0) await come();
          await go(page);
          await inTime(visit(page, name));
        } catch (failure) {
          failures.push(`${name}: ${String(failure).split('\n')[0]}`);
        }
      }
      await context.close();
    }
  };
  await Promise.all([lane(), lane()]);
  return failures;
}
