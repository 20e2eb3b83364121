import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Why no disk can be mounted here; undefined if one can. */
export const noMounts: string | undefined = whyNoMounts();

function whyNoMounts(): string | undefined {
  if (process.platform !== 'linux') return 'only on Linux';
  if (process.getuid?.() !== 0) return 'only root may mount';
  const probe = mkdtempSync(join(tmpdir(), 'suffice-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe]);
  if (mounted.status === 0) spawnSync('umount', [probe]);
  rmdirSync(probe);
  return mounted.status === 0 ? undefined : 'this machine does not let root mount';
}

if (noMounts !== undefined)
  console.warn(`tests on full and read-only disks are skipped: ${noMounts}`);

/** A small disk in memory, mounted until the test ends. */
export interface SmallDisk {
  /** Mounts it again with other options, such as `size=20m`, or `ro`. */
  remount(options: string): void;
}

export function smallDisk(folder: string, size: string): SmallDisk {
  mkdirSync(folder, { recursive: true });
  run('mount', '-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder);
  onTestFinished(() => {
    spawnSync('umount', ['-l', folder]);
  });
  return { remount: (options) => run('mount', '-o', `remount,${options}`, folder) };
}

/** A file system that can become read-only under a running program, as after an error of its disk. */
export interface FailingDisk {
  /** From now on it takes no writes. */
  fail(): void;
  /** Checks the file system and mounts it anew. */
  mend(): void;
}

export function failingDisk(image: string, folder: string): FailingDisk {
  mkdirSync(folder, { recursive: true });
  run('truncate', '-s', '24M', image);
  run('mkfs.ext4', '-q', '-F', image);
  const device = run('losetup', '--find', '--show', image).trim();
  run('mount', device, folder);
  onTestFinished(() => {
    spawnSync('umount', ['-l', folder]);
    spawnSync('losetup', ['--detach', device]);
  });
  return {
    fail: () => run('mount', '-o', 'remount,abort', folder),
    mend() {
      spawnSync('umount', ['-l', folder]);
      spawnSync('e2fsck', ['-p', device]);
      run('mount', device, folder);
    },
  };
}

function run(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}
