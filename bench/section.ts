import type { Peer } from './peer.ts';
import type { Line } from './table.ts';

/** What every section is given. */
export interface Bench {
  /** Smaller data and fewer rounds: shows that all runs, not how fast. */
  readonly quick: boolean;
  /** Python with numpy on one thread; undefined where there is none. */
  readonly peer: Peer | undefined;
  note(text: string): void;
}

/** A group of measurements that belong together. */
export interface Section {
  readonly name: string;
  readonly title: string;
  run(bench: Bench): Promise<readonly Line[]>;
}

/** Lets the contestants run in turn, A B A B …, and keeps the best (least) of what each returns. */
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
