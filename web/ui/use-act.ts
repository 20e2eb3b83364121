import { useRef, useState } from 'preact/hooks';
import { type PageFailure, pageFailureOf } from '../page-failure.ts';

/** An action that runs once at a time: whether it is under way, and its failure. */
export interface Act {
  readonly busy: boolean;
  readonly failure?: PageFailure;
  /** Does nothing while the action is under way. */
  run(work: () => Promise<void>): void;
}

export function useAct(): Act {
  const [state, setState] = useState<Pick<Act, 'busy' | 'failure'>>({ busy: false });
  const running = useRef(false);
  return {
    ...state,
    run(work) {
      if (running.current) return;
      running.current = true;
      setState({ busy: true });
      work()
        .then(
          () => setState({ busy: false }),
          (error) => setState({ busy: false, failure: pageFailureOf(error) }),
        )
        .finally(() => {
          running.current = false;
        });
    },
  };
}
