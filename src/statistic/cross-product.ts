import { DataError } from '../data-error.ts';
import type { Design } from '../features/design.ts';
import { powerOfTwoAbove, unitReference } from '../features/reference.ts';
import type { LossAdvantage } from '../network/membership.ts';
import type { KeptTraining, TrainingProgress } from '../network/training-progress.ts';
import { dd, ddAdd, ddLog, ddMultiply, ddScale, ddSqrt, twoSum } from '../numeric/double-double.ts';
import { exactGram, type Slices } from '../numeric/exact-gram.ts';
import { BLOCK_ROWS, floatGram, type GramAccumulator, type GramColumn } from '../numeric/gram.ts';
import { createKernels, type Kernels } from '../numeric/kernels.ts';
import type { Block } from '../table/columns.ts';
import type { Adjustments } from './adjustments.ts';
import { completeRows, weightedRows } from './complete-rows.ts';
import { entriesOf, type Layout, wordsOf } from './layout.ts';
import { type Arithmetic, type Grid, type LinearLayout, triangleEntries } from './linear-layout.ts';
import { missingCells } from './missing-cells.ts';
import { setRingEntry } from './ring.ts';
import type { Statistic } from './statistic.ts';

/** The choices of a study about its statistic, beside the design. */
export interface CrossProductOptions {
  readonly arithmetic: Arithmetic;
  readonly grid: Grid;
  /** Largest weight of a row, if rows are weighted. */
  readonly largestWeight: number | null;
}

/** The layout of Σ u uᵀ for a design: z is the constant, the terms' columns, the responses. */
export function crossProductLayout(design: Design, options: CrossProductOptions): LinearLayout {
  const columns = design.columns.filter((column) => column.name !== CONSTANT);
  for (const { name, reference } of columns) refuseScale(name, reference.scale);
  return {
    columns: [CONSTANT, ...columns.map((column) => column.name)],
    references: [unitReference, ...columns.map((column) => column.reference)],
    responses: design.responses,
    intercept: design.intercept,
    arithmetic: options.arithmetic,
    grid: options.arithmetic === 'exact' ? options.grid : 44,
    weightScale:
      options.largestWeight === null ? null : powerOfTwoAbove(Math.sqrt(options.largestWeight)),
  };
}

const CONSTANT = '(Intercept)';

/** Powers of two between which squares of coefficients and residuals are finite and not 0: 3e-139 to 3e150. */
const SCALES = [2 ** -460, 2 ** 500] as const;

function refuseScale(column: string, scale: number): void {
  if (scale >= SCALES[0] && scale <= SCALES[1]) return;
  throw new DataError(
    `the values are too ${scale < SCALES[0] ? 'small' : 'large'} for their squares`,
    { column },
    'rescale the unit of the column',
  );
}

/** The result of reducing a site's rows. */
export interface Summary<L extends Layout = Layout> {
  readonly statistic: Statistic<L>;
  /** Rows that went into the statistic. */
  readonly rows: number;
  readonly dropped: number;
  /** Missing cells by column, over the dropped rows. */
  readonly missing: Readonly<Record<string, number>>;
  /** In a private study: rows with a clipped response. */
  readonly clipped?: number;
  /** The coefficients at which the rows got their weights, if the site has found them; never sent. */
  readonly weightedAt?: Float64Array;
  /** In a private study: what was done to rows in place of refusing them. */
  readonly adjusted?: Adjustments;
  /** Where a network was trained: what only the site learns about it. */
  readonly network?: NetworkFacts;
}

/** What a site learns about its own network; never sent. */
export interface NetworkFacts {
  /** Rows that it was trained on. */
  readonly trained: number;
  /** Rows of each class among them. */
  readonly classes?: readonly number[];
  /** What it remembers of them; absent where no rows were held out. */
  readonly membership?: LossAdvantage;
}

/** Takes blocks of a site's rows and keeps only their sums. */
export interface Summarizer<L extends Layout = Layout> {
  /** `rowOf` gives the file's data row of row r of the block, for messages. */
  add(block: Block, rowOf: (r: number) => number): void;
  finish(): Summary<L>;
}

/** Creates Gram accumulators over columns in kernel memory. */
export interface Grams {
  readonly exactGram: typeof exactGram;
  readonly floatGram: typeof floatGram;
}

