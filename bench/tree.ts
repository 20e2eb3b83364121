import { fileURLToPath } from 'node:url';
import { runChild } from './child.ts';
import type { Bench, Section } from './section.ts';
import { held, type Line, secondsText } from './table.ts';
import type { TreeOutcome } from './tree-devices.ts';

/** A tree of regions over simulated devices: exact with dropouts and a withdrawal, and memory does not grow with the devices. */
export const tree: Section = {
  name: 'tree',
  title: 'A tree of devices: 20 columns, regions of 100, 5 % dropouts, one region withdraws',
  run,
};

const child = fileURLToPath(new URL('tree-child.ts', import.meta.url));
const SEED = 20_261_118;

async function run({ quick, rows, note }: Bench): Promise<readonly Line[]> {
  const counts = quick ? [1e3, 1e4] : rows === undefined ? [1e4, 1e5, 1e6] : [rows];
  const peaks: number[] = [];
  const lines: Line[] = [];
  for (const devices of counts) {
    note(`${devices} devices`);
    const args = ['--import', 'tsx', child, String(devices), String(SEED)];
    const { stdout, peakMegabytes } = await runChild(process.execPath, args);
    const outcome: TreeOutcome & { readonly cpuSeconds: number } = JSON.parse(stdout);
    const { levels, sent, treeSeconds, flatSeconds, cpuSeconds } = outcome;
    peaks.push(peakMegabytes);
    lines.push(
      {
        what: `${devices} devices, ${levels} levels`,
        ours: `${secondsText(treeSeconds)}, ${secondsText(cpuSeconds)} of CPU in all, peak ${peakMegabytes.toFixed(0)} MB`,
        peer: `${secondsText(flatSeconds)} as one table`,
      },
      {
        what: `${sent} of them sent ${outcome.rows} rows: total ${outcome.digest.slice(7, 19)}…`,
        ours: '',
        ...same(outcome.digest, outcome.flat),
      },
      {
        what: `after a region has withdrawn: total ${outcome.withdrawn.slice(7, 19)}…`,
        ours: '',
        ...same(outcome.withdrawn, outcome.flatWithdrawn),
      },
    );
  }
  if (peaks.length < 2) return lines;
  const growth = {
    what: `peak memory for ${counts.at(-1)! / counts.at(-2)!}× the devices`,
    ours: '',
    ...held(peaks.at(-1)! / peaks.at(-2)!, '≤', 1.2),
  };
  return [...lines, growth];
}

/** Whether the tree has the total of the table. */
function same(tree: string, flat: string): Pick<Line, 'goal' | 'reached'> {
  return { goal: 'the same as one table, bit for bit', reached: tree === flat };
}
