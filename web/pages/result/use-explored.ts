import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../../desk/call.ts';
import type { Exploration, Solved } from '../../desk/exploration.ts';
import type { ShownResult } from '../../desk/result-overview.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import { placeOf } from './part.ts';

/** A penalty and the report that the desk has solved for it. */
export interface Explored {
  readonly at: Exploration;
  readonly solved?: Solved;
  readonly trouble?: Trouble;
}

/**
 * Solves for wherever the slider stands, once a frame at most and one at a time: places it has left before the desk was
 * free are never asked for, so that no answer comes out of order.
 */
export function useExplored(shown: ShownResult, wish: Exploration): Explored | undefined {
  const [explored, setExplored] = useState<Explored>();
  const wanted = useRef(wish);
  const frame = useRef<number | undefined>(undefined);
  const busy = useRef(false);
  const solve = async () => {
    frame.current = undefined;
    busy.current = true;
    const at = wanted.current;
    const answer = await ask('explore', [...placeOf(shown), at]).then(
      (solved) => ({ at, solved }),
      (failure) => ({ at, trouble: troubleOf(failure) }),
    );
    busy.current = false;
    setExplored(answer);
    if (wanted.current !== at) plan();
  };
  const plan = () => {
    if (busy.current || frame.current !== undefined) return;
    frame.current = requestAnimationFrame(() => void solve());
  };
  useEffect(() => {
    wanted.current = wish;
    plan();
  }, [shown.digest, wish.penalty, wish.scale, wish.kind]);
  useEffect(() => () => cancelAnimationFrame(frame.current ?? 0), []);
  return explored;
}
