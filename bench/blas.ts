import { existsSync } from 'node:fs';
import { type Blas, findBlas } from '../src/node/compute/blas.ts';
import { blasChoice, measureSpeeds, WORTH_BLAS } from '../src/node/compute/choose-blas.ts';
import type { Bench, Section } from './section.ts';
import type { Line } from './table.ts';

/** Whether the system's BLAS is used at each width, and the slow reference library where Debian keeps it. */
export const blas: Section = {
  name: 'blas',
  title: 'The choice of a BLAS: exact Gram of 224 rows, one thread',
  run,
};

const REFERENCE = '/usr/lib/x86_64-linux-gnu/blas/libblas.so.3';
const WIDTHS = [50, 128, 256, 512, 1000, 2000];
/** A library in use may be slower than the kernels by this factor: two measurements differ as much. */
const NOISE = 1.1;

async function run({ quick, note }: Bench): Promise<readonly Line[]> {
  const hasReference = existsSync(REFERENCE);
  if (!hasReference) note(`no reference BLAS at ${REFERENCE}: apt install libblas3`);
  const system = await findBlas();
  const reference = hasReference ? await findBlas({ library: REFERENCE }) : undefined;
  const widths = quick ? WIDTHS.slice(0, 2) : WIDTHS;
  return [
    ...(system === undefined ? [] : widths.map((width) => line(system, width))),
    ...(reference === undefined ? [] : [line(reference, 256)]),
  ];
}

function line(found: Blas, width: number): Line {
  const speeds = measureSpeeds(found, width);
  const wide = width >= WORTH_BLAS;
  const used = wide && blasChoice(found, undefined, measureSpeeds).blas !== undefined;
  return {
    what: `${found.name}, ${width} columns: ${used ? 'BLAS is' : 'kernels are'} used`,
    ours: `kernels ${speeds.kernels.toFixed(1)} GF/s`,
    peer: `BLAS ${speeds.blas.toFixed(1)} GF/s`,
    ratio: `${(speeds.kernels / speeds.blas).toFixed(2)}×`,
    goal: 'BLAS only if faster',
    reached: !used || speeds.blas * NOISE >= speeds.kernels,
  };
}
