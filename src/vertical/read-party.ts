import { withAllowedRange } from '../features/reference.ts';
import type { Host } from '../rows/host.ts';
import { readColumns } from '../rows/read-rows.ts';
import type { JobProgress, Source } from '../rows/source.ts';
import { completeRows } from '../statistic/complete-rows.ts';
import { type MissingCells, missingCells } from '../statistic/missing-cells.ts';
import { defaultMissing } from '../study/codebook.ts';
import type { Block } from '../table/columns.ts';
import type { PartyRows } from './party-rows.ts';
import { type PartyModel, partyModel, type VerticalStudy } from './vertical-study.ts';

/** The columns of a party's file that the study needs: those of its model columns, and the keys. */
export function partyColumns(study: VerticalStudy, party: string): string[] {
  return [...new Set([...partyModel(study, party).design.variables, ...keyColumns(study)])];
}

/** The key columns of all passes, each once. */
export function keyColumns({ columnsAt }: Pick<VerticalStudy, 'columnsAt'>): string[] {
  return [...new Set(columnsAt.passes.flat())];
}

/** Reads a party's columns and keys into memory, and leaves out rows with a missing cell. */
export async function readParty(
  study: VerticalStudy,
  part: PartyModel,
  host: Host,
  source: Source,
  missing: 'drop' | 'refuse',
  progress: JobProgress,
): Promise<PartyRows> {
  const { codebook } = study.design;
  const keys = keyColumns(study);
  const texts = keys.map(() => [] as string[]);
  const wanted = [
    ...part.design.variables.map((name) => ({ name, column: withAllowedRange(codebook[name]) })),
    ...keys.map((name, k) => ({
      name,
      column: {
        type: 'said',
        numbers: 'none',
        says: (text: string) => texts[k].push(text) - 1,
      } as const,
    })),
  ];
  const width = part.design.variables.length;
  const blocks: { block: Block; firstRow: number }[] = [];
  await readColumns(
    host,
    { source },
    wanted,
    ({ rows, columns }, firstRow) => {
      const copies = columns.map((values) => values.slice(0, rows));
      blocks.push({ block: { rows, columns: copies }, firstRow });
    },
    progress,
  );
  const markers = keys.map((name) => new Set(codebook[name]?.missing ?? defaultMissing));
  const read = joinBlocks(blocks, wanted.length);
  const textOf = (k: number, cell: number) => {
    const text = Number.isNaN(cell) ? undefined : texts[k][cell];
    return text === undefined || markers[k].has(text.trim()) ? undefined : text;
  };
  return partyRows(
    { rows: read.rows, columns: read.columns.slice(0, width) },
    new Map(
      keys.map((name, k) => [name, Array.from(read.columns[width + k], (cell) => textOf(k, cell))]),
    ),
    missingCells(part.design.variables, { file: source.name, missing }),
    source.name,
  );
}

/** The rows of a block without missing cells, and their keys. */
export function partyRows(
  block: Block,
  keys: ReadonlyMap<string, readonly (string | undefined)[]>,
  missing: MissingCells,
  file: string,
): PartyRows {
  const complete = completeRows(
    block,
    missing.counter((row) => row + 1),
  );
  const places = complete.origin ?? Int32Array.from({ length: block.rows }, (_, r) => r);
  return {
    block: complete.block,
    keys: new Map(
      [...keys].map(([name, texts]) => [name, Array.from(places, (row) => texts[row])]),
    ),
    origin: places.map((row) => row + 1),
    dropped: block.rows - places.length,
    missing: missing.counts,
    file,
  };
}

function joinBlocks(parts: readonly { readonly block: Block }[], width: number): Block {
  const rows = parts.reduce((sum, { block }) => sum + block.rows, 0);
  const columns = Array.from({ length: width }, () => new Float64Array(rows));
  let at = 0;
  for (const { block } of parts) {
    block.columns.forEach((values, k) => {
      columns[k].set(values, at);
    });
    at += block.rows;
  }
  return { rows, columns };
}