export interface SummarizerOptions {
  /** The file or table being read, for messages. */
  readonly file: string;
  /** Leave out rows with a missing cell, or refuse the file. */
  readonly missing: 'drop' | 'refuse';
  /** Name of the column of weights, for messages. */
  readonly weights?: string;
  readonly kernels?: Kernels;
  /** Multiplies: the WASM kernels unless a system BLAS is given. The bits are the same. */
  readonly grams?: Grams;
  /** Whether to keep buffers small, for many summarizers with few rows each. */
  readonly fewRows?: boolean;
  readonly watchRows?: RowWatcher;
  /** Where rows get their weights at an optimum: the optimum that a first pass has found. */
  readonly weightedAt?: Float64Array;
  /** The site of the rows, where sites may differ in how they begin. */
  readonly site?: string;
  /** Where a network is trained: hears how far it is, and may go on with an earlier run. */
  readonly training?: TrainingWatch;
}

/** Hears of a training. */
export interface TrainingWatch {
  readonly resume?: KeptTraining;
  progress(training: TrainingProgress): void;
}

/**
 * Gets the rows that are used, as columns of z = (1, x…, y…) in the user's units, before they are added; `indexOf` gives the
 * row of the incoming block. `weights` are those of the rows in the sums, where they differ and are known by then; `moments`
 * are what the rows give to the sums of a likelihood in place of w·y, `scores` what they give to its score beside x. The arrays
 * are reused after the call.
 */
export type RowWatcher = (
  rows: number,
  columns: readonly Float64Array[],
  indexOf: (r: number) => number,
  weights?: Float64Array,
  moments?: Float64Array,
  scores?: Float64Array,
) => void;

/**
 * Reduces blocks whose columns are the design's variables (and, in a weighted study, the weights
 * as one more) to their statistic. The rows end here.
 */
export function summarizer(
  design: Design,
  layout: LinearLayout,
  options: SummarizerOptions,
): Summarizer<LinearLayout> {
  const weighted = layout.weightScale !== null;
  const names = weighted ? [...design.variables, options.weights ?? 'weights'] : design.variables;
  const buffers = createBuffers(design, layout, options);
  const missing = missingCells(names, options);
  let rows = 0;
  let dropped = 0;
  let logWeights = 0n;
  const logBits = layout.arithmetic === 'compact' ? 32 : 44;

  const add: Summarizer['add'] = (block, rowOf) => {
    const complete = completeRows(block, missing.counter(rowOf));
    dropped += block.rows - complete.block.rows;
    const used = weighted ? weightedRows(complete) : complete;
    rows += used.block.rows;
    const originalRow = (r: number) => rowOf(used.origin?.[r] ?? r);
    for (let from = 0; from < used.block.rows; from += buffers.capacity) {
      const part = slice(used.block, from, Math.min(used.block.rows, from + buffers.capacity));
      const indexOf = (r: number) => used.origin?.[from + r] ?? from + r;
      buffers.evaluate(part, (r) => originalRow(from + r), indexOf);
      if (weighted) logWeights += logWeightSum(part, logBits);
    }
  };

  const finish = (): Summary<LinearLayout> => {
    const sums = buffers.total();
    const values = weighted ? new Uint32Array(entriesOf(layout) * wordsOf(layout)) : sums;
    if (weighted) {
      values.set(sums);
      const bits = BigInt(layout.arithmetic === 'compact' ? 32 : 2 * layout.grid);
      const at = triangleEntries(layout);
      setRingEntry(values, wordsOf(layout), at, BigInt(rows) << bits);
      setRingEntry(values, wordsOf(layout), at + 1, logWeights << (bits - BigInt(logBits)));
    }
    return { statistic: { layout, values }, rows, dropped, missing: missing.counts };
  };
  return { add, finish };
}

function slice(block: Block, from: number, to: number): Block {
  if (from === 0 && to === block.rows) return block;
  return { rows: to - from, columns: block.columns.map((column) => column.subarray(from, to)) };
}

function logWeightSum(block: Block, bits: number): bigint {
  const weights = block.columns[block.columns.length - 1];
  let sum = 0n;
  for (let r = 0; r < block.rows; r++) {
    sum += BigInt(Math.round(ddLog(dd(weights[r])).hi * 2 ** bits));
  }
  return sum;
}

