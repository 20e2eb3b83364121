import type { Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shown, watchArrival } from './arrival.ts';
import { chosen } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { type PageStates, pageStates } from './page-states.ts';

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

function kilobytes(files: readonly Loaded[]): number {
  return files.reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0) / 1000;
}

/** Of the issue: kilobytes of gzipped script until the heading of a page shows. */
const FIRST_PAINT = 100;

/** Pages with the kilobytes of gzipped script they and their worker load in all, when this was written. */
const pages = [
  ['studies', 391],
  ['create', 495],
  ['study', 400],
  ['result', 421],
  ['predict', 483],
  ['join', 890],
  ['lab', 450],
] as const;

describe('what the pages cost, and whom they speak to', () => {
  const present = fileBrowser();
  let states: PageStates;
  beforeAll(async () => {
    states = await pageStates(['collecting', 'resolved']);
  });
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

  it.for(chosen(pages, 0, 2, 3, 5))(
    '%s: little script, one origin, a policy on every answer, no secret told',
    async ([name, usual], test) => {
      const browser = present(test);
      const context = await browser.newContext();
      await context.addInitScript(watchArrival);
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
      const [secret] = /sf[ico]_[A-Za-z0-9_-]{43}/.exec(hash) ?? ['sfo_'];
      expect([name, secret === 'sfo_']).toEqual([name, name === 'lab']);
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
});
