import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';
import { unpackedChromium } from './chromium.ts';
import { PATIENCE_MS } from './patience.ts';

/**
 * Switches made for small machines, lax pages or a GPU that software plays: without them the browser is as strict as a
 * person's, has processes to measure, and takes half the time.
 */
const UNWANTED = [
  '--single-process',
  '--disable-web-security',
  '--allow-running-insecure-content',
  '--disable-site-isolation-trials',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--in-process-gpu',
  '--no-zygote',
];

/**
 * Starts a real Chromium from npm. Where it does not start, it gives undefined and a notice that names the command which
 * installs the missing system libraries; nothing here changes the machine.
 */
export async function launchBrowser(): Promise<Browser | undefined> {
  const args = sparticuz.args.filter((flag) => !UNWANTED.includes(flag));
  try {
    const browser = await chromium.launch({
      executablePath: unpackedChromium(),
      headless: true,
      timeout: PATIENCE_MS,
      // Pages here live for seconds: what compiles and collects beside them costs more than it saves.
      args: [...args, '--no-sandbox', '--disable-gpu', '--js-flags=--single-threaded'],
    });
    browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
    return browser;
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message.split('\n')[0] : String(failure);
    console.warn(
      `browser tests are skipped: Chromium does not start here (${reason}). Install its system libraries: sudo .ci/system`,
    );
    return undefined;
  }
}

let launched: Promise<Browser | undefined> | undefined;

/** The one browser of this worker, which all its test files share; it ends with the worker. */
export async function workerBrowser(): Promise<Browser | undefined> {
  const browser = await launched;
  if (launched !== undefined && browser?.isConnected() !== false) return browser;
  launched = launchBrowser(); // the first time, or after a crash
  return launched;
}

/** Closes what a test file left open in the worker's browser. */
export async function closeTabs(): Promise<void> {
  const browser = await launched;
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}
