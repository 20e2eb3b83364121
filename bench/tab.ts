import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { postStudy } from '../src/protocol/client.ts';
import { linkText } from '../src/protocol/link.ts';
import type { StudyCreated } from '../src/protocol/messages.ts';
import { launchBrowser } from '../test/browser.ts';
import { runChild } from './child.ts';
import { studyOf, wideTable } from './data.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { startServing } from './serving.ts';
import { held, type Line, secondsText } from './table.ts';

const MAIN = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));
const MOST_MEGABYTES = 500;

/** A site joins in a browser tab, compared with the command line: from choosing the file to the receipt. */
export const tab: Section = { name: 'tab', title: 'Joining in a browser’s tab', run };

async function run({ quick, note }: Bench): Promise<readonly Line[]> {
  const browser = await launchBrowser();
  if (browser === undefined) return [];
  const rows = quick ? 100_000 : 1_000_000;
  const rounds = quick ? 1 : 3;
  const table = wideTable(rows, note);
  const folder = mkdtempSync(join(tmpdir(), 'suffice-tab-'));
  const serving = await startServing(folder);
  try {
    const study = studyOf(table);
    const sites = Array.from({ length: 3 * rounds }, (_, k) => `site-${k + 1}`);
    const created = await postStudy(serving.address, serving.operatorToken, { study, sites });
    const links = sites.map((site) => linkOf(serving.address, created, site));
    let next = 0;
    const peaks = { tab: 0, csv: 0 };
    const best = await inTurn(rounds, {
      cli: async () => {
        const invitation = join(folder, `invitation-${next}`);
        writeFileSync(invitation, `${links[next]}\n`, { mode: 0o600 });
        const home = join(folder, `home-${next++}`);
        const flags = ['--yes', '--quiet', '--acknowledge', 'R6,R7', '--home', home];
        const ran = await runChild(process.execPath, [
          MAIN,
          'join',
          invitation,
          table.csv,
          ...flags,
        ]);
        peaks.csv = Math.max(peaks.csv, ran.peakMegabytes);
        return ran.seconds;
      },
      tab: async () => {
        const joined = await joinInTab(browser, links[next++], table.csv);
        peaks.tab = Math.max(peaks.tab, joined.megabytes);
        return joined.seconds;
      },
      parquet: async () => (await joinInTab(browser, links[next++], table.parquet)).seconds,
    });
    const what = `${rows.toLocaleString('en')} × 51`;
    return [
      {
        what: `CSV of ${what}, chosen to receipt`,
        ours: secondsText(best.tab),
        peer: `suffice join ${secondsText(best.cli)}`,
        ...held(best.tab / best.cli, '≤', 1.5),
      },
      {
        what: '  peak memory of the tab, all of its process',
        ours: `${peaks.tab.toFixed(0)} MB`,
        peer: `suffice join ${peaks.csv.toFixed(0)} MB`,
        goal: `< ${MOST_MEGABYTES} MB`,
        reached: peaks.tab < MOST_MEGABYTES,
      },
      { what: `Parquet of ${what}, chosen to receipt`, ours: secondsText(best.parquet) },
    ];
  } finally {
    await browser.close();
    await serving.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function linkOf(coordinator: string, created: StudyCreated, site: string): string {
  const { token } = created.invitations.find((one) => one.site === site)!;
  const { id: study, coordinatorKey } = created;
  return linkText({ coordinator, purpose: 'join', study, token, coordinatorKey });
}

/** Opens the page, gives it the file, acknowledges, approves, and waits for the receipt. */
async function joinInTab(
  browser: Browser,
  link: string,
  path: string,
): Promise<{ readonly seconds: number; readonly megabytes: number }> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(link);
    await page.locator('.tag', { hasText: 'Ready for your file' }).waitFor();
    let megabytes = 0;
    const watch = setInterval(() => {
      megabytes = Math.max(megabytes, ...renderersMegabytes());
    }, 20);
    const start = performance.now();
    await page.locator('input[type=file]').first().setInputFiles(path);
    const send = page.getByRole('button', { name: /^Send [\d,]+ bytes/ });
    await send.waitFor({ timeout: 300_000 });
    for (const box of await page.getByRole('checkbox').all()) await box.check();
    await send.click();
    await page.getByRole('heading', { name: 'Sent and acknowledged' }).waitFor();
    const seconds = (performance.now() - start) / 1000;
    clearInterval(watch);
    return { seconds, megabytes };
  } finally {
    await context.close();
  }
}

/** Present resident memory of all processes that run tabs: heaps, WASM memory and the browser's own code. */
function renderersMegabytes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) return [];
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        return [Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000];
      } catch {
        return []; // ended meanwhile
      }
    });
}
