import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import {
  ledgerFolders,
  ledgerLines,
  lineOf,
  tagsFile,
  tagsOfRelease,
  writeLedger,
} from './ledger-folder.ts';

const folders = ledgerFolders();

describe('a ledger that was tampered with', () => {
  const kinds: readonly (readonly [string, (folder: string) => void, RegExp])[] = [
    [
      'an edited number',
      (folder) => {
        const texts = ledgerLines(folder);
        writeLedger(folder, texts.with(1, texts[1].replace('"rows":30', '"rows":31')));
      },
      /line 2 .* was changed/,
    ],
    [
      'white space',
      (folder) => {
        const texts = ledgerLines(folder);
        writeLedger(folder, texts.with(0, texts[0].replace('{', '{ ')));
      },
      /line 1 .* was changed|lines were changed/,
    ],
    [
      'a first line that is gone',
      (folder) => writeLedger(folder, ledgerLines(folder).slice(1)),
      /line 1 .* does not follow/,
    ],
    [
      'a middle line that is gone',
      (folder) => writeLedger(folder, ledgerLines(folder).toSpliced(1, 1)),
      /line 2 .* does not follow/,
    ],
    [
      'a last line that is gone',
      (folder) => writeLedger(folder, ledgerLines(folder).slice(0, -1)),
      /ends at line 3; it had 4/,
    ],
    [
      'a last line cut short',
      (folder) =>
        truncateSync(join(folder, 'ledger.jsonl'), statSync(join(folder, 'ledger.jsonl')).size - 9),
      /ends at line 3; it had 4/,
    ],
    [
      'all lines gone',
      (folder) => rmSync(join(folder, 'ledger.jsonl')),
      /ends at line 0; it had 4/,
    ],
    [
      'two lines that changed places',
      (folder) => {
        const [a, b, ...rest] = ledgerLines(folder);
        writeLedger(folder, [b, a, ...rest]);
      },
      /line 1 .* does not follow/,
    ],
    [
      'a line that is there twice',
      (folder) => writeLedger(folder, ledgerLines(folder).toSpliced(2, 0, ledgerLines(folder)[1])),
      /line 3 .* does not follow/,
    ],
    [
      'a made-up line',
      (folder) => writeLedger(folder, [...ledgerLines(folder), JSON.stringify(lineOf(7))]),
      /line 5 .* was changed/,
    ],
    [
      'an empty line',
      (folder) => appendFileSync(join(folder, 'ledger.jsonl'), '\n'),
      /line 5 .* was changed/,
    ],
    [
      'lines without their seals',
      (folder) =>
        writeLedger(
          folder,
          ledgerLines(folder).map((text) => text.replace(/,"previous".*/, '}')),
        ),
      /other lines than ledger.head/,
    ],
    ['no head', (folder) => rmSync(join(folder, 'ledger.head')), /ledger.head is missing/],
    [
      'an edited head',
      (folder) => {
        const path = join(folder, 'ledger.head');
        writeFileSync(path, readFileSync(path, 'utf8').replace('"lines":4', '"lines":3'));
      },
      /ledger.head was changed/,
    ],
    ['no secret', (folder) => rmSync(join(folder, 'ledger.secret')), /ledger.secret is missing/],
    [
      'a damaged secret',
      (folder) => truncateSync(join(folder, 'ledger.secret'), 40),
      /ledger.secret cannot be read/,
    ],
    [
      'tags that are gone',
      (folder) => rmSync(tagsFile(folder, 2)),
      /rows\/[0-9a-f]{64}.tags is missing or was changed/,
    ],
    [
      'tags cut short',
      (folder) => truncateSync(tagsFile(folder, 2), 8 * 29),
      /rows\/[0-9a-f]{64}.tags is missing or was changed/,
    ],
    [
      'other tags',
      (folder) => cpSync(tagsFile(folder, 1), tagsFile(folder, 2)),
      /rows\/[0-9a-f]{64}.tags is missing or was changed/,
    ],
    [
      'everything gone but the receipts',
      (folder) => {
        for (const name of ['ledger.jsonl', 'ledger.head', 'ledger.secret', 'rows', 'outbox']) {
          rmSync(join(folder, name), { recursive: true });
        }
      },
      /has no line for the contribution of receipts\/.*\.json/,
    ],
  ];

  it.each(kinds)('is noticed: %s', async (_, tamper, problem) => {
    const folder = folders.filled();
    tamper(folder);
    const home = await openSiteFolder(folder);
    expect(await home.verify()).toEqual({
      problem: expect.stringMatching(problem),
      remedy: expect.stringContaining(`restore ${folder} from a backup`),
    });
  });

  it('takes no further line, and keeps what waits', async () => {
    const folder = folders.filled();
    writeLedger(folder, ledgerLines(folder).slice(0, -1));
    const home = await openSiteFolder(folder);
    const before = readFileSync(join(folder, 'ledger.head'), 'utf8');
    await expect(home.record(lineOf(6), tagsOfRelease(6))).rejects.toMatchObject({
      code: 'not-allowed',
      remedy: expect.stringContaining('backup'),
    });
    await home.discard('sha256:none', 'nobody');
    expect(ledgerLines(folder)).toHaveLength(3);
    expect(readFileSync(join(folder, 'ledger.head'), 'utf8')).toBe(before);
    expect(readdirSync(join(folder, 'rows'))).toHaveLength(5);
    expect((await home.past()).at(-1)?.site).toBe('site 5');
    cpSync(folders.filled(), folder, { recursive: true, force: true });
    await home.record(lineOf(6), tagsOfRelease(6));
    expect(await home.verify()).toBeUndefined();
  });
});
