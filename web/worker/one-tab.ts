import { Refusal } from '../../src/protocol/refusal.ts';

/** Does work that only one tab of a browser may do for a site: two would make two keys. */
export function inOneTab<T>(name: string, work: () => Promise<T>): Promise<T> {
  return navigator.locks.request(`suffice ${name}`, { ifAvailable: true }, (lock) => {
    if (lock !== null) return work();
    throw new Refusal(
      'conflict',
      'another tab of this browser takes part in this study for the same site',
      'go on in that tab, or close it and reload this page',
    );
  }) as Promise<T>;
}
