import type { Peer } from './peer.ts';
import type { Line } from './table.ts';

/** The input of every section. */
export interface Bench {
  /** Whether to use smaller data and fewer rounds: tests that everything runs, not how fast. */
  readonly quick: boolean;
  /** Rows of the table, in sections that can be of any size. */
  readonly rows?: number;
  /** Python with numpy on one thread; undefined if there is none. */
  readonly peer: Peer | undefined;
  note(text: string): void;
}

/** A group of related measurements. */
export interface Section {
  readonly name: string;
  readonly title: string;
  run(bench: Bench): Promise<readonly Line[]>;
}

/** Runs the contestants in turn, A B A B …, and keeps the smallest result of each. */
export async function inTurn<Name extends string>(
  rounds: number,
  contestants: Readonly<Record<Name, () => number | Promise<number>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(contestants) as Name[];
  const best = Object.fromEntries(names.map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) best[name] = Math.min(best[name]!, await contestants[name]());
  }
  return best as Record<Name, number>;
}
