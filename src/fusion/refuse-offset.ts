import { DataError } from '../data-error.ts';
import type { Design } from '../features/design.ts';

/** Refuses offset() where a method has no place for it. */
export function refuseOffset({ offsets }: Design, method: string): void {
  const [first] = offsets;
  if (first === undefined) return;
  throw new DataError(
    `${method} has no ${first.label} here`,
    {},
    'take it as a term: its coefficient is then estimated, not fixed at 1',
  );
}
