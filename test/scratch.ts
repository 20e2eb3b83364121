import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const LEAST_BYTES = 2e9;

/**
 * Where tests make their folders: in memory where there is plenty. Stores and ledgers wait for the disk after each line;
 * no test cuts the power, and what a killed process has written is as safe in memory.
 */
export const scratch: string = isRoomy(MEMORY) ? MEMORY : tmpdir();

function isRoomy(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > LEAST_BYTES;
}
