import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import { chanceOfTest } from './chance.ts';
import { temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { releaseOf, startRecording } from './recording-site.ts';

const root = temporaryFolder();
const KILLS = enduring ? 30 : 2;

/** The ledger holds together, has each release once, and has all of these. */
async function expectWhole(folder: string, done: readonly string[]): Promise<number> {
  const home = await openSiteFolder(folder);
  expect(await home.verify()).toBeUndefined();
  const digests = (await home.ledger()).map(({ digest }) => digest);
  expect(new Set(digests).size).toBe(digests.length);
  expect(digests).toEqual(expect.arrayContaining([...done]));
  return digests.length;
}

describe('a ledger', () => {
  it('holds together whenever those who record are killed', async () => {
    const { below } = chanceOfTest();
    const folder = join(root, 'killed');
    const done: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 2) {
      const sites = ['a', 'b'].map((name) => startRecording(folder, `${name}${kill}`, 10_000));
      await Promise.all(
        sites.map(async ({ begun, child, ended }) => {
          await begun;
          await new Promise((resolve) => setTimeout(resolve, below(40)));
          child.kill('SIGKILL');
          await ended;
          expect(child.signalCode).toBe('SIGKILL');
        }),
      );
      done.push(...sites.flatMap((site) => site.done));
      await expectWhole(folder, done);
    }
    expect(done.length).toBeGreaterThanOrEqual(KILLS);
    const home = await openSiteFolder(folder);
    const release = releaseOf('last', Buffer.from('last'), 1);
    const place = { at: new Date().toISOString(), to: '/last.suffice' };
    await home.record({ ...place, ...release }, BigUint64Array.of(7n));
    await expectWhole(folder, [...done, release.digest]);
    const left = readdirSync(folder).filter((name) => !name.endsWith('.draft'));
    expect(left.sort()).toEqual(
      ['ledger.head', 'ledger.jsonl', 'ledger.secret', 'outbox', 'receipts', 'rows'].sort(),
    );
  });

  it.runIf(enduring)('is written by many processes at once, a line each', async () => {
    const folder = join(root, 'shared');
    const sites = ['a', 'b', 'c', 'd'].map((name) => startRecording(folder, name, 12));
    expect(await Promise.all(sites.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
    const done = sites.flatMap((site) => site.done);
    expect(done).toHaveLength(48);
    expect(await expectWhole(folder, done)).toBe(48);
    expect(readdirSync(join(folder, 'outbox'))).toEqual([]);
    expect(readdirSync(join(folder, 'rows'))).toHaveLength(12);
  });
});
