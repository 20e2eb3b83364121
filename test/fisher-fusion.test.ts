import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { clientsExperiment } from '../experiments/fisher/clients-experiment.ts';
import { compressionLevels, sentBits } from '../experiments/fisher/compression.ts';
import { compressionExperiment } from '../experiments/fisher/compression-experiment.ts';
import { planFor } from '../experiments/fisher/fusion-run.ts';
import { tableMethods } from '../experiments/fisher/methods.ts';
import { type FisherSet, fisherSets } from '../experiments/fisher/on-images.ts';
import {
  type PartStore,
  partsInFolder,
  partsInMemory,
  removeParts,
} from '../experiments/fisher/part-store.ts';
import { pretrainedExperiment } from '../experiments/fisher/pretrained-experiment.ts';
import { roundsExperiment } from '../experiments/fisher/rounds-experiment.ts';
import { tableTwoExperiment } from '../experiments/fisher/table-two.ts';
import { timeExperiment } from '../experiments/fisher/time.ts';
import type { ExperimentResult, ReadingExperiment } from '../experiments/paper-result.ts';
import { temporaryFolder } from './cli.ts';
import { chosen } from './endurance.ts';

const path = fileURLToPath(
  new URL('../examples/digits/held-out-images.idx3-ubyte', import.meta.url),
);

/** Digits with a network that trains in a tenth of a second. */
const digits: FisherSet = {
  name: 'digits',
  set: {
    name: 'digits',
    parts: { train: path, test: path },
    images: {
      ...{ kind: 'images', height: 8, width: 8, channels: 1 },
      classes: Array.from({ length: 10 }, (_, k) => String(k)),
    },
    printed: [],
  },
  network: {
    layers: [
      { kind: 'convolution', channels: 2, size: 3 },
      { kind: 'relu' },
      { kind: 'max-pool', size: 2 },
      { kind: 'dense', units: 8 },
      { kind: 'relu' },
    ],
    bias: false,
    pixels: [{ mean: 0.3, deviation: 0.3 }],
  },
  networkName: 'a small network',
  isAugmented: false,
  imageSeconds: 1e-5,
  methods: tableMethods,
  distillation: { batches: 2, batch: 16, steps: 3, width: 8, passes: 1 },
  fixed: { dimension: 37, size: 3 },
};

const plan = { seed: 1, trials: 1, epochs: 20, quick: true };

async function finished(steps: ReadingExperiment): Promise<ExperimentResult> {
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return next.value;
    expect(next.value.done).toBeLessThanOrEqual(1);
  }
}

const tableTwo = (parts: PartStore) => tableTwoExperiment('digits', digits, { plan, parts });

/** Counts what is computed. */
function counted(parts: PartStore, names: string[]): PartStore {
  return {
    part: (name, compute) =>
      parts.part(name, () => {
        names.push(name);
        return compute();
      }),
  };
}

