import type { Ink } from '../model/text-table.ts';
import { fromSource, packageRoot } from './package-files.ts';

/** What `suffice paper` asks the experiments for. */
export interface PaperWanted {
  readonly paper: PaperName;
  /** Ids of experiments; all where it is empty. */
  readonly only: readonly string[];
  /** Small versions, to look at. */
  readonly quick: boolean;
  readonly seed?: number;
  /** Of the ridge paper: data sets, sites, rows of each, features, γ of the generator, σ of the fit. */
  readonly trials?: number;
  readonly sites?: number;
  readonly rows?: number;
  readonly features?: number;
  readonly heterogeneity?: number;
  readonly ridge?: number;
  /** Of FESC: the law of the nodes' sizes, Monte-Carlo runs, nodes, length of θ. */
  readonly law?: string;
  readonly runs?: number;
  readonly nodes?: number;
  readonly dimension?: number;
  /** The day, ISO 8601. */
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
}

export type PaperName = 'ridge' | 'fesc';

/** An experiment that can be asked for, and about how long it takes. */
export interface PaperEntry {
  readonly id: string;
  readonly title: string;
  readonly seconds: number;
}

/** What the command needs to know of a result; all of it is `PaperResult` of the experiments. */
export interface PaperFindings {
  readonly schema: string;
  readonly paper: string;
}

/** The experiments as a program: built into a file of its own, since they are no part of the library. */
export interface PaperProgram {
  readonly titles: Readonly<Record<PaperName, string>>;
  /** Laws of the sizes of FESC's nodes. */
  readonly laws: readonly { readonly name: string; readonly title: string }[];
  /** What can be asked for. */
  entries(paper: PaperName): readonly PaperEntry[];
  /** What would run; a RangeError where a number is out of bounds. */
  chosen(wanted: PaperWanted): readonly PaperEntry[];
  runPaper(
    wanted: PaperWanted,
  ): Generator<{ readonly done: number; readonly what: string }, PaperFindings, void>;
  paperPage(result: PaperFindings): string;
  paperText(result: PaperFindings, ink: Ink): string;
  /** Whether the text of a file is a page or the JSON of a result: one that may be replaced. */
  isResult(text: string): boolean;
}

const PROGRAM = new URL(
  fromSource ? 'experiments/papers.ts' : 'dist/experiments/papers.js',
  packageRoot,
);

export async function loadPaperProgram(): Promise<PaperProgram> {
  return (await import(PROGRAM.href)).paperProgram;
}
