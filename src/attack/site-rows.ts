import type { Design } from '../features/design.ts';
import { type Summary, summarizer } from '../statistic/cross-product.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { Codebook } from '../study/codebook.ts';
import type { Block } from '../table/columns.ts';

/** A site's complete rows and the public agreement about them: used to judge an attack, not given to it. */
export interface Target {
  readonly design: Design;
  readonly layout: LinearLayout;
  readonly codebook: Codebook;
  readonly block: Block;
  /** The file, for messages. */
  readonly file: string;
}

/** Columns of z = (1, x…, y…), one array a column. */
export type ModelColumns = readonly Float64Array[];

/** The summary that the site would send for a block, by the same summarizer. */
export function summaryOf({ design, layout, file }: Target, block: Block): Summary<LinearLayout> {
  return reduced({ design, layout, file }, block).summary;
}

/** The rows of a block as the model sees them. */
export function modelColumns({ design, layout, file }: Target, block: Block): ModelColumns {
  return reduced({ design, layout, file }, block).columns;
}

function reduced(
  { design, layout, file }: Pick<Target, 'design' | 'layout' | 'file'>,
  block: Block,
): { readonly summary: Summary<LinearLayout>; readonly columns: ModelColumns } {
  const columns = layout.columns.map(() => new Float64Array(block.rows));
  let filled = 0;
  const site = summarizer(design, layout, {
    file,
    missing: 'refuse',
    watchRows(rows, lent) {
      lent.forEach((values, i) => {
        columns[i].set(values.subarray(0, rows), filled);
      });
      filled += rows;
    },
  });
  site.add(block, (r) => r + 1);
  return { summary: site.finish(), columns };
}

/** The chosen rows of a block, in the order they are chosen. */
export function pickRows(block: Block, chosen: ArrayLike<number>): Block {
  const columns = block.columns.map((values) => Float64Array.from(chosen, (r) => values[r]));
  return { rows: chosen.length, columns };
}

/** Columns of z that together give one cell of the file: those of a term, or of a response. */
export interface CellColumns {
  /** The term's label, or the response's. */
  readonly name: string;
  /** Indices into z. */
  readonly columns: readonly number[];
}

/** The cells that a row of z gives; products of several columns give nothing more. */
export function cellColumns({ design, layout }: Pick<Target, 'design' | 'layout'>): CellColumns[] {
  const shift = design.intercept ? 0 : 1;
  const terms = design.terms
    .filter(({ label }) => !label.replaceAll(/`[^`]*`/g, '').includes(':'))
    .map(({ label, columns }) => ({
      name: label,
      columns: columns.map((column) => column + shift),
    }));
  const first = layout.columns.length - layout.responses;
  const classes = design.classes.map(({ label, columns }) => ({
    name: label,
    columns: columns.map((column) => first + column),
  }));
  const ofClasses = new Set(classes.flatMap(({ columns }) => columns));
  const numbers = layout.columns.flatMap((name, column) =>
    column < first || ofClasses.has(column) ? [] : [{ name, columns: [column] }],
  );
  return [...terms, ...classes, ...numbers];
}
