import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { useNativeHash } from '../src/node/compute/native-hash.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { rehearseJoin } from '../src/node/site/join-files.ts';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import { decodeContribution } from '../src/statistic/envelope.ts';
import { plainInk } from '../src/text/text-table.ts';
import { temporaryFolder } from './cli.ts';
import { drawnWeights } from './drawn-backbone.ts';
import { enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { nothingLeft, pageVisit } from './join-page.ts';
import { agreement } from './linear.ts';
import { servedStudy } from './served-study.ts';

useNativeHash();
const present = fileBrowser();
const folder = mkdtempSync(join(temporaryFolder(), 'test-'));

it.runIf(enduring)(
  'a tab gets the file of a backbone from the coordinator, checks it, and sends what the command line would',
  async (context) => {
    const { bytes, sha256 } = drawnWeights();
    const study = parseStudy({
      schema: 'suffice/study@1',
      data: { kind: 'images', height: 2, width: 2, channels: 3, classes: ['cat', 'dog'] },
      fusion: { kind: 'ridge', ridge: 1 },
      arithmetic: 'exact',
      features: [
        { kind: 'backbone', package: '@vladmandic/human', sha256, layers: ['conv_8'], pixels: 32 },
      ],
      disclosure: { profile: 'none' },
    });
    const names = Array.from({ length: 12 }, (_, k) => `pixel${k + 1}`);
    const lines = Array.from({ length: 40 }, (_, r) => {
      const pixels = names.map((_name, k) => (r * r * 31 * (k + 1) + 5 * r) % 256);
      return [r % 3 === 0 ? 'cat' : 'dog', ...pixels].join(',');
    });
    const rows = `class,${names.join(',')}\n${lines.join('\n')}\n`;
    const running = await servedStudy(folder, study, ['north']);
    const visit = await pageVisit(present(context), running, 'north');

    // The coordinator offers no such file.
    await visit.come();
    visit.mark();
    await visit.page.getByText(/does not offer it/).waitFor();
    expect(await visit.text()).toContain('npm install @vladmandic/human@3.3.6');
    await nothingLeft(visit, running);

    // It gives another file.
    const answers = { body: Buffer.from(bytes).fill(0, 0, 8) };
    const offer = (route: Route) => route.fulfill({ status: 200, ...answers });
    await visit.context.route(`**/assets/${sha256}.bin`, offer);
    await visit.come();
    visit.mark();
    await visit.page.getByText(/SHA-256 differs/).waitFor();
    await nothingLeft(visit, running);

    answers.body = Buffer.from(bytes);
    await visit.come();
    await visit.ready();
    visit.mark();
    await visit.give('rows.csv', rows);
    await visit.heading('What will be sent');
    expect([visit.asked, visit.received()]).toEqual([[], []]);
    await visit.approve();
    await visit.heading('Sent and acknowledged');
    const [{ body }] = visit.received();
    const decoded = decodeContribution(
      new Uint8Array(body),
      running.created.digest,
      agreement(study).layout,
    );
    if ('refused' in decoded) throw new Error(decoded.refused);

    const path = join(folder, 'rows.csv');
    writeFileSync(path, rows);
    writeFileSync(join(folder, 'centernet.bin'), bytes);
    vi.stubEnv('SUFFICE_MODELS', folder);
    const { summary } = await rehearseJoin(
      { link: running.link('north'), path, missing: 'drop', again: 'replace' },
      await openSiteFolder(join(folder, 'home')),
      {
        ink: plainInk,
        watch: () => silentProgress,
        show: () => {},
        notice: () => {},
        failure: () => {},
        explain: () => {},
      },
    );
    vi.unstubAllEnvs();
    expect(decoded.contribution.statistic.values).toEqual(summary.statistic.values);
  },
);
