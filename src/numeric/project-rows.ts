import { panelCount } from './gram.ts';
import { type Kernels, reproducibleKernels } from './kernels.ts';

/** Values of a pass over rows that should stay in the second-level cache: 512 KiB. */
const PASS_VALUES = 2 ** 16;
const MOST_ROWS = 256;
const PANEL_ROW_BYTES = 32;
/** Panels of the matrix that one product takes: of a triangular matrix it leaves the zeros below them out. */
const BAND = 16;

/** Columns of a block of rows: value r of each is taken as (value − center) / scale. */
export interface ScaledColumn {
  readonly values: Float64Array;
  readonly center: number;
  readonly scale: number;
}

/** target[j][r] = Σᵢ matrix[i][j] · (columns[i][r] − center) / scale, for the first `rows` rows. */
export type RowProjector = (
  columns: readonly ScaledColumn[],
  rows: number,
  target: readonly Float64Array[],
) => void;

/** Some projected rows in the memory of the kernels: column j has `count` values at `pointer + 8 * stride * j`. */
export interface ProjectedPass {
  readonly pointer: number;
  readonly stride: number;
  /** Index of the first row. */
  readonly first: number;
  readonly count: number;
}

/** Projects rows a few at a time and hands over each pass. */
export type PassProjector = (
  columns: readonly ScaledColumn[],
  rows: number,
  use: (pass: ProjectedPass) => void,
) => void;

/**
 * Rows times a row-major `inner` × `outer` matrix. Every sum starts at 0 and adds its products in order, however rows are cut;
 * with a build without fused operations each is rounded by itself, so the bits are the same everywhere.
 */
export function passProjector(
  kernels: Kernels,
  matrix: Float64Array,
  inner: number,
  outer: number,
): PassProjector {
  const panelBytes = inner * PANEL_ROW_BYTES;
  const outerPanels = panelCount(outer);
  const pass = Math.max(4, Math.min(MOST_ROWS, 4 * Math.floor(PASS_VALUES / inner / 4)));
  const left = kernels.allocate(outerPanels * panelBytes);
  const right = kernels.allocate((pass / 4) * panelBytes);
  const sums = kernels.allocate(outerPanels * 4 * pass * 8);
  const factors = kernels.f64(left, outerPanels * 4 * inner);
  for (let i = 0; i < inner; i++) {
    for (let j = 0; j < outer; j++) {
      factors[(j >> 2) * 4 * inner + 4 * i + (j & 3)] = matrix[i * outer + j];
    }
  }

  const bands = Array.from({ length: Math.ceil(outerPanels / BAND) }, (_, b) => {
    const columns = { from: b * BAND * 4, to: Math.min(outer, (b + 1) * BAND * 4) };
    const size = panelCount(columns.to - columns.from);
    return { size, reach: rowsUsed(matrix, inner, outer, columns) };
  });

  const pack = (columns: readonly ScaledColumn[], first: number, count: number) => {
    const packed = kernels.f64(right, pass * inner);
    packed.fill(0);
    columns.forEach(({ values, center, scale }, i) => {
      for (let r = 0; r < count; r++) {
        packed[(r >> 2) * 4 * inner + 4 * i + (r & 3)] = (values[first + r] - center) / scale;
      }
    });
  };

  return (columns, rows, use) => {
    for (let first = 0; first < rows; first += pass) {
      const count = Math.min(pass, rows - first);
      pack(columns, first, count);
      kernels.f64(sums, outerPanels * 4 * pass).fill(0);
      const panels = panelCount(count);
      bands.forEach(({ size, reach }, b) => {
        const from = left + b * BAND * panelBytes;
        const to = sums + b * BAND * 4 * pass * 8;
        kernels.call.multiplyAll(from, size, right, panels, panelBytes, to, pass * 8, reach);
      });
      use({ pointer: sums, stride: pass, first, count });
    }
  };
}

/** Rows of a matrix down to the last that is not zero in some columns. */
function rowsUsed(
  matrix: Float64Array,
  inner: number,
  outer: number,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  for (let rows = inner; rows > 0; rows--) {
    for (let j = from; j < to; j++) if (matrix[(rows - 1) * outer + j] !== 0) return rows;
  }
  return 0;
}

/** Rows times a matrix, as `passProjector` does it, into columns. */
export function rowProjector(matrix: Float64Array, inner: number, outer: number): RowProjector {
  const kernels = reproducibleKernels();
  const project = passProjector(kernels, matrix, inner, outer);
  return (columns, rows, target) => {
    project(columns, rows, ({ pointer, stride, first, count }) => {
      const result = kernels.f64(pointer, outer * stride);
      target.slice(0, outer).forEach((values, j) => {
        values.set(result.subarray(j * stride, j * stride + count), first);
      });
    });
  };
}

/** What `rowProjector` computes, sum by sum. */
export function rowProjectorTwin(matrix: Float64Array, inner: number, outer: number): RowProjector {
  return (columns, rows, target) => {
    for (let r = 0; r < rows; r++) {
      const row = columns.map(({ values, center, scale }) => (values[r] - center) / scale);
      for (let j = 0; j < outer; j++) {
        let sum = 0;
        for (let i = 0; i < inner; i++) sum += matrix[i * outer + j] * row[i];
        target[j][r] = sum;
      }
    }
  };
}
