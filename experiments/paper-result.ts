/** The result of `suffice paper`: every table and figure of a paper, with printed and measured values. Plain JSON. */
export interface PaperResult {
  readonly schema: 'suffice/paper@1';
  readonly paper: PaperName;
  readonly title: string;
  /** Source of the printed values. */
  readonly source: string;
  /** The day it was measured, ISO 8601. */
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** Settings of the run, by the names of the flags: seed, trials, … */
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  readonly experiments: readonly ExperimentResult[];
  /** Experiments whose data are not on this machine. */
  readonly leftOut?: readonly Omission[];
}

/** An experiment that could not run, why, and how to run it. */
export interface Omission {
  readonly id: string;
  readonly problem: string;
  readonly remedy: string;
}

export type PaperName = 'ridge' | 'fesc' | 'images' | 'fisher';

/** The result of one experiment. */
export interface ExperimentResult {
  /** The value of `--experiment`: 1 … 7, `dropout`, … */
  readonly id: string;
  readonly title: string;
  /** What was done, in one or two sentences, with every choice that the paper leaves open. */
  readonly about: string;
  readonly seconds: number;
  readonly tables: readonly ResultTable[];
  readonly figures: readonly ResultFigure[];
  readonly pictures?: readonly ResultPictures[];
  /** One sentence for each difference between printed and measured values, with its reason. */
  readonly differences: readonly string[];
  /** The statements of the paper that the experiment tries, and claims of ours. */
  readonly conclusions: readonly Conclusion[];
}

/** A statement of the paper that was tried, or a claim of ours. */
export type Conclusion = PaperStatement | OwnClaim;

export interface PaperStatement {
  readonly of: 'paper';
  /** What it is about. Statements about one matter count as one. */
  readonly matter: string;
  /** Its place in the paper: `Table II`, `Theorem 8`. */
  readonly where: string;
  /** The paper's own words. */
  readonly claim: string;
  /** Each fair reading of the text, with its numbers; at least one. */
  readonly readings: readonly StatementReading[];
  readonly verdict: StatementVerdict;
  /** Whether it holds under every reading. */
  readonly holds: boolean;
  /** What follows from the readings. */
  readonly because: string;
}

/** `holds` under every reading tried; `fails` under every one; `depends` on what the paper leaves open. */
export type StatementVerdict = 'holds' | 'depends' | 'fails';

/** One way to read a statement where its text leaves something open. */
export interface StatementReading {
  /** What is taken to be meant. */
  readonly as: string;
  readonly holds: boolean;
  /** The numbers behind it. */
  readonly because: string;
}

export interface OwnClaim {
  readonly of: 'ours';
  /** Whether the page begins with it; then with its numbers. */
  readonly isLead?: boolean;
  readonly claim: string;
  readonly holds: boolean;
  /** The numbers behind it. */
  readonly because: string;
}

/** A statement with the verdict of its readings. */
export function paperStatement(
  statement: Pick<PaperStatement, 'matter' | 'where' | 'claim' | 'readings' | 'because'>,
): PaperStatement {
  const { matter, where, claim, readings, because } = statement;
  const verdict = verdictOf(readings);
  return {
    of: 'paper',
    matter,
    where,
    claim,
    readings,
    verdict,
    holds: verdict === 'holds',
    because,
  };
}

export function verdictOf(readings: readonly Pick<StatementReading, 'holds'>[]): StatementVerdict {
  if (readings.every(({ holds }) => holds)) return 'holds';
  return readings.some(({ holds }) => holds) ? 'depends' : 'fails';
}

export interface ResultTable {
  /** The paper's number (`II`), or our own name. */
  readonly id: string;
  readonly title: string;
  /** Heading of the first column. */
  readonly of: string;
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly { readonly label: string; readonly cells: readonly TableCell[] }[];
}

export interface ResultColumn {
  readonly label: string;
  /** How numbers are shown: significant digits (4 unless given), or bytes, or seconds. */
  readonly form?: 'number' | 'bytes' | 'seconds' | 'count' | 'ratio' | 'percent';
}

/** One cell of a table: a printed value, a measured value, or both. */
export interface TableCell {
  /** As the paper prints it, unit included. */
  readonly printed?: string;
  readonly measured?: ResultSpread;
  /** A word in place of a number. */
  readonly text?: string;
}

/** A measured value over seeds. */
export interface ResultSpread {
  readonly mean: number;
  /** Standard deviation over the seeds; absent for a single seed. */
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

/** Small grey images, in rows with a name. */
export interface ResultPictures {
  readonly id: string;
  readonly title: string;
  /** Pixels of a side. */
  readonly side: number;
  readonly rows: readonly {
    readonly name: string;
    /** A digit for each pixel, from 0 (empty) to 9, row by row. */
    readonly images: readonly string[];
  }[];
}

/** Progress of an experiment; `soFar` if there is already something to draw. */
export interface ExperimentStep {
  /** From 0 to 1. */
  readonly done: number;
  readonly what: string;
  readonly soFar?: ExperimentResult;
}

/**
 * An experiment that can be stopped between its steps: a terminal draws a progress bar at each, a worker of a page
 * gets messages. Its result depends only on its plan, except for seconds.
 */
export type Experiment = Generator<ExperimentStep, ExperimentResult, void>;

/** An experiment that reads files. */
export type ReadingExperiment = AsyncGenerator<ExperimentStep, ExperimentResult, void>;

/** Mean and standard deviation over the seeds. */
export function resultSpread(values: readonly number[]): ResultSpread {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count < 2) return { mean, count };
  // Not by **, whose last bit the standard does not fix.
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  return { mean, sd: Math.sqrt(squares / (count - 1)), count };
}
