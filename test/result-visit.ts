import { request as forward } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import { localServer } from './local-server.ts';
import { PAINT_MS, painted } from './page-tour.ts';

/** A look at the page of a result, and everything it said to the browser and asked for. */
export interface ResultVisit {
  readonly page: Page;
  /** Addresses it asked for, those of its worker among them. */
  readonly asked: readonly string[];
  /** A part of the page by its id, once it is worked out. */
  part(id: string): Promise<ReturnType<Page['locator']>>;
  /** The cells of each row of a table, its header first. */
  table(label: string): Promise<readonly (readonly string[])[]>;
}

/** What the columns of the table of coefficients are called in a report. */
export const coefficientColumns = [
  'term',
  'estimate',
  'std.error',
  'statistic',
  'p.value',
  'conf.low',
  'conf.high',
  'vif',
] as const;

/** Opens a page; when the test ends, nothing may have been written to the console. */
export async function resultVisit(
  browser: Browser,
  address: string,
  viewport = { width: 1280, height: 900 },
): Promise<ResultVisit> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const context = await browser.newContext({ viewport, permissions, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const asked: string[] = [];
  const said: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (failure) => said.push(failure.message));
  onTestFinished(async () => {
    await context.close();
    expect(said).toEqual([]);
  });
  await page.addInitScript(watchShifts);
  await page.goto(address);
  await page.locator('h1').waitFor();
  await page.locator('.whole-page').waitFor({ state: 'detached' });
  return {
    page,
    asked,
    async part(id) {
      const part = page.locator(`#${id}`);
      const waiting = part.locator('.waiting').first();
      // What comes above it may push it away before it was near the screen: it is gone to again.
      await eventually(async () => {
        await part.scrollIntoViewIfNeeded();
        const gone = waiting.waitFor({ state: 'detached', timeout: PAINT_MS });
        await gone.catch(async (late) => {
          await painted(page);
          throw late;
        });
      });
      return part;
    },
    async table(label) {
      const shown = page.locator(`.scroll[aria-label="${label}"] tr`);
      await shown.first().waitFor();
      const rows = await shown.all();
      return Promise.all(rows.map((row) => row.locator('th, td').allTextContents()));
    },
  };
}

/** Adds up what moved by itself, as browsers score it. */
const watchShifts = `
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) globalThis.shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** Stands before a coordinator and changes the body of what it answers to some path. */
export async function changingProxy(
  target: string,
  path: RegExp,
  change: (body: Buffer) => Buffer,
): Promise<string> {
  const { address } = await localServer(({ method, path: asked, headers, body }, response) => {
    const { 'accept-encoding': _, ...plain } = headers;
    const onward = forward(`${target}${asked}`, { method, headers: plain }, async (answer) => {
      const { 'content-length': _, ...kept } = answer.headers;
      response.writeHead(answer.statusCode!, kept);
      if (!path.test(asked)) {
        answer.pipe(response);
        return;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      response.end(change(Buffer.concat(chunks)));
    });
    onward.on('error', () => response.destroy());
    onward.end(body);
  });
  return address;
}

/** Whether a text is the number, rounded to as many digits as the text has. */
export function reads(text: string, value: number): boolean {
  const plain = text.replaceAll('−', '-').replaceAll(',', '');
  const digits = plain.replace(/e.*$/, '').replace(/\D/g, '').replace(/^0+/, '').length;
  return Number(plain) === Number(value.toPrecision(Math.max(1, digits)));
}
