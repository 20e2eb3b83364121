import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, type TestContext } from 'vitest';
import { launchBrowser } from './browser.ts';

/** One browser for the tests of a file; a test that asks for it is skipped where the machine has none. */
export function fileBrowser(): (context: TestContext) => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser?.close(), 60_000);
  return (context) => browser ?? context.skip('no browser on this machine');
}
