import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../../desk/call.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import { announce } from '../../ui/announce.ts';
import type { FindingsProps } from './findings.tsx';

/** Whether everything is here that reading a file needs, so that no request is made from then on. */
export interface Readiness {
  readonly ready: boolean;
  readonly trouble?: Trouble;
  /** What is shown of a file that was read. */
  readonly Findings?: ComponentType<FindingsProps>;
  retry(): void;
}

export function useReadiness(): Readiness {
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<Omit<Readiness, 'retry'>>({ ready: false });
  useEffect(() => {
    let wanted = true;
    Promise.all([import('./findings.tsx'), ask('warmReading', [])]).then(
      ([{ Findings }]) => {
        if (!wanted) return;
        setState({ ready: true, Findings });
        announce('Ready for your file');
      },
      (failure) => wanted && setState({ ready: false, trouble: troubleOf(failure) }),
    );
    return () => {
      wanted = false;
    };
  }, [attempt]);
  return {
    ...state,
    retry() {
      setState({ ready: false });
      setAttempt(attempt + 1);
    },
  };
}