/** Column buffers in kernel memory, and the Gram that is accumulated over them. */
interface Buffers {
  readonly capacity: number;
  evaluate(block: Block, rowOf: (r: number) => number, indexOf: (r: number) => number): void;
  total(): Uint32Array;
}

const BUFFER_VALUES = 2 ** 18;

function createBuffers(design: Design, layout: LinearLayout, options: SummarizerOptions): Buffers {
  const kernels = options.kernels ?? createKernels();
  const grams = options.grams ?? { exactGram, floatGram };
  const width = layout.columns.length;
  const { weightScale } = layout;
  const blocks = options.fewRows ? 1 : Math.floor(BUFFER_VALUES / width / BLOCK_ROWS);
  const capacity = BLOCK_ROWS * Math.max(1, Math.min(16, blocks));
  const fine = layout.arithmetic === 'exact' && layout.grid > 44;
  const needsLow = [false, ...design.needsLow.slice(design.intercept ? 1 : 0)].map(
    (needed) => fine && (needed || weightScale !== null),
  );
  const columns: GramColumn[] = layout.references.map((reference, i) => ({
    hi: kernels.allocate(capacity * 8),
    lo: needsLow[i] ? kernels.allocate(capacity * 8) : 0,
    ...(weightScale === null ? reference : unitReference),
  }));
  const gram =
    layout.arithmetic === 'exact'
      ? grams.exactGram(kernels, columns, capacity, (layout.grid / 22) as Slices)
      : compactGram(grams.floatGram(kernels, columns, capacity));
  const view = () => ({
    memory: kernels.memory.buffer,
    hi: columns.map((column) => kernels.f64(column.hi, capacity)),
    lo: columns.map((column) => (column.lo === 0 ? undefined : kernels.f64(column.lo, capacity))),
  });
  let buffers = view();
  // The design has the constant only with an intercept; z always has it.
  const skip = design.intercept ? 0 : 1;
  return {
    capacity,
    evaluate(block, rowOf, indexOf) {
      if (buffers.memory !== kernels.memory.buffer) buffers = view(); // the memory has grown
      const { hi, lo } = buffers;
      hi[0].fill(1);
      if (weightScale !== null) for (const low of lo) low?.fill(0);
      design.evaluate(block, { file: options.file, rowOf }, hi.slice(skip), lo.slice(skip));
      const weights = weightScale === null ? undefined : block.columns.at(-1);
      options.watchRows?.(block.rows, hi, indexOf, weights);
      if (weightScale !== null) applyWeights(block, layout, weightScale, hi, lo);
      gram.add(block.rows);
    },
    total: () => gram.total(),
  };
}

/** Turns each buffered value v into √w·(v − center)/scale, over the weights' own scale. */
function applyWeights(
  block: Block,
  layout: LinearLayout,
  weightScale: number,
  hi: readonly Float64Array[],
  lo: readonly (Float64Array | undefined)[],
): void {
  const weights = block.columns[block.columns.length - 1];
  const roots = Array.from({ length: block.rows }, (_, r) =>
    ddScale(ddSqrt(dd(weights[r])), 1 / weightScale),
  );
  layout.references.forEach(({ center, scale }, i) => {
    const low = lo[i];
    for (let r = 0; r < block.rows; r++) {
      const centred = ddAdd(twoSum(hi[i][r], -center), dd(low?.[r] ?? 0));
      const value = ddMultiply(ddScale(centred, 1 / scale), roots[r]);
      hi[i][r] = value.hi;
      if (low !== undefined) low[r] = value.lo;
    }
  });
}

/** The float64 Gram, rounded once to 32 fractional bits in Z/2⁶⁴. */
function compactGram(gram: GramAccumulator<Float64Array>): GramAccumulator<Uint32Array> {
  return {
    add: (rows: number) => gram.add(rows),
    total(): Uint32Array {
      const sums = gram.total();
      const words = new Uint32Array(2 * sums.length);
      sums.forEach((sum, k) => {
        setRingEntry(words, 2, k, BigInt(Math.round(sum * 2 ** 32)));
      });
      return words;
    },
  };
}
