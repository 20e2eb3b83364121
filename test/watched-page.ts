import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** A tab of its own of which everything is kept that it asks for and complains of. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What was asked of coordinators since `mark`, as METHOD /path; the files of the page itself are not counted. */
  readonly asked: readonly string[];
  /** Counts from here on. */
  mark(): void;
  /** Whether the page has complained of nothing, asked nobody else, and put no secret into an address. */
  expectDiscretion(address: string, secrets: readonly string[]): void;
}

/** Browsers log every answer that is an error; those are what some tests are about. */
const ANSWERS = /^Failed to load resource/;

export async function watchedPage(browser: Browser): Promise<WatchedPage> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const asked: string[] = [];
  const addresses: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => {
    const [address] = request.url().split('#');
    addresses.push(address);
    const { pathname } = new URL(address);
    if (/^\/(studies)\b/.test(pathname)) asked.push(`${request.method()} ${pathname}`);
    else if (pathname.startsWith('/assets/')) asked.push('GET /assets');
  });
  context.on('console', (message) => {
    if (!ANSWERS.test(message.text())) complaints.push(message.text());
  });
  context.on('weberror', (failure) => complaints.push(failure.error().message));
  return {
    page,
    context,
    asked,
    mark() {
      asked.length = 0;
    },
    expectDiscretion(address, secrets) {
      expect(complaints).toEqual([]);
      expect(addresses.length).toBeGreaterThan(0);
      expect(addresses.filter((one) => !one.startsWith(`${address}/`))).toEqual([]);
      expect(secrets.length).toBeGreaterThan(0);
      const told = addresses.filter((one) => secrets.some((secret) => one.includes(secret)));
      expect(told).toEqual([]);
    },
  };
}
