import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type PageFailure, PageFailureError, pageFailureOf, unloaded } from '../../page-failure.ts';
import { announce } from '../../ui/announce.ts';
import { call } from '../../worker/call.ts';
import type { AuditResultProps } from './audit-result.tsx';

/** Whether everything that reading needs is loaded, so that no request is made from then on. */
export interface Readiness {
  readonly ready: boolean;
  readonly failure?: PageFailure;
  /** The component that shows a file after reading. */
  readonly AuditResult?: ComponentType<AuditResultProps>;
  /** The components of a party that takes part in an exchange. */
  readonly exchange?: typeof import('./exchange-steps.tsx');
}

export function useReadiness(): Readiness {
  const [state, setState] = useState<Readiness>({ ready: false });
  useEffect(() => {
    let wanted = true;
    const parts = [import('./audit-result.tsx'), import('./exchange-steps.tsx')] as const;
    const loading = Promise.all(parts).catch(() => {
      throw new PageFailureError(unloaded);
    });
    Promise.all([loading, call('warmReading', [])]).then(
      ([[{ AuditResult }, exchange]]) => {
        if (!wanted) return;
        setState({ ready: true, AuditResult, exchange });
        announce('Ready for your file');
      },
      (error) => wanted && setState({ ready: false, failure: pageFailureOf(error) }),
    );
    return () => {
      wanted = false;
    };
  }, []);
  return state;
}
