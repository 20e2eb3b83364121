import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeHost } from '../src/node/compute/host.ts';
import { poolOf, type Thread } from '../src/rows/pool.ts';
import type { ReduceJob, ReduceResult } from '../src/rows/reduce-job.ts';
import { openSource } from '../src/rows/sources.ts';

/** A thread that reads nothing and answers with no site. */
function idleThread(): Thread {
  let hear: Parameters<Thread['listen']>[0] = () => {};
  return {
    post: () => queueMicrotask(() => hear({ result: { sites: [] } })),
    listen(listener) {
      hear = listener;
      return () => {};
    },
    terminate: () => {},
  };
}

it.each([
  [false, 2],
  [true, 1],
] as const)(
  'a large file that is read whole (%s) is read in %i parts',
  async (wholeFile, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'glm-pool-'));
    const pool = poolOf({ threads: 2, host: nodeHost, startThread: idleThread });
    const path = join(folder, 'site.csv');
    writeFileSync(path, `x,y\n${'1,2\n'.repeat(2.5e6)}`);
    const source = await openSource(nodeHost, { path }, ['x', 'y']);
    const number = { type: 'number', range: [0, 2] } as const;
    const job: ReduceJob = {
      kind: 'reduce',
      study: {
        schema: 'suffice/study@1',
        formula: 'y ~ x',
        codebook: { x: number, y: number },
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
