import { useEffect, useState } from 'preact/hooks';
import { type PageFailure, pageFailureOf } from '../page-failure.ts';

/** An answer that is pending, here, or failed. */
export interface Awaited<T> {
  readonly value?: T;
  readonly failure?: PageFailure;
}

/** Asks once, and again when one of `keys` changes. An outdated answer is dropped; a failure is cleared when asking again. */
export function useAnswer<T>(ask: () => Promise<T>, keys: readonly unknown[]): Awaited<T> {
  const [answer, setAnswer] = useState<Awaited<T>>({});
  useEffect(() => {
    let wanted = true;
    setAnswer((before) => (before.failure === undefined ? before : {}));
    ask().then(
      (value) => wanted && setAnswer({ value }),
      (error) => wanted && setAnswer({ failure: pageFailureOf(error) }),
    );
    return () => {
      wanted = false;
    };
  }, keys);
  return answer;
}
