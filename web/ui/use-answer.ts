import { useEffect, useState } from 'preact/hooks';
import { type Trouble, troubleOf } from '../desk/trouble.ts';

/** What a page waits for, has, or does not get. */
export interface Awaited<T> {
  readonly value?: T;
  readonly trouble?: Trouble;
}

/** Asks once, and again whenever one of `keys` changes; an answer that comes too late is dropped, and a trouble is gone while one asks again. */
export function useAnswer<T>(ask: () => Promise<T>, keys: readonly unknown[]): Awaited<T> {
  const [answer, setAnswer] = useState<Awaited<T>>({});
  useEffect(() => {
    let wanted = true;
    setAnswer((before) => (before.trouble === undefined ? before : {}));
    ask().then(
      (value) => wanted && setAnswer({ value }),
      (failure) => wanted && setAnswer({ trouble: troubleOf(failure) }),
    );
    return () => {
      wanted = false;
    };
  }, keys);
  return answer;
}
