import { readFileSync } from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { penguinPath } from './page-states.ts';

/** The rows of an island as a Parquet file: numbers as doubles, NA as null. */
export function penguinParquet(island: string): Buffer {
  const lines = readFileSync(penguinPath(`${island}.csv`), 'utf8')
    .trimEnd()
    .split('\n');
  const [names, ...rows] = lines.map((line) => line.split(','));
  const columnData = names.map((name, k) => {
    const texts = rows.map((cells) => (['', 'NA'].includes(cells[k]) ? null : cells[k]));
    if (['species', 'sex'].includes(name)) return { name, data: texts, type: 'STRING' as const };
    const data = texts.map((text) => (text === null ? null : Number(text)));
    return { name, data, type: 'DOUBLE' as const };
  });
  return Buffer.from(parquetWriteBuffer({ columnData }));
}
