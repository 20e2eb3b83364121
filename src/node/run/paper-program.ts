import type { Ink } from '../../text/text-table.ts';
import { fromSource, packageRoot } from '../files/package-files.ts';

/** The options of `suffice paper`. */
export interface PaperWanted {
  readonly paper: PaperProgramName;
  /** Ids of experiments; all of them if empty. */
  readonly only: readonly string[];
  /** Run small versions. */
  readonly quick: boolean;
  readonly seed?: number;
  /** For the ridge paper and FedFisher: data sets, or first networks, of each value. */
  readonly trials?: number;
  /** For the ridge paper: sites, rows of each, features, γ of the generator, σ of the fit. */
  readonly sites?: number;
  readonly rows?: number;
  readonly features?: number;
  readonly heterogeneity?: number;
  readonly ridge?: number;
  /** For FESC: the distribution of the nodes' sizes, Monte-Carlo runs, nodes, length of θ. */
  readonly law?: string;
  readonly runs?: number;
  readonly nodes?: number;
  readonly dimension?: number;
  /** For images: side that CIFAR-10's images are resized to for the backbone. */
  readonly pixels?: number;
  /** For FedFisher: passes of a client over its images. */
  readonly epochs?: number;
  /** Folder for what is finished, so that a run that was killed can go on; nothing is kept without it. */
  readonly parts?: string;
  /** The date, ISO 8601. */
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
}

export type PaperProgramName = 'ridge' | 'fesc' | 'images' | 'fisher';

/** An experiment, and about how long it takes. */
export interface PaperEntry {
  readonly id: string;
  readonly title: string;
  readonly seconds: number;
}

/** The keys of a result that the command uses; the full type is `PaperResult` of the experiments. */
export interface PaperOutput {
  readonly schema: string;
  readonly paper: string;
  /** Experiments whose data are not on this machine. */
  readonly leftOut?: readonly {
    readonly id: string;
    readonly problem: string;
    readonly remedy: string;
  }[];
}

/** The experiments as a program, built into a separate file: they are not part of the library. */
export interface PaperProgram {
  readonly titles: Readonly<Record<PaperProgramName, string>>;
  /** Threads that its experiments use. */
  readonly threads: Readonly<Record<PaperProgramName, number>>;
  /** Distributions of the sizes of FESC's nodes. */
  readonly laws: readonly { readonly name: string; readonly title: string }[];
  /** All experiments of a paper. */
  entries(paper: PaperProgramName): readonly PaperEntry[];
  /** The experiments that would run; throws a RangeError if a number is out of bounds. */
  chosen(wanted: PaperWanted): readonly PaperEntry[];
  runPaper(
    wanted: PaperWanted,
  ): AsyncGenerator<{ readonly done: number; readonly what: string }, PaperOutput, void>;
  /** Removes what a run has kept in the folder `parts`. */
  removeParts(folder: string): Promise<void>;
  paperPage(result: PaperOutput): string;
  paperText(result: PaperOutput, ink: Ink): string;
  /** Whether a file is a page or the JSON of a result, which may be overwritten. */
  isResult(text: string): boolean;
}

const PROGRAM = new URL(
  fromSource ? 'experiments/papers.ts' : 'dist/experiments/papers.js',
  packageRoot,
);

export async function loadPaperProgram(): Promise<PaperProgram> {
  return (await import(PROGRAM.href)).paperProgram;
}
