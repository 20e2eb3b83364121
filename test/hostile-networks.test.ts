import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conclude } from '../src/conclude.ts';
import type { Caller } from '../src/coordinator/coordinator.ts';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { agreement, collect, readContribution } from '../src/federate.ts';
import { plainValues, planNetwork } from '../src/network/network-plan.ts';
import { createWorkspace } from '../src/network/workspace.ts';
import { workspaceBytes } from '../src/network/workspace-bytes.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { type Contribution, encodeContribution } from '../src/statistic/envelope.ts';
import type { SegmentLayout } from '../src/statistic/layout.ts';
import { setRingEntry } from '../src/statistic/ring.ts';
import { entriesIn, type Segment } from '../src/statistic/segments.ts';
import type { Fusion, Study } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { contributionsTo, linesOf, studyOver } from './fusion-rows.ts';

const trained = {
  network: { layers: [{ kind: 'dense', units: 3 }, { kind: 'relu' }] },
  training: { epochs: 2, batch: 8 },
} as const;

/** The agreement of a fusion of classes, and what four sites send. */
function sentTo(fusion: Fusion) {
  const agreed = agreement(
    studyOver({ formula: 'g ~ x + z', fusion, disclosure: { profile: 'none' } }),
  );
  return { agreed, sent: contributionsTo(agreed) };
}

const kinds = {
  kfac: sentTo({ kind: 'fisher-kfac', ...trained }),
  full: sentTo({ kind: 'fisher-full', ...trained }),
  regmean: sentTo({ kind: 'regmean', ...trained }),
  compressed: sentTo({ kind: 'fisher-diagonal', ...trained, compression: { bits: 9 } }),
  'compressed kfac': sentTo({ kind: 'fisher-kfac', ...trained, compression: { rank: 2 } }),
};

/** A contribution with other numbers; what is undefined stays. */
function changed(
  one: Contribution,
  number: (segment: Segment, entry: number) => bigint | undefined,
): Contribution {
  const layout = one.statistic.layout as SegmentLayout;
  const values = one.statistic.values.slice();
  let at = 0;
  for (const segment of layout.segments) {
    for (let k = 0; k < entriesIn(segment); k++, at++) {
      const given = number(segment, k);
      if (given !== undefined) setRingEntry(values, layout.words, at, given);
    }
  }
  return { ...one, statistic: { layout, values } };
}

/** A float32 where a contribution has the size of levels. */
const size = (value: number) => (segment: Segment) =>
  segment.name.endsWith(' size')
    ? BigInt(new Int32Array(Float32Array.of(value).buffer)[0])
    : undefined;
const named =
  (name: string, value: bigint) =>
  (segment: Segment, entry: number): bigint | undefined =>
    segment.name === name && entry === 0 ? value : undefined;
const inTriangles = (numberAt: (entry: number) => bigint) => (segment: Segment, entry: number) =>
  segment.shape.kind === 'triangle' ? numberAt(entry) : undefined;

describe('the numbers of a site that no training gives', () => {
  it.each([
    ['kfac', 'a negative square', inTriangles(() => -1n)],
    ['kfac', 'products beyond their squares', inTriangles((k) => BigInt(1 + k) ** 20n)],
    ['full', 'a negative square', inTriangles(() => -1n)],
    ['regmean', 'products beyond their squares', inTriangles((k) => (k === 1 ? 2n ** 80n : 1n))],
    ['compressed', 'an infinite size', size(Number.POSITIVE_INFINITY)],
    ['compressed kfac', 'a size that is no number', size(Number.NaN)],
    ['compressed', 'a negative size', size(-1)],
    ['compressed', 'a level beyond the largest', named('weights dense1', -(2n ** 8n))],
    ['compressed kfac', 'two contributions in one', named('contributions', 0n)],
    ['kfac', 'numbers without rows', named('rows', 0n)],
  ] as const)('are refused: %s, %s', (kind, _, number) => {
    const { agreed, sent } = kinds[kind];
    expect(readContribution(agreed, encodeContribution(sent[0]))).toHaveProperty('contribution');
    const bad = changed(sent[0], number);
    expect(readContribution(agreed, encodeContribution(bad))).toHaveProperty('refused');
  });

  it.each([
    ['full', 'no site can be told from the sum', inTriangles((k) => (k < 2 ? 2n ** 60n : 1n)), ''],
    ['compressed', 'its weights are beyond float32', size(3e38), ' (west)'],
    ['compressed kfac', 'its weights are beyond float32', size(3e38), ' (west)'],
  ] as const)('give a failure, not a crash: %s, %s', (kind, _, number, who) => {
    const { agreed, sent } = kinds[kind];
    const all = collect(agreed, [changed(sent[0], number), ...sent.slice(1)]);
    if ('problem' in all) throw new Error(all.problem);
    const found = conclude(agreed, all, { sites: linesOf(sent), audience: 'everyone' });
    expect(found).toMatchObject({ remedy: expect.any(String) });
    if ('problem' in found) expect(found.problem.endsWith(who)).toBe(true);
  });
});

