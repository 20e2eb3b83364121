import { describe, expect, it } from 'vitest';
import { agreement } from '../src/federate.ts';
import { averageBits } from '../src/network/bit-budget.ts';
import { leNet } from '../src/network/known-networks.ts';
import { planNetwork } from '../src/network/network-plan.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { decodeContribution, encodeContribution, sentBytes } from '../src/statistic/envelope.ts';
import { bytesOf, type SegmentLayout } from '../src/statistic/layout.ts';
import { packEntries, packedBytes, unpackEntries } from '../src/statistic/packed-entries.ts';
import { ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import { vector } from '../src/statistic/segments.ts';
import { statistics } from '../src/statistic/statistic.ts';
import type { Study } from '../src/study/study.ts';

const layout = (bits: number): SegmentLayout => ({
  of: 'a test',
  arithmetic: 'exact',
  words: 3,
  segments: [vector('rows', 1, 0), { ...vector('levels', 7, 0), bits }, vector('sums', 2, 48)],
});

/** Entries with the smallest, the largest and some other levels of so many bits. */
function filled(bits: number) {
  const shape = layout(bits);
  const { values } = statistics(shape).zero;
  const random = seededWords(bits);
  const most = 2 ** (bits - 1) - 1;
  const levels = [-most - 1, most, 0, -1, 1, random() % most, -(random() % most)];
  [25, ...levels, 3e20, -4e20].forEach((value, k) => {
    setRingEntry(values, 3, k, BigInt(value));
  });
  return { shape, values };
}

describe('entries in fewer bits', () => {
  it('come back as they were, whatever their bits', () => {
    for (let bits = 2; bits <= 32; bits++) {
      const { shape, values } = filled(bits);
      const packed = packEntries(shape, values);
      expect(packed.length).toBe(12 + Math.ceil((7 * bits) / 8) + 24);
      expect(packed.length).toBe(packedBytes(shape));
      expect(unpackEntries(shape, packed)).toEqual(values);
    }
  });

  it('are refused where a number needs more bits, and where bits belong to no number', () => {
    const { shape, values } = filled(9);
    for (const beyond of [256n, -257n, 2n ** 40n]) {
      const larger = values.slice();
      setRingEntry(larger, 3, 3, beyond);
      expect(() => packEntries(shape, larger)).toThrow('a number of levels needs more than 9 bits');
    }
    const statistic = { layout: shape, values };
    const header = { study: 'sha256:1', site: 'a', sequence: 1, mode: 'add', dropped: 0 } as const;
    const file = encodeContribution({ ...header, statistic });
    const read = decodeContribution(file, 'sha256:1', shape);
    expect('contribution' in read && read.contribution.statistic.values).toEqual(values);
    const stray = file.slice();
    stray[file.length - 25] |= 0x80;
    expect(decodeContribution(stray, 'sha256:1', shape)).toEqual({
      refused: 'bits are set that belong to no number',
    });
    expect(decodeContribution(file.subarray(0, -1), 'sha256:1', shape)).toHaveProperty('refused');
    expect(ringEntry(values, 3, 8)).toBe(300000000000000000000n);
  });
});

describe('a compressed network', () => {
  const study = (compression: object | undefined): Study => ({
    schema: 'suffice/study@1',
    data: {
      kind: 'images',
      ...{ height: 28, width: 28, channels: 1 },
      classes: Array.from({ length: 10 }, (_, k) => String(k)),
    },
    fusion: { kind: 'fisher-kfac', network: leNet, ...(compression && { compression }) },
    arithmetic: 'exact',
  });
  const plan = planNetwork(leNet, { channels: 1, height: 28, width: 28 }, 10);

  it('is sent in the bits of an average: 32 for each weight', () => {
    const { layout: sent } = agreement(study({}));
    const room = averageBits(plan) / 8;
    // Rows and the count of contributions, which every contribution has, and a byte at the end of each segment.
    expect(sentBytes(sent)).toBeLessThanOrEqual(room + 13 + 60);
    expect(sentBytes(sent)).toBeGreaterThan(0.97 * room);
    expect(bytesOf(agreement(study(undefined)).layout)).toBeGreaterThan(7 * room);
  });
});
