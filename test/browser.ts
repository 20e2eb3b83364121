import { execFileSync } from 'node:child_process';
import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

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
const SYSTEM_LIBRARIES = ['libnss3', 'libnspr4', 'libexpat1', 'libfontconfig1'];

/** A real Chromium from npm; undefined, with a notice, where the machine cannot run one. */
export async function launchBrowser(): Promise<Browser | undefined> {
  const executablePath = await sparticuz.executablePath();
  const args = sparticuz.args.filter((flag) => !UNWANTED.includes(flag));
  const launch = () =>
    chromium.launch({
      executablePath,
      headless: true,
      args: [...args, '--no-sandbox', '--disable-gpu'],
    });
  try {
    return await launch();
  } catch (first) {
    try {
      execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...SYSTEM_LIBRARIES], {
        stdio: 'ignore',
      });
      return await launch();
    } catch {
      const reason = first instanceof Error ? first.message.split('\n')[0] : String(first);
      console.warn(`browser tests skipped: Chromium does not start here (${reason})`);
      return undefined;
    }
  }
}
