import { statSync } from 'node:fs';
import { shortTable } from './data.ts';
import { runFit } from './e2e.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line, secondsText } from './table.ts';

/** Cost in rows: time grows with them, memory does not. */
export const scaling: Section = { name: 'scaling', title: 'Rows × 11 columns, 6 digits', run };

async function run({ quick, note }: Bench): Promise<readonly Line[]> {
  const counts = quick ? [1e4, 1e5, 1e6] : [1e5, 1e6, 1e7];
  const runs: { rows: number; seconds: number; peakMegabytes: number }[] = [];
  const lines: Line[] = [];
  for (const rows of counts) {
    const { csv, codebook } = shortTable(rows, note);
    let peakMegabytes = 0;
    const { seconds } = await inTurn(quick ? 2 : 3, {
      seconds: async () => {
        const child = await runFit(csv, codebook);
        peakMegabytes = Math.max(peakMegabytes, child.peakMegabytes);
        return child.seconds;
      },
    });
    runs.push({ rows, seconds, peakMegabytes });
    lines.push({
      what: `${rows} rows, ${(statSync(csv).size / 1e6).toFixed(0)} MB, codebook`,
      ours: `${secondsText(seconds)}, ${(rows / seconds / 1e6).toFixed(2)} M rows/s, peak ${peakMegabytes.toFixed(0)} MB`,
    });
  }
  const [, middle, last] = runs;
  return [
    ...lines,
    {
      what: `time for ${last!.rows / middle!.rows}× the rows`,
      ours: '',
      ...held(last!.seconds / middle!.seconds, '≤', (1.1 * last!.rows) / middle!.rows),
    },
    {
      what: `peak memory for ${last!.rows / middle!.rows}× the rows`,
      ours: '',
      ...held(last!.peakMegabytes / middle!.peakMegabytes, '≤', 1.2),
    },
  ];
}
