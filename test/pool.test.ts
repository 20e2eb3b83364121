import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nodeHost } from '../src/node/compute/host.ts';
import { createPool } from '../src/node/compute/pool.ts';
import { threadHere } from '../src/node/compute/thread-here.ts';
import type { DraftJob } from '../src/rows/draft-job.ts';
import type { Host } from '../src/rows/host.ts';
import { poolOf as portablePool, ReadingCancelled, type Thread } from '../src/rows/pool.ts';
import { openSource } from '../src/rows/sources.ts';
import { mergeDrafts } from '../src/table/draft.ts';
import { temporaryFolder } from './cli.ts';

const folder = temporaryFolder();

async function job(name: string, rows: number): Promise<DraftJob> {
  const path = join(folder, name);
  writeFileSync(path, `y,x\n${'1234567.25,7654321.5\n'.repeat(rows)}`);
  const source = await openSource(nodeHost, { path }, ['x', 'y']);
  return { kind: 'draft', source, wanted: ['x', 'y'], texts: [], missing: [], decimal: '.' };
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

  it('fails, and does not wait for ever, when a thread ends before its job comes', async () => {
    const [script, mark] = ['ended.mjs', 'ended.txt'].map((name) => join(folder, name));
    writeFileSync(
      script,
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, ''); throw new Error('no memory left');`,
    );
    const pool = createPool(2, pathToFileURL(script));
    pool.start(1e8);
    const one = await job('late.csv', 500_000);
    while (!existsSync(mark)) await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(pool.run([one], join2, () => {})).rejects.toThrow('a reading thread died');
    await pool.close();
  });

  it('starts all threads but the last before a job comes, if a source is worth them', async () => {
    let threads = 0;
    const ranges: DraftJob['range'][] = [];
    const startThread = (): Thread => {
      threads++;
      const thread = threadHere();
      const post = (given: Parameters<Thread['post']>[0]) => {
        ranges.push(given.range);
        thread.post(given);
      };
      return { ...thread, post };
    };
    const sizes = { leastRange: 1e5, leastBytes: 3e5, headStart: 1e6 };
    const pool = portablePool({ threads: 3, ...sizes, host: nodeHost, startThread });
    const one = await job('three.csv', 100_000);
    pool.start(2e5);
    expect(threads).toBe(0);
    for (const _ of ['twice', 'makes no more']) pool.start(one.source.length);
    expect(threads).toBe(2);
    const [{ draft }] = await pool.run([one], join2, () => {});
    expect(draft.columns.get('x')?.numbers).toBe(100_000);
    expect(threads).toBe(3);
    const third = one.source.length / 3;
    for (const range of ranges) expect((range!.to - range!.from) / third).toBeCloseTo(1, 3);
    await pool.close();
    pool.start(one.source.length);
    expect(threads).toBe(3);
  });

  it('gives the last thread what it can read while the others start, and later equal ranges', async () => {
    const ranges: DraftJob['range'][] = [];
    const startThread = (): Thread => {
      const thread = threadHere();
      const post = (given: Parameters<Thread['post']>[0]) => {
        ranges.push(given.range);
        thread.post(given);
      };
      return { ...thread, post };
    };
    const sizes = { leastRange: 1e5, leastBytes: 0, headStart: 1e6 };
    const pool = portablePool({ threads: 2, ...sizes, host: nodeHost, startThread });
    const one = await job('two.csv', 100_000);
    for (const ahead of [1e6, 0]) {
      ranges.length = 0;
      const [{ draft }] = await pool.run([one], join2, () => {});
      expect(draft.columns.get('x')?.numbers).toBe(100_000);
      const [first, last] = ranges.map((range) => range!.to - range!.from);
      expect([ranges[0]!.to, first! + last!]).toEqual([ranges[1]!.from, one.source.length]);
      expect(Math.abs(last! - first! - ahead)).toBeLessThanOrEqual(one.source.length / 100);
    }
    await pool.close();
  });

  it('has the calling thread as one, which stops in the middle of a file when it is ended', async () => {
    const here = threadHere();
    const answer = new Promise((resolve) => {
      here.listen(
        (message) => ('progress' in message ? here.terminate() : resolve(message)),
        () => {},
      );
    });
    here.post(await job('large.csv', 1_000_000));
    expect(await answer).toEqual({ crash: expect.stringContaining('cancelled') });
  });

  it('that is closed cancels what is read on its threads, and ends them', async () => {
    let ended = 0;
    const pool = portablePool({
      threads: 2,
      host: nodeHost,
      startThread: () => ({ post: () => {}, listen: () => () => {}, terminate: () => ended++ }),
    });
    const jobs = await Promise.all(['a.csv', 'b.csv', 'c.csv'].map((name) => job(name, 500_000)));
    const running = pool.run(jobs, join2, () => {});
    const closing = expect(running).rejects.toThrow(ReadingCancelled);
    await new Promise((resolve) => setTimeout(resolve));
    await Promise.all([pool.close(), pool.close()]);
    await closing;
    await pool.close();
    expect(ended).toBe(2);
    await expect(pool.run(jobs, join2, () => {})).rejects.toThrow(ReadingCancelled);
  });

  it('that is closed gives its threads nothing more to do: they may be at work for others', async () => {
    const posted: string[] = [];
    let state = 'open';
    const pool = portablePool({
      threads: 2,
      host: nodeHost,
      startThread() {
        let hear: Parameters<Thread['listen']>[0] = () => {};
        return {
          post({ range }) {
            posted.push(state);
            // The ranges do not fit together: the file would be read once more, in one piece.
            const edges = { from: range!.from + 1, to: range!.to };
            queueMicrotask(() => hear({ result: { edges } }));
          },
          listen(listener) {
            hear = listener;
            return () => {};
          },
          terminate: () => {},
        };
      },
    });
    const running = pool.run([await job('d.csv', 500_000)], join2, () => {
      state = 'closed';
      void pool.close();
    });
    await expect(running).rejects.toThrow(ReadingCancelled);
    await new Promise((resolve) => setTimeout(resolve));
    expect(posted).toEqual(['open', 'open']);
  });

  it('that is closed cancels what is read without threads, and closes the file', async () => {
    const bytes = new TextEncoder().encode(`y,x\n${'1,2\n'.repeat(10_000)}`);
    let reads = 0;
    let closed = 0;
    const host: Host = {
      open: () => ({
        size: bytes.length,
        async read(space, position) {
          reads++;
          const part = bytes.subarray(position, position + 100);
          space.set(part);
          return part.length;
        },
        slice: async () => new ArrayBuffer(0),
        close: () => {
          closed++;
        },
      }),
    };
    const source = await openSource(host, { path: 'x.csv' }, ['x']);
    const startThread = () => {
      throw new Error('no thread is worth it');
    };
    const pool = portablePool({ threads: 4, host, startThread });
    const task: DraftJob = { ...(await job('small.csv', 1)), source };
    const running = pool.run([task], join2, (read) => {
      if (read >= 300) void pool.close();
    });
    reads = 0;
    await expect(running).rejects.toThrow(ReadingCancelled);
    await new Promise((resolve) => setTimeout(resolve));
    expect([reads, closed]).toEqual([4, 2]);
  });
});