const square = { channels: 1, height: 24, width: 24 };
const wide = { layers: [{ kind: 'dense', units: 8192 }] } as const;
const conv = (channels: number, size: number, padding = 0) =>
  ({ kind: 'convolution', channels, size, padding }) as const;
const images: Study = {
  schema: 'suffice/study@1',
  data: { kind: 'images', height: 56, width: 56, channels: 3, classes: ['a', 'b'] },
  fusion: { kind: 'network-average', network: { layers: [] } },
  arithmetic: 'exact',
};
const large: readonly [string, Study, string][] = [
  [
    'products of a wide layer',
    studyOver({ formula: 'g ~ x', fusion: { kind: 'fisher-kfac', network: wide } }),
    'numbers of this network',
  ],
  [
    'the same, compressed',
    studyOver({
      formula: 'g ~ x',
      fusion: { kind: 'fisher-kfac', network: wide, compression: { rank: 1 } },
    }),
    'numbers of this network',
  ],
  [
    'a batch of many channels',
    {
      ...images,
      fusion: {
        kind: 'network-average',
        network: { layers: [conv(512, 3, 1), { kind: 'max-pool', size: 32 }] },
        training: { batch: 4096 },
      },
    },
    'MB of memory',
  ],
  [
    'a generator of many channels',
    {
      ...images,
      fusion: {
        kind: 'dense',
        network: { layers: [] },
        distillation: { batch: 1024, width: 512 },
      },
    },
    'the generator would take',
  ],
  [
    'windows that no memory holds',
    {
      ...images,
      fusion: {
        kind: 'network-average',
        network: { layers: [conv(512, 3, 1), conv(1, 32, 16), { kind: 'max-pool', size: 32 }] },
        training: { batch: 1 },
      },
    },
    'MB of memory',
  ],
];

describe('a generator of rows for numbers', () => {
  it('is refused before anything is read, and names what to choose instead', () => {
    const study = studyOver({ fusion: { kind: 'dense', ...trained } });
    expect(() => agreement(study)).toThrow('dense is for a category');
    expect(() => agreement(study)).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('fisher-kfac') }),
    );
  });
});

describe('a network without inputs', () => {
  it('is refused before anything is read', () => {
    const study = studyOver({ formula: 'g ~ 1', fusion: { kind: 'network-average', ...trained } });
    expect(() => agreement(study)).toThrow('a formula without columns');
  });
});

describe('a network that is too large', () => {
  it.each(large)('is refused before anything is read: %s', (_, study, problem) => {
    expect(() => agreement(study)).toThrow(problem);
  });

  it('is refused by a coordinator, which stores nothing', async () => {
    const store = await openSqliteStore(join(temporaryFolder(), 'store.db'));
    const coordinator = await createCoordinator({ store });
    for (const [, study, problem] of large) {
      await expect(
        coordinator.create({ role: 'operator' }, { study, sites: ['a'] }),
      ).rejects.toThrow(problem);
    }
    expect(await store.db.selectFrom('studies').selectAll().execute()).toEqual([]);
    await store.close();
  });

  it.each([
    [
      'dense',
      planNetwork({ layers: [{ kind: 'dense', units: 300 }] }, plainValues(200), 3),
      512,
      1,
    ],
    ['images', planNetwork({ layers: [conv(1, 3, 1), conv(9, 3)] }, square, 3), 64, 1],
    ['gradients', planNetwork({ layers: [conv(8, 5)] }, square, 100), 32, 16],
  ] as const)('is known by its memory: %s', (_, plan, most, seeds) => {
    const { kernels } = createWorkspace(plan, most, seeds);
    const share = workspaceBytes(plan, most, seeds) / kernels.memory.buffer.byteLength;
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(2);
  });
});

describe('a coordinator with a hostile site', () => {
  it('stores nothing impossible, says who cannot be fused, and goes on when the site is replaced', async () => {
    const { agreed, sent } = kinds.compressed;
    const store = await openSqliteStore(join(temporaryFolder(), 'store.db'));
    const coordinator = await createCoordinator({ store });
    const operator: Caller = { role: 'operator' };
    const names = sent.map(({ site }) => site);
    const { id } = await coordinator.create(operator, { study: agreed.study, sites: names });
    const keys = new Map(names.map((name) => [name, createSigningKey()]));
    const send = (one: Contribution) =>
      coordinator.contribute(
        { role: 'site', study: id, site: one.site },
        id,
        encodeContribution(signContribution(one, keys.get(one.site)!)),
      );
    await expect(send(changed(sent[0], size(Number.NaN)))).rejects.toThrow('is no size');
    expect((await coordinator.view(operator, id)).sites.map(({ state }) => state)).not.toContain(
      'contributed',
    );
    await send(changed(sent[0], size(3e38)));
    for (const one of sent.slice(1)) await send(one);
    await coordinator.runDueWork();
    await coordinator.runDueWork();
    const stuck = await coordinator.view(operator, id);
    expect([stuck.state, stuck.problem]).toEqual(['closed', expect.stringContaining('west')]);
    await send({ ...sent[0], sequence: 2, mode: 'replace' });
    await coordinator.resolve(operator, id, { includeLate: true });
    expect((await coordinator.view(operator, id)).state).toBe('resolved');
    await store.close();
  });
});
