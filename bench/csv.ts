import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { canFuse } from '../src/numeric/kernels.ts';
import { csvReader } from '../src/table/csv.ts';
import { sniff } from '../src/table/dialect.ts';
import { shortTable, type Table, wideTable } from './data.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import type { Line } from './table.ts';

const CHUNK = 2 ** 18;

/** Parsing alone: bytes from the page cache to columns that are not used. */
export const csv: Section = { name: 'csv', title: 'CSV parsing alone, one thread', run };

async function run({ quick, note }: Bench): Promise<readonly Line[]> {
  const files = {
    '17 digits': wideTable(quick ? 100_000 : 1_000_000, note),
    '6 digits': shortTable(quick ? 100_000 : 1_000_000, note),
  };
  const lines: Line[] = [];
  for (const [digits, table] of Object.entries(files)) {
    const builds = { SIMD128: false, ...(canFuse() ? { 'relaxed FMA': true } : {}) };
    const contestants = Object.entries(builds).map(([build, fused]) => [
      build,
      () => secondsPerByte(table, fused),
    ]);
    const best = await inTurn(quick ? 3 : 5, Object.fromEntries(contestants));
    for (const build of Object.keys(builds)) {
      const rate = 1 / best[build]! / 1e6;
      lines.push({
        what: `${digits}, ${build}`,
        ours: `${rate.toFixed(0)} MB/s`,
        goal: '≥ 300 MB/s',
        reached: rate >= 300,
      });
    }
  }
  return lines;
}

async function secondsPerByte({ csv: path, codebook }: Table, fused: boolean): Promise<number> {
  const descriptor = openSync(path, 'r');
  const head = new Uint8Array(CHUNK);
  const { dialect, header } = sniff(head.subarray(0, readSync(descriptor, head)), [], path);
  const described = JSON.parse(readFileSync(codebook, 'utf8'));
  const columns = header.map((name) => ({ name, column: described[name] }));
  const plan = { file: path, dialect, header, columns };
  const length = Math.min(fstatSync(descriptor).size, 2e8);
  try {
    const start = performance.now();
    const reader = csvReader(plan, () => {}, { fused, stopAt: length });
    for (let at = 0; !reader.finished; ) {
      const space = reader.space();
      const read = readSync(descriptor, space, 0, Math.min(space.length, CHUNK), at);
      if (read === 0) break;
      at += read;
      reader.commit(read);
    }
    reader.end();
    return (performance.now() - start) / 1000 / length;
  } finally {
    closeSync(descriptor);
  }
}
