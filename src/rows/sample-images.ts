import { CLASS_COLUMN, type ImageData, imageTable, pixelNames } from '../study/image-study.ts';
import type { Block } from '../table/columns.ts';
import type { Host } from './host.ts';
import { readColumns } from './read-rows.ts';
import { evenRanges, type Source, type SourceRange } from './source.ts';
import { readerOf } from './sources.ts';
import { hasColumn } from './wording.ts';

/** An image of a source, to be shown where the file is: its row, its values, and its class, if it has one. */
export interface SampledImage {
  /** Counts from 1. */
  readonly row: number;
  readonly values: Uint8Array;
  readonly className?: string;
}

/** Ranges of a source that are looked at. */
const PLACES = 100;
/** Images that are read at most, where a source can only be read from its start. */
const MOST_IMAGES = 2000;

/** Some images of each class, from places all over a source: at most `most` of each. They are shown to a person and never sent. */
export async function sampleImages(
  host: Host,
  source: Source,
  data: ImageData,
  most: number,
): Promise<SampledImage[]> {
  const { codebook } = imageTable({ ...anyTerms, data, features: [] });
  const pixels = pixelNames(data);
  const labelled = hasColumn(source, CLASS_COLUMN);
  const names = labelled ? [CLASS_COLUMN, ...pixels] : pixels;
  const columns = names.map((name) => ({
    name,
    column: codebook[name],
    misfits: 'allow' as const,
  }));
  const found: SampledImage[] = [];
  const counts = new Map<string, number>();
  let seen = 0;
  const take = ({ rows, columns: cells }: Block, firstRow: number) => {
    for (let r = 0; r < rows; r++) {
      const level = labelled ? data.classes[cells[0][r]] : undefined;
      const key = level ?? '';
      const before = counts.get(key) ?? 0;
      if (before >= most || (labelled && level === undefined)) continue;
      counts.set(key, before + 1);
      const offset = labelled ? 1 : 0;
      const values = Uint8Array.from(pixels, (_, k) => cells[k + offset][r]);
      found.push({ row: firstRow + r, values, ...(level !== undefined && { className: level }) });
    }
    seen += rows;
    if (seen >= MOST_IMAGES) throw new Enough();
  };
  for (const range of placesIn(host, source, most)) {
    try {
      const rows = range === undefined ? { source } : { source, range };
      await readColumns(host, rows, columns, take, () => {});
    } catch (failure) {
      if (failure instanceof Enough) break;
      throw failure;
    }
  }
  return found;
}

class Enough extends Error {}

const anyTerms = {
  schema: 'suffice/study@1',
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
} as const;

/** Short ranges all over a source; the whole of it where it cannot be cut. */
function placesIn(host: Host, source: Source, most: number): (SourceRange | undefined)[] {
  const count = 'count' in source ? Number(source.count) : 0;
  if (count > 0 && readerOf(host, source).cut(source, 2).length === 2) {
    const each = Math.max(1, Math.min(most, Math.floor(count / PLACES)));
    return evenRanges(count, PLACES).map(({ from }) => ({
      from,
      to: Math.min(from + each, count),
    }));
  }
  return [undefined];
}
