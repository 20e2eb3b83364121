import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { DraftJob } from '../src/node/draft-job.ts';
import { createPool } from '../src/node/pool.ts';
import { openTable } from '../src/node/table-file.ts';
import { mergeDrafts } from '../src/table/draft.ts';
import { temporaryFolder } from './cli.ts';

const folder = temporaryFolder();

async function job(name: string, rows: number): Promise<DraftJob> {
  const path = join(folder, name);
  writeFileSync(path, `y,x\n${'1234567.25,7654321.5\n'.repeat(rows)}`);
  const file = await openTable(path, ['x', 'y']);
  return { kind: 'draft', file, wanted: ['x', 'y'], texts: [], missing: [], decimal: '.' };
}

const join2 = (parts: readonly { readonly draft: Parameters<typeof mergeDrafts>[0] }[]) => ({
  draft: parts.map((part) => part.draft).reduce(mergeDrafts),
});

describe('a pool of threads', () => {
  it('works without any where there is little to read', async () => {
    const pool = createPool(4);
    const [{ draft }] = await pool.run([await job('small.csv', 10)], join2, () => {});
    expect(draft.columns.get('x')?.numbers).toBe(10);
    await pool.close();
  });

  it.each([
    [
      'end in a job',
      'import { parentPort } from "node:worker_threads"; parentPort.on("message", () => process.exit(3));',
    ],
    ['do not start', 'throw new Error("no memory left");'],
  ])('fails, and does not wait for ever, when its threads %s', async (name, code) => {
    const script = join(folder, `${name}.mjs`);
    writeFileSync(script, code);
    const pool = createPool(2, pathToFileURL(script));
    const jobs = await Promise.all(['a.csv', 'b.csv', 'c.csv'].map((name) => job(name, 500_000)));
    await expect(pool.run(jobs, join2, () => {})).rejects.toThrow('a reading thread died');
    await pool.close();
  });
});
