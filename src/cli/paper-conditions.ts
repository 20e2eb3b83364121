import { cpus, loadavg, totalmem } from 'node:os';
import type { PaperWanted } from '../node/run/paper-program.ts';
import type { Io } from './io.ts';
import { packageVersion } from './version.ts';

/** Date, machine and versions of an experiment. */
export function paperConditions(io: Io): Pick<PaperWanted, 'date' | 'machine' | 'versions'> {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors[0]?.model.trim() ?? 'unknown'}, ${processors.length} cores, ${Math.round(totalmem() / 1e9)} GB, load ${loadavg()[0].toFixed(1)} at the start`,
    versions: {
      suffice: packageVersion().version,
      node: io.nodeVersion,
    },
  };
}