describe('Table 2 on digits', async () => {
  const folder = join(temporaryFolder(), 'parts');
  const first: string[] = [];
  const result = await finished(tableTwo(counted(partsInFolder(folder, '1'), first)));
  const [table] = result.tables;
  const accuracyOf = (label: string, alpha: number) =>
    table!.rows.find((row) => row.label === label)!.cells[alpha]!.measured!.mean;

  it('has an accuracy of every method at every α, and the methods do what they are for', () => {
    const labels = table!.rows.map(({ label }) => label);
    expect(labels).toHaveLength(tableMethods.length + 5);
    expect(labels).toContain('DENSE');
    for (const { cells } of table!.rows) {
      for (const { measured } of cells) expect(measured!.mean).toBeGreaterThan(9);
    }
    const [ridge, average] = ['exact ridge on fixed features, D = 37', 'FedAvg'];
    for (const alpha of [0, 1, 2]) {
      expect(accuracyOf(ridge, alpha)).toBe(accuracyOf(ridge, 0));
      expect(accuracyOf(ridge, alpha)).toBeGreaterThan(accuracyOf(average, alpha));
      expect(accuracyOf('FedAvg, then head repair', alpha)).toBeGreaterThan(
        accuracyOf(average, alpha),
      );
    }
  });

  it('goes on from what is finished: nothing but a lost and a broken part is computed again', async () => {
    const files = readdirSync(folder);
    expect(files).toHaveLength(first.length);
    const lost = files.filter((name) => name.includes('a0.1-') && name.includes('-pfnm'));
    await removePart(folder, lost[0]!);
    const broken = files.find((name) => name.includes('a0.2-') && name.includes('-client3'))!;
    writeFileSync(join(folder, broken), 'not a part');
    const again: string[] = [];
    const { seconds: _, ...resumed } = await finished(
      tableTwo(counted(partsInFolder(folder, '1'), again)),
    );
    const { seconds: __, ...whole } = result;
    expect(resumed).toEqual(whole);
    expect(again.map((name) => name.replace(/^digits-\d+-/, '')).sort()).toEqual([
      'a0.1-m5-s1-e20-pfnm',
      'a0.2-m5-s1-e20-client3',
    ]);
  });

  it('is removed with its folder, unless something else is there', async () => {
    writeFileSync(join(folder, 'mine.txt'), 'mine');
    await removeParts(folder);
    expect(readdirSync(folder)).toEqual(['mine.txt']);
    const empty = join(temporaryFolder(), 'other');
    await partsInFolder(empty, '1').part('one', async () => 1);
    await removeParts(empty);
    expect(existsSync(empty)).toBe(false);
  });
});

async function removePart(folder: string, name: string): Promise<void> {
  const { rm } = await import('node:fs/promises');
  await rm(join(folder, name));
}

describe('the other experiments on digits', () => {
  const context = { plan: { ...plan, epochs: 6 }, parts: partsInMemory() };

  const all = [
    ['time', timeExperiment, 6],
    ['compression', compressionExperiment, 8],
    ['pretrained', pretrainedExperiment, tableMethods.length + 4],
    ['rounds', roundsExperiment, 6],
    ['clients', clientsExperiment, 9],
  ] as const;
  it.each(chosen<(typeof all)[number]>(all, 0))(
    '%s has numbers and conclusions from them',
    async (id, run, rows) => {
      const result = await finished(run(digits, context));
      expect(result.id).toBe(id);
      expect(result.tables.flatMap((table) => table.rows)).toHaveLength(rows);
      const means = result.tables
        .flatMap((table) => table.rows.flatMap(({ cells }) => cells))
        .flatMap(({ measured }) => (measured === undefined ? [] : [measured.mean]));
      expect(means.length).toBeGreaterThanOrEqual(rows - 4);
      expect(means.filter((mean) => !(mean > 0))).toEqual([]);
      expect(result.conclusions.length).toBeGreaterThan(0);
      for (const { because } of result.conclusions) expect(because).not.toContain('NaN');
    },
  );
});

describe('bits on the wire, in those of FedAvg', () => {
  const lenet = planFor(fisherSets.fashion.network, fisherSets.fashion.set);
  const bitsOf = (level: keyof typeof compressionLevels) =>
    sentBits(lenet, compressionLevels[level].of(lenet));

  // research/neural.md, §3.8: rank 50, 1.034 times FedAvg's bits; 3.986 times without compression.
  it('are those of FedFisher’s code', () => {
    expect(compressionLevels.coded.of(lenet).rank).toBe(50);
    expect(bitsOf('coded').kfac).toBeCloseTo(1.034, 2);
    expect(bitsOf('none').kfac).toBeCloseTo(3.986, 2);
    expect(bitsOf('coded').diagonal).toBeCloseTo(1, 2);
  });

  it('hold more vectors where they are sent once', () => {
    expect(bitsOf('once').kfacOnce).toBeLessThanOrEqual(1.001);
    expect(compressionLevels.once.of(lenet).rank).toBeGreaterThan(80);
  });
});

it('a store in memory computes a part once', async () => {
  const parts = partsInMemory();
  let count = 0;
  const compute = async () => ++count;
  expect(await Promise.all([parts.part('a', compute), parts.part('a', compute)])).toEqual([1, 1]);
});
