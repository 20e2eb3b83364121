import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../../desk/call.ts';
import { DeskTrouble, type Trouble, troubleOf, unloaded } from '../../desk/trouble.ts';
import { announce } from '../../ui/announce.ts';
import type { FindingsProps } from './findings.tsx';

/** Whether everything is here that reading a file needs, so that no request is made from then on. */
export interface Readiness {
  readonly ready: boolean;
  readonly trouble?: Trouble;
  /** What is shown of a file that was read. */
  readonly Findings?: ComponentType<FindingsProps>;
}

export function useReadiness(): Readiness {
  const [state, setState] = useState<Readiness>({ ready: false });
  useEffect(() => {
    let wanted = true;
    const findings = import('./findings.tsx').catch(() => {
      throw new DeskTrouble(unloaded);
    });
    Promise.all([findings, ask('warmReading', [])]).then(
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
  }, []);
  return state;
}
