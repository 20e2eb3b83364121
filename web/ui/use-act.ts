import { useRef, useState } from 'preact/hooks';
import { type Trouble, troubleOf } from '../desk/trouble.ts';

/** Something a person can have done once at a time: whether it is under way, and why it was not done. */
export interface Act {
  readonly busy: boolean;
  readonly trouble?: Trouble;
  /** Does nothing while it is under way. */
  run(work: () => Promise<void>): void;
}

export function useAct(): Act {
  const [state, setState] = useState<Pick<Act, 'busy' | 'trouble'>>({ busy: false });
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
          (failure) => setState({ busy: false, trouble: troubleOf(failure) }),
        )
        .finally(() => {
          running.current = false;
        });
    },
  };
}
