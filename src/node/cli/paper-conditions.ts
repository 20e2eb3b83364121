import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { manifest } from '../package-files.ts';
import type { PaperWanted } from '../paper-program.ts';

/** When, where and with what an experiment is run: what its numbers cannot be judged without. */
export function paperConditions(): Pick<PaperWanted, 'date' | 'machine' | 'versions'> {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors[0]?.model.trim() ?? 'unknown'}, ${processors.length} cores, ${Math.round(totalmem() / 1e9)} GB`,
    versions: {
      suffice: JSON.parse(readFileSync(manifest, 'utf8')).version,
      node: process.versions.node,
    },
  };
}
