import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { nodeHost } from '../src/node/compute/host.ts';
import { createPool } from '../src/node/compute/pool.ts';
import type { ReduceJob, ReduceResult } from '../src/rows/reduce-job.ts';
import { openSource } from '../src/rows/sources.ts';

// A thread that reads nothing and answers with no site.
const IDLE_THREAD = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', () => parentPort.postMessage({ result: { sites: [] } }));
`;

it.each([
  [false, 2],
  [true, 1],
] as const)(
  'a large file that is read whole (%s) is read in %i parts',
  async (wholeFile, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'glm-pool-'));
    const script = join(folder, 'thread.mjs');
    writeFileSync(script, IDLE_THREAD);
    const pool = createPool(2, pathToFileURL(script));
    const path = join(folder, 'site.csv');
    writeFileSync(path, `x,y\n${'1,2\n'.repeat(2.5e6)}`);
    const source = await openSource(nodeHost, { path }, ['x', 'y']);
    const job: ReduceJob = {
      kind: 'reduce',
      study: {
        schema: 'suffice/study@1',
        formula: 'y ~ x',
        codebook: {},
        fusion: { kind: 'ridge', ridge: 0 },
        arithmetic: 'exact',
      },
      source,
      missing: 'drop',
      wholeFile,
      site: { name: 'site' },
    };
    let parts = 1;
    const joined = (results: readonly ReduceResult[]) => {
      parts = results.length;
      return results[0];
    };
    try {
      await pool.run([job], joined, () => {});
      expect(parts).toBe(expected);
    } finally {
      await pool.close();
      rmSync(folder, { recursive: true });
    }
  },
);
