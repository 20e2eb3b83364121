import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { noise } from '../src/node/compute/bench-kernels.ts';
import type { TableStudy } from '../src/study/study.ts';

/** A table on disk and the codebook that describes it. */
export interface Table {
  readonly csv: string;
  readonly codebook: string;
}

const folder = fileURLToPath(new URL('data/', import.meta.url));
const GROUP_ROWS = 50_000;
const FEATURES = 50;

/** rows × 51: normal features and a target linear in them, 17 significant digits; as Parquet (doubles, Snappy) too. */
export function wideTable(rows: number, note: (text: string) => void): Table & { parquet: string } {
  const names = [...Array.from({ length: FEATURES }, (_, j) => `x${j + 1}`), 'y'];
  const files = { ...paths(`wide-${rows}`), parquet: `${folder}wide-${rows}.parquet` };
  if (existsSync(files.codebook)) return files;
  note(`writing ${files.csv} and .parquet; this happens once`);
  const ranges = names.map(() => [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  const columns = names.map(() => new Float64Array(GROUP_ROWS));
  const next = normals(noise(rows));
  const parquet = new ParquetWriter({
    writer: fileWriter(`${files.parquet}.part`),
    schema: [
      { name: 'root', num_children: names.length },
      ...names.map((name) => ({ name, type: 'DOUBLE', repetition_type: 'REQUIRED' }) as const),
    ],
  });
  writeFile(files.csv, (write) => {
    write(`${names.join(',')}\n`);
    for (let first = 0; first < rows; first += GROUP_ROWS) {
      const count = Math.min(GROUP_ROWS, rows - first);
      let lines = '';
      for (let r = 0; r < count; r++) {
        let target = 1;
        for (let j = 0; j < FEATURES; j++) {
          const x = next();
          columns[j]![r] = x;
          target += (x * (j - 20)) / 10;
        }
        columns[FEATURES]![r] = target + 5 * next();
        for (let j = 0; j <= FEATURES; j++) {
          const value = columns[j]![r]!;
          widen(ranges[j]!, value);
          lines += value.toPrecision(17) + (j === FEATURES ? '\n' : ',');
        }
        if (lines.length > 2 ** 20 || r === count - 1) {
          write(lines);
          lines = '';
        }
      }
      const columnData = names.map((name, j) => ({ name, data: columns[j]!.slice(0, count) }));
      parquet.write({ columnData, rowGroupSize: GROUP_ROWS });
    }
  });
  parquet.finish();
  renameSync(`${files.parquet}.part`, files.parquet);
  writeCodebook(files.codebook, names, ranges);
  return files;
}

/** A least-squares study of y on all other columns of a table. */
export function studyOf({ codebook: path }: Table): TableStudy {
  const codebook: TableStudy['codebook'] = JSON.parse(readFileSync(path, 'utf8'));
  const predictors = Object.keys(codebook).filter((name) => name !== 'y');
  return {
    schema: 'suffice/study@1',
    name: 'wide',
    formula: `y ~ ${predictors.join(' + ')}`,
    codebook,
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
  };
}

/** The same as a file beside the table. */
export function studyFile(table: Table): string {
  const path = table.codebook.replace('.codebook.json', '.study.json');
  writeFileSync(path, JSON.stringify(studyOf(table)));
  return path;
}

/** rows × 11 numbers of six digits, 88 bytes a row. */
export function shortTable(rows: number, note: (text: string) => void): Table {
  const names = [...Array.from({ length: 10 }, (_, j) => `x${j + 1}`), 'y'];
  const files = paths(`short-${rows}`);
  if (existsSync(files.codebook)) return files;
  note(`writing ${files.csv}; this happens once`);
  const uniform = noise(rows);
  const sixDigits = () => Math.floor((uniform() + 1) * 500_000);
  const buffer = Buffer.alloc(4096 * 88);
  writeFile(files.csv, (write) => {
    write(`${names.join(',')}\n`);
    for (let first = 0; first < rows; first += 4096) {
      const count = Math.min(4096, rows - first);
      for (let r = 0; r < count; r++) {
        let sum = 0;
        for (let j = 0; j < 10; j++) {
          const x = sixDigits();
          sum += x * (j + 1);
          putNumber(buffer, r * 88 + j * 8, x, 44);
        }
        putNumber(buffer, r * 88 + 80, Math.floor(0.8 * (sum / 55) + 0.2 * sixDigits()), 10);
      }
      write(buffer.subarray(0, count * 88));
    }
  });
  writeCodebook(
    files.codebook,
    names,
    names.map(() => [0, 10]),
  );
  return files;
}

// k < 10⁶ as d.ddddd and a separator.
function putNumber(buffer: Buffer, at: number, k: number, separator: number): void {
  let rest = k;
  for (let place = 6; place >= 0; place--) {
    if (place === 1) continue;
    buffer[at + place] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  buffer[at + 1] = 46;
  buffer[at + 7] = separator;
}

// Marsaglia's polar method.
function normals(uniform: () => number): () => number {
  let spare: number | undefined;
  return () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    while (true) {
      const [u, v] = [uniform(), uniform()];
      const s = u * u + v * v;
      if (s === 0 || s >= 1) continue;
      const factor = Math.sqrt((-2 * Math.log(s)) / s);
      spare = v * factor;
      return u * factor;
    }
  };
}

function widen(range: number[], value: number): void {
  if (value < range[0]!) range[0] = value;
  if (value > range[1]!) range[1] = value;
}

function paths(stem: string): Table {
  mkdirSync(folder, { recursive: true });
  return { csv: `${folder}${stem}.csv`, codebook: `${folder}${stem}.codebook.json` };
}

// The codebook is written last, so that a table without one is known to be incomplete.
function writeCodebook(path: string, names: readonly string[], ranges: readonly number[][]): void {
  const columns = names.map((name, j) => [name, { type: 'number', range: ranges[j] }]);
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(columns), null, 2)}\n`);
}

function writeFile(path: string, fill: (write: (part: string | Buffer) => void) => void): void {
  const descriptor = openSync(path, 'w');
  try {
    fill((part) => {
      const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    });
  } finally {
    closeSync(descriptor);
  }
}
