import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, type TestContext } from 'vitest';
import { closeTabs, workerBrowser } from './browser.ts';

/** The worker's browser for the tests of a file; a test that asks for it is skipped where the machine has none. */
export function fileBrowser(): (context: TestContext) => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await workerBrowser();
  });
  afterAll(closeTabs);
  return (context) => browser ?? context.skip('no browser on this machine');
}
