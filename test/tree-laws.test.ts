import { describe, expect, it } from 'vitest';
import { simulateTree } from '../bench/tree-devices.ts';
import { DataError } from '../src/data-error.ts';
import { agreement, contribution, readContribution, totalDigest } from '../src/federate.ts';
import { whyNotInTree } from '../src/fusion/in-tree.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { canonicalJson } from '../src/study/canonical-json.ts';
import { regionalStudy } from '../src/study/regional-study.ts';
import { studyDigest } from '../src/study/study.ts';
import { collected, contributionsTo, registeredRows, sites } from './fusion-rows.ts';

describe('every fusion has the flat total in a tree, or is refused', () => {
  it.each(registeredRows.map((row) => [row.name, row] as const))('%s', (_, row) => {
    const top = row.agreed(row.study);
    const below = regionalStudy(row.study, {
      study: studyDigest(row.study),
      site: 'region',
      coordinator: 'https://top.example',
      coordinatorKey: 'A'.repeat(43),
    });
    if (whyNotInTree(top.method) !== undefined) {
      expect(() => agreement(below)).toThrow(DataError);
      return;
    }
    const region = row.agreed(row.parse(below));
    expect(canonicalJson(region.layout)).toBe(canonicalJson(top.layout));
    expect(region.digest).not.toBe(top.digest);
    const { west, east, ...others } = sites;
    const { total: sum } = collected(region, contributionsTo(region, { west, east }));
    const summary = { statistic: sum, released: sum, rows: 0, dropped: 0, missing: {} };
    const read = readContribution(top, encodeContribution(contribution(top, 'region', summary)));
    if ('refused' in read) throw new Error(read.refused);
    const tree = collected(top, [read.contribution, ...contributionsTo(top, others)]).total;
    const flat = collected(top, contributionsTo(top)).total;
    expect(totalDigest(top, tree)).toBe(totalDigest(top, flat));
  });
});

describe('simulated devices', () => {
  it.each([
    ['two levels', 1000, 100, 2],
    ['five levels', 300, 4, 5],
  ] as const)('%s have the total of their rows as one table', (_, devices, fanOut, levels) => {
    const found = simulateTree({ devices, fanOut, dropouts: 0.05, seed: 7 });
    expect(found.levels).toBe(levels);
    expect(found.sent).toBeLessThan(devices);
    expect(found.digest).toBe(found.flat);
    // A region that withdraws leaves the others exact.
    expect(found.withdrawn).toBe(found.flatWithdrawn);
    expect(found.withdrawn).not.toBe(found.digest);
  });
});
