import { FailureError, failureOf } from '../../src/failure.ts';
import { Refusal } from '../../src/protocol/refusal.ts';
import { AuditRefusal } from '../../src/site/audit-refusal.ts';
import { MismatchedColumns } from '../../src/site/mismatched-columns.ts';
import { type PageFailure, PageFailureError, pageFailureOf } from '../page-failure.ts';
import type { Call, FromWorker, ToWorker } from './worker-messages.ts';

type ApiFunction = (call: Call<unknown>, ...given: never[]) => unknown;

/** Answers every call of a page with the function of that name. */
export function answerWith(api: Readonly<Record<string, unknown>>): void {
  const running = new Map<number, AbortController>();
  const say = (message: FromWorker) => postMessage(message);
  addEventListener('message', async ({ data }: MessageEvent<ToWorker>) => {
    if ('cancel' in data) {
      running.get(data.id)?.abort();
      return;
    }
    const { id, name, given } = data;
    const control = new AbortController();
    running.set(id, control);
    try {
      const work = api[name] as ApiFunction;
      const update = (value: unknown) => say({ id, update: value });
      say({ id, result: await work({ update, signal: control.signal }, ...(given as never[])) });
    } catch (error) {
      say({ id, failure: control.signal.aborted ? cancelled : failureIn(error) });
    } finally {
      running.delete(id);
    }
  });
}

const cancelled: PageFailure = {
  kind: 'cancelled',
  problem: 'you stopped it; nothing was sent',
  remedy: 'choose a file when you are ready',
};

function failureIn(error: unknown): PageFailure {
  if (error instanceof PageFailureError) return error.failure;
  if (error instanceof MismatchedColumns) {
    const { otherDecimals } = error;
    const mismatches = error.mismatches.map((one) => ({
      ...one,
      otherDecimal: otherDecimals.includes(one.column),
    }));
    return { kind: 'mismatch', ...failureOf(error), mismatches };
  }
  if (error instanceof AuditRefusal) {
    const { audit, rules } = error;
    return { kind: 'audit', ...failureOf(error), audit, rules };
  }
  if (error instanceof Refusal) {
    return { kind: 'refusal', ...failureOf(error), code: error.code };
  }
  if (error instanceof FailureError) {
    return { kind: error.kind === 'network' ? 'network' : 'data', ...failureOf(error) };
  }
  return pageFailureOf(error);
}
