/** What `suffice paper` measured: every table and figure of a paper, printed beside measured. Plain JSON. */
export interface PaperResult {
  readonly schema: 'suffice/paper@1';
  readonly paper: PaperName;
  readonly title: string;
  /** Where the printed values are from. */
  readonly source: string;
  /** The day it was measured, ISO 8601. */
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** What was run, by the names of the flags: seed, trials, … */
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  readonly experiments: readonly ExperimentResult[];
}

export type PaperName = 'ridge' | 'fesc';

/** What one experiment gave. */
export interface ExperimentResult {
  /** What `--experiment` takes: 1 … 7, `dropout`, … */
  readonly id: string;
  readonly title: string;
  /** What was done, in a sentence or two, with all that the paper leaves open. */
  readonly about: string;
  readonly seconds: number;
  readonly tables: readonly ResultTable[];
  readonly figures: readonly ResultFigure[];
  /** One sentence for each place where printed and measured differ, and why. */
  readonly differences: readonly string[];
  /** What the experiment is meant to show, and whether it does here. */
  readonly conclusions: readonly Conclusion[];
}

export interface Conclusion {
  /** Whose claim it is: the paper's, as the paper makes it, or ours. */
  readonly of: 'paper' | 'ours';
  /** Where the paper makes it: `Table II`, `Theorem 8`. */
  readonly where?: string;
  readonly claim: string;
  readonly holds: boolean;
  /** The numbers it rests on. */
  readonly because: string;
}

export interface ResultTable {
  /** As the paper numbers it (`II`), or a name of ours. */
  readonly id: string;
  readonly title: string;
  /** Heading of the first column. */
  readonly of: string;
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly { readonly label: string; readonly cells: readonly Cell[] }[];
}

export interface ResultColumn {
  readonly label: string;
  /** How numbers are shown: significant digits (4 unless given), or bytes, or seconds. */
  readonly form?: 'number' | 'bytes' | 'seconds' | 'count' | 'ratio' | 'percent';
}

/** One value of a table: what the paper prints, what was measured, or both. */
export interface Cell {
  /** As the paper prints it, unit included. */
  readonly printed?: string;
  readonly measured?: Spread;
  /** A word in place of a number. */
  readonly text?: string;
}

/** A measured value over seeds. */
export interface Spread {
  readonly mean: number;
  /** Standard deviation over the seeds; absent where there is one. */
  readonly sd?: number;
  readonly count: number;
}

export interface ResultFigure {
  readonly id: string;
  readonly title: string;
  readonly kind: 'lines' | 'histogram';
  readonly x: ResultAxis;
  readonly y: ResultAxis;
  readonly series: readonly ResultSeries[];
}

export interface ResultAxis {
  readonly label: string;
  readonly log?: boolean;
}

export interface ResultSeries {
  readonly name: string;
  /** `printed` is drawn as dots; `exact` is ours, drawn on top; bands are from low to high. A histogram's x is the left edge of a bin. */
  readonly role: 'exact' | 'oracle' | 'other' | 'printed';
  readonly points: readonly ResultPoint[];
}

export interface ResultPoint {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
  /** Right edge of a histogram's bin. */
  readonly to?: number;
}

/** How far an experiment is; `soFar` where there is something to draw already. */
export interface Step {
  /** From 0 to 1. */
  readonly done: number;
  readonly what: string;
  readonly soFar?: ExperimentResult;
}

/**
 * An experiment that can be stopped between its steps, anywhere: a terminal draws a bar at each, a worker of a page
 * hears its messages. Deterministic in its plan, but for seconds.
 */
export type Experiment = Generator<Step, ExperimentResult, void>;

/** Mean and standard deviation of what the seeds gave. */
export function spread(values: readonly number[]): Spread {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count < 2) return { mean, count };
  // Not by **, whose last bit the standard leaves open.
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  return { mean, sd: Math.sqrt(squares / (count - 1)), count };
}
