import { useEffect, useRef, useState } from 'preact/hooks';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import { call } from '../../worker/call.ts';
import type { Exploration, SolvedModel } from '../../worker/exploration.ts';
import type { ShownResult } from '../../worker/result-overview.ts';
import { placeOf } from './section-props.ts';

/** A penalty and the report that the worker has solved for it. */
export interface Explored {
  readonly at: Exploration;
  readonly solved?: SolvedModel;
  readonly failure?: PageFailure;
}

/**
 * Solves the model for the position of the slider: at most once a frame, and one at a time. Positions that the slider
 * has left before the worker was free are skipped, so answers come in order.
 */
export function useExplored(shown: ShownResult, exploration: Exploration): Explored | undefined {
  const [explored, setExplored] = useState<Explored>();
  const wanted = useRef(exploration);
  const frame = useRef<number | undefined>(undefined);
  const busy = useRef(false);
  const solve = async () => {
    frame.current = undefined;
    busy.current = true;
    const at = wanted.current;
    const answer = await call('explore', [...placeOf(shown), at]).then(
      (solved) => ({ at, solved }),
      (error) => ({ at, failure: pageFailureOf(error) }),
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
    wanted.current = exploration;
    plan();
  }, [shown.digest, exploration.penalty, exploration.scale, exploration.kind]);
  useEffect(() => () => cancelAnimationFrame(frame.current ?? 0), []);
  return explored;
}
