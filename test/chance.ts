import { onTestFailed } from 'vitest';
import { words } from './decimal-strings.ts';

/** Draws of one seeded stream. */
export interface Chance {
  /** A whole number from 0 up to but not including n. */
  below(n: number): number;
  pick<T>(choices: readonly T[]): T;
  /** Waits up to so many milliseconds. */
  pause(milliseconds: number): Promise<void>;
}

/** Chance by SUFFICE_TEST_SEED or a new seed, which is printed where the test fails. */
export function chanceOfTest(): Chance {
  const seed = Number(process.env.SUFFICE_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  onTestFailed(() => console.error(`SUFFICE_TEST_SEED=${seed}`));
  return chance(seed);
}

export function chance(seed: number): Chance {
  const word = words(seed * 2 + 1);
  for (let k = 0; k < 8; k++) word(); // neighbouring seeds start alike
  const below = (n: number) => word() % n;
  return {
    below,
    pick: (choices) => choices[below(choices.length)],
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, below(milliseconds + 1))),
  };
}
