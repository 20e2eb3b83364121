import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { planNetwork } from '../src/network/network-plan.ts';
import { suffice, temporaryFolder } from './cli.ts';

const folder = temporaryFolder();
const penguins = fileURLToPath(new URL('../examples/penguins/dream.csv', import.meta.url));
mkdirSync(join(folder, 'folder'));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const layers = (...kinds: readonly object[]) => JSON.stringify({ layers: kinds });

describe('flags of networks', () => {
  it.each([
    [['constructor'], 'is no file'],
    [['__proto__'], 'is no file'],
    [[join(folder, 'folder')], 'is a folder'],
    [[file('a.json', layers({ kind: 'constructor' }))], 'is no network'],
    [[file('b.json', '{"layers": [{"kind": "__proto__"}]}')], 'is no network'],
    [[file('c.json', ' '.repeat(2 ** 20 + 1))], 'is no network'],
    [['0'], 'units must be a whole number from 1 to 8192'],
    [['4,8193'], 'layer 3 of the network: its units'],
    [[file('d.json', layers({ kind: 'dense', units: -4 }))], 'units must be'],
    [['4', '--epochs', '10001'], '--epochs is at most 10000'],
    [['4', '--training-rounds', '101'], '--training-rounds is at most 100'],
  ])('%s: refused in plain words, and nothing is fitted', async (args, problem) => {
    const [network, ...more] = args;
    const { code, stdout, stderr } = await suffice(
      ...['fit', 'species ~ .', penguins, '--network', network, ...more],
    );
    expect([code === 2 || code === 3, stdout]).toEqual([true, '']);
    expect(stderr).toContain(problem);
    expect(stderr).not.toMatch(/Error:|\n {4}at /);
  });
});

describe('the plan of a network', () => {
  it.each([
    [{ kind: 'convolution', channels: 2, size: 0 }, 'size'],
    [{ kind: 'convolution', channels: 1e9, size: 1 }, 'channels'],
    [{ kind: 'convolution', channels: 2, size: 1, padding: 0.5 }, 'padding'],
    [{ kind: 'max-pool', size: Number.NaN }, 'size'],
  ] as const)('refuses %j', (layer, name) => {
    const image = { channels: 1, height: 8, width: 8 };
    expect(() => planNetwork({ layers: [layer] }, image, 2)).toThrow(
      `layer 1 of the network: its ${name} must be a whole number`,
    );
  });
});
