import { existsSync } from 'node:fs';
import { findBlas } from '../src/node/compute/blas.ts';
import { blasChoice, measureSpeeds } from '../src/node/compute/choose-blas.ts';
import type { Bench, Section } from './section.ts';
import type { Line } from './table.ts';

/** Which BLAS is chosen: the system's own, and the slow reference library where Debian keeps it. */
export const blas: Section = { name: 'blas', title: 'The choice of a BLAS', run };

const REFERENCE = '/usr/lib/x86_64-linux-gnu/blas/libblas.so.3';

async function run({ note }: Bench): Promise<readonly Line[]> {
  const hasReference = existsSync(REFERENCE);
  if (!hasReference) note(`no reference BLAS at ${REFERENCE}: apt install libblas3`);
  const system = await line('the system’s BLAS', undefined);
  return hasReference ? [system, await line('the reference BLAS', REFERENCE)] : [system];
}

async function line(what: string, library: string | undefined): Promise<Line> {
  const found = await findBlas({ library });
  if (found === undefined) return { what, ours: 'not found' };
  const speeds = measureSpeeds(found);
  const { blas: chosen } = blasChoice(found, undefined, () => speeds);
  const faster = speeds.blas > speeds.kernels;
  return {
    what: `${what}: ${chosen === undefined ? 'kernels are' : `${chosen.name} is`} chosen`,
    ours: `kernels ${speeds.kernels.toFixed(1)} GF/s`,
    peer: `BLAS ${speeds.blas.toFixed(1)} GF/s`,
    ratio: `${(speeds.kernels / speeds.blas).toFixed(2)}×`,
    goal: 'the faster one',
    reached: (chosen !== undefined) === faster,
  };
}
