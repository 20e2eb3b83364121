import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileBrowser } from './file-browser.ts';
import { type PageStates, pageStates } from './page-states.ts';
import { walk } from './page-tour.ts';
import { wholeTour } from './whole-tour.ts';

/** A file that the tab or its worker has loaded. */
interface Loaded {
  readonly name: string;
  /** As it came over the wire, without headers. */
  readonly encodedBodySize: number;
  /** In milliseconds of the page. */
  readonly responseEnd: number;
}

const scripts = `performance.getEntriesByType('resource')
  .map(({ name, encodedBodySize, responseEnd }) => ({ name, encodedBodySize, responseEnd }))
  .filter(({ name }) => name.endsWith('.js'))`;

/** Notes when the heading comes, and how far things move that nobody has touched. */
const watch = `
  window.shift = 0;
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.shift += value;
      window.moved.push(...sources.map(({ node }) => node?.className || node?.nodeName));
    }
  }).observe({ type: 'layout-shift', buffered: true });
  new MutationObserver((_, observer) => {
    if (document.querySelector('h1') === null) return;
    window.headingAt = performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });
`;

/** Waits until all that can be seen without scrolling is there, and has had a moment to move. */
async function shown(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.waiting')].every(
      (place) => place.getBoundingClientRect().top > innerHeight,
    ),
  );
  await page.waitForTimeout(200);
}

function kilobytes(files: readonly Loaded[]): number {
  return files.reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0) / 1000;
}

/** Of the issue: kilobytes of gzipped script until the heading of a page shows. */
const FIRST_PAINT = 100;

/** Pages with the kilobytes of gzipped script they and their worker load in all, when this was written. */
const pages = [
  ['studies', 246],
  ['create', 346],
  ['study', 257],
  ['result', 272],
  ['predict', 345],
  ['join', 555],
  ['lab', 296],
] as const;

/** Every page as one comes to it; of the result those states whose parts differ most in height. */
const arriving = new Set([
  'studies',
  'study-collecting',
  'result-resolved',
  'result-private',
  'predict',
  'join',
  'create',
  'lab',
  'not-found',
]);

describe('what the pages cost, and whom they speak to', () => {
  const present = fileBrowser();
  let states: PageStates;
  beforeAll(async () => {
    states = await pageStates();
  }, 60_000);
  afterAll(async () => {
    await states.stop();
  });

  function addressOf(name: (typeof pages)[number][0]): string {
    const { studies, address } = states;
    if (name === 'studies') return address('');
    if (name === 'create') return address('create');
    if (name === 'lab') return `${states.served.address}/lab`;
    if (name === 'join') return studies.collecting.siteAddress('join', 'dream');
    return studies.resolved.address(name);
  }

  it.for(pages)(
    '%s: little script, one origin, a policy on every answer, no secret told',
    async ([name, usual], test) => {
      const browser = present(test);
      const context = await browser.newContext();
      await context.addInitScript(watch);
      const page = await context.newPage();
      const requests: Request[] = [];
      page.on('request', (request) => requests.push(request));
      const starting = page.waitForEvent('worker');
      const address = addressOf(name);
      await page.goto(address);
      const worker = await starting;
      await shown(page);

      const headingAt = await page.evaluate<number>('window.headingAt');
      const found = await page.evaluate<Loaded[]>(scripts);
      // What a worker imports at its start is told by the page, what it imports later by the worker.
      const later = (await worker.evaluate(scripts)) as Loaded[];
      const first = found.filter(({ responseEnd }) => responseEnd <= headingAt);
      expect(first.length).toBeGreaterThan(1);
      expect(kilobytes(first)).toBeLessThan(FIRST_PAINT);
      expect(first.filter((script) => /forest|heat-map|histogram|lines/.test(script.name))).toEqual(
        [],
      );
      expect(found.map((script) => script.name)).toContain(worker.url());
      expect(kilobytes([...found, ...later])).toBeLessThan(1.1 * usual);

      const { origin, hash } = new URL(address);
      const [secret] = /sf[ico]_[A-Za-z0-9_-]{43}/.exec(hash) ?? ['sf'];
      expect([name, secret === 'sf']).toEqual([name, name === 'lab']);
      expect(requests.length).toBeGreaterThan(4);
      for (const request of requests) {
        const { href, pathname, origin: asked } = new URL(request.url());
        expect(asked).toBe(origin);
        expect(href.split('#')[0]).not.toContain(secret);
        expect((await request.allHeaders()).referer ?? '').not.toContain(secret);
        const headers = (await (await request.response())?.allHeaders()) ?? {};
        expect([pathname, headers['content-security-policy']]).toEqual([
          pathname,
          expect.stringContaining("default-src 'self'"),
        ]);
        if (!pathname.startsWith('/assets/')) continue;
        expect(pathname).toMatch(/-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/);
        expect(headers['cache-control']).toContain('immutable');
        if (pathname.endsWith('.js')) expect(headers['content-encoding']).toBe('gzip');
      }
      await context.close();
    },
  );

  it('moves nothing while it loads', async (context) => {
    const browser = present(context);
    const before = async (page: Page) => {
      await page.addInitScript(watch);
    };
    const arrivals = wholeTour(states)
      .filter(({ stops: [{ name }] }) => arriving.has(name))
      .map(({ address, stops: [{ name }] }) => ({
        address,
        before,
        stops: [{ name, go: shown }],
      }));
    expect(arrivals).toHaveLength(arriving.size);
    const moved: string[] = [];
    const failures = await walk(browser, arrivals, {}, async (page, name) => {
      const shift = await page.evaluate<number>('window.shift');
      const what = await page.evaluate<string[]>('window.moved');
      if (shift >= 0.05) moved.push(`${name}: ${shift.toFixed(3)} by ${what.join(', ')}`);
    });
    expect(failures).toEqual([]);
    expect(moved).toEqual([]);
  }, 60_000);
});
