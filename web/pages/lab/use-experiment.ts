import { useEffect, useRef, useState } from 'preact/hooks';
import type { ExperimentResult } from '../../../experiments/paper-result.ts';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import { announce } from '../../ui/announce.ts';
import type { CallOptions } from '../../worker/call.ts';
import type { LabProgress } from '../../worker/followed.ts';

/** State of an experiment. An earlier result stays while it runs again, so that nothing flickers. */
export interface LabTrial<Result = ExperimentResult> {
  readonly state: 'idle' | 'running' | 'finished' | 'stopped' | 'failed';
  /** From 0 to 1. */
  readonly done: number;
  readonly what: string;
  readonly seconds: number;
  readonly result?: Result;
  /** Whether the result is of other settings than the present ones. */
  readonly stale: boolean;
  readonly failure?: PageFailure;
}

interface Held<Result> extends Omit<LabTrial<Result>, 'stale'> {
  /** The plan of the result. */
  readonly of?: string;
}

/** Milliseconds without a change after which a new setting counts: a slider changes often. */
const CHANGE_DELAY = 400;

const idle = { state: 'idle', done: 0, what: '', seconds: 0 } as const;

/** An experiment that can be started and stopped. Once started, it starts again when `plan` changes. */
export function useExperiment<Plan, Result = ExperimentResult>(
  plan: Plan,
  run: (plan: Plan, options: CallOptions<LabProgress<Result>>) => Promise<Result>,
): { readonly trial: LabTrial<Result>; start(): void; stop(): void } {
  const [held, setHeld] = useState<Held<Result>>(idle);
  const control = useRef<AbortController>(undefined);
  /** The plan that was last started; undefined after a stop. */
  const begun = useRef<string>(undefined);
  const key = JSON.stringify(plan);

  const stop = () => {
    if (control.current === undefined) return;
    control.current.abort();
    control.current = undefined;
    begun.current = undefined;
    setHeld((now) => ({ ...now, state: 'stopped' }));
    announce('Stopped');
  };
  const start = () => {
    control.current?.abort();
    const own = new AbortController();
    control.current = own;
    begun.current = key;
    setHeld(({ result, of }) => ({ ...idle, state: 'running', result, of }));
    const wanted = () => control.current === own;
    const onUpdate = ({ soFar, ...progress }: LabProgress<Result>) => {
      if (!wanted()) return;
      setHeld((now) => ({ ...now, ...progress, ...(soFar && { result: soFar, of: key }) }));
    };
    run(plan, { onUpdate, signal: own.signal }).then(
      (result) => {
        if (!wanted()) return;
        control.current = undefined;
        setHeld((now) => ({ ...now, state: 'finished', done: 1, result, of: key }));
        announce('Finished');
      },
      (error) => {
        if (!wanted()) return;
        control.current = undefined;
        setHeld((now) => ({ ...now, state: 'failed', failure: pageFailureOf(error) }));
      },
    );
  };
  useEffect(() => {
    const timer = setTimeout(() => {
      if (begun.current !== undefined && begun.current !== key) start();
    }, CHANGE_DELAY);
    return () => clearTimeout(timer);
  }, [key]);
  useEffect(() => () => control.current?.abort(), []);
  return { trial: { ...held, stale: held.of !== undefined && held.of !== key }, start, stop };
}
