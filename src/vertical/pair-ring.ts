import { productBytes, type SplitColumn } from '../aggregation/split-ring.ts';

/** Two parties whose columns are multiplied, and the rings of the products. */
export interface PairRing {
  readonly left: string;
  readonly right: string;
  readonly rows: number;
  /** Columns of z of each party, by their places in the layout. */
  readonly leftColumns: readonly number[];
  readonly rightColumns: readonly number[];
  /** Bytes of an entry of each column: enough for its widest product. */
  readonly leftWidths: readonly number[];
  readonly rightWidths: readonly number[];
  /** Bytes of the product of left column i and right column j. */
  widthOf(i: number, j: number): number;
}

/** Every pair of parties with columns, in the order of the parties. Follows from the study and the number of people alone. */
export function pairRings(
  columns: readonly SplitColumn[],
  parties: readonly string[],
  rows: number,
): PairRing[] {
  const placesOf = (party: string) =>
    columns.flatMap(({ owner }, place) => (owner === party ? [place] : []));
  return parties.flatMap((left, k) =>
    parties.slice(k + 1).map((right): PairRing => {
      const leftColumns = placesOf(left);
      const rightColumns = placesOf(right);
      const widthOf = (i: number, j: number) =>
        productBytes(rows, columns[leftColumns[i]], columns[rightColumns[j]]);
      return {
        ...{ left, right, rows, leftColumns, rightColumns, widthOf },
        leftWidths: leftColumns.map((_, i) =>
          Math.max(0, ...rightColumns.map((_, j) => widthOf(i, j))),
        ),
        rightWidths: rightColumns.map((_, j) =>
          Math.max(0, ...leftColumns.map((_, i) => widthOf(i, j))),
        ),
      };
    }),
  );
}

/** Bytes of all columns of one side. */
export function columnBytes(widths: readonly number[], rows: number): number {
  return rows * widths.reduce((sum, width) => sum + width, 0);
}

/** Bytes of one number for each product of the pair. */
export function productsBytes(ring: PairRing): number {
  let bytes = 0;
  ring.leftColumns.forEach((_, i) => {
    ring.rightColumns.forEach((_, j) => {
      bytes += ring.widthOf(i, j);
    });
  });
  return bytes;
}

/** The pairs that a party is in. */
export function pairsWith(rings: readonly PairRing[], party: string): readonly PairRing[] {
  return rings.filter(({ left, right }) => left === party || right === party);
}

/** The other party of a pair. */
export function otherIn({ left, right }: Pick<PairRing, 'left' | 'right'>, party: string): string {
  return left === party ? right : left;
}
