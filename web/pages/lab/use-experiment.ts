import { useEffect, useRef, useState } from 'preact/hooks';
import type { ExperimentResult } from '../../../experiments/paper-result.ts';
import type { Following } from '../../desk/call.ts';
import type { LabNews } from '../../desk/lab.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import { announce } from '../../ui/announce.ts';

/** How an experiment stands: what it has found so far stays while it is run anew, so that nothing flickers. */
export interface Trial {
  readonly state: 'idle' | 'running' | 'finished' | 'stopped' | 'failed';
  /** From 0 to 1. */
  readonly done: number;
  readonly what: string;
  readonly seconds: number;
  readonly result?: ExperimentResult;
  /** Whether the result is of other settings than those that stand there now. */
  readonly stale: boolean;
  readonly trouble?: Trouble;
}

interface Held extends Omit<Trial, 'stale'> {
  /** The plan that the result is of. */
  readonly of?: string;
}

/** Milliseconds until a changed setting counts: a person who slides is not done yet. */
const SETTLED = 400;

const idle: Held = { state: 'idle', done: 0, what: '', seconds: 0 };

/** An experiment to start and to stop; once started, it starts again after `plan` has changed. */
export function useExperiment<Plan>(
  plan: Plan,
  run: (plan: Plan, following: Following<LabNews>) => Promise<ExperimentResult>,
): { readonly trial: Trial; start(): void; stop(): void } {
  const [held, setHeld] = useState<Held>(idle);
  const control = useRef<AbortController>(undefined);
  /** The plan that was last started; none where a person has stopped it. */
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
    const onNews = ({ soFar, ...news }: LabNews) => {
      if (!wanted()) return;
      setHeld((now) => ({ ...now, ...news, ...(soFar && { result: soFar, of: key }) }));
    };
    run(plan, { onNews, signal: own.signal }).then(
      (result) => {
        if (!wanted()) return;
        control.current = undefined;
        setHeld((now) => ({ ...now, state: 'finished', done: 1, result, of: key }));
        announce('Finished');
      },
      (failure) => {
        if (!wanted()) return;
        control.current = undefined;
        setHeld((now) => ({ ...now, state: 'failed', trouble: troubleOf(failure) }));
      },
    );
  };
  useEffect(() => {
    const timer = setTimeout(() => {
      if (begun.current !== undefined && begun.current !== key) start();
    }, SETTLED);
    return () => clearTimeout(timer);
  }, [key]);
  useEffect(() => () => control.current?.abort(), []);
  return { trial: { ...held, stale: held.of !== undefined && held.of !== key }, start, stop };
}
