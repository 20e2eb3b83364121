/** Whether long tests run at full length, as in `npm run endure`, which runs the files that import this, `oneStore` or fast-check; the check runs a part of them, to stay short. */
export const enduring: boolean = process.env.SUFFICE_ENDURE === '1';

/** How many random cases a law is tried on: all of them in `npm run endure`, a part in the check, a tenth unless given. */
export function cases(all: number, part = 1 / 10): number {
  return enduring ? all : Math.ceil(all * part);
}

/** The cases that are tried of one kind: all of them in `npm run endure`; in the check those at these places, which stand for the rest. */
export function chosen<T>(all: readonly T[], ...places: readonly number[]): readonly T[] {
  return enduring ? all : places.map((place) => all[place]);
}
