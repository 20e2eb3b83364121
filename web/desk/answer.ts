import { FailureError, failureOf } from '../../src/failure.ts';
import { Refusal } from '../../src/protocol/refusal.ts';
import { AuditRefusal } from '../../src/site/audit-refusal.ts';
import { MismatchedColumns } from '../../src/site/mismatched-columns.ts';
import type { Call, FromDesk, ToDesk } from './conversation.ts';
import { DeskTrouble, type Trouble } from './trouble.ts';

type AnyDuty = (call: Call<unknown>, ...given: never[]) => unknown;

/** Answers what a page asks, each question by the duty of its name. */
export function answerWith(duties: Readonly<Record<string, unknown>>): void {
  const running = new Map<number, AbortController>();
  const say = (message: FromDesk) => postMessage(message);
  addEventListener('message', async ({ data }: MessageEvent<ToDesk>) => {
    if ('cancel' in data) {
      running.get(data.id)?.abort();
      return;
    }
    const { id, duty, given } = data;
    const control = new AbortController();
    running.set(id, control);
    try {
      const work = duties[duty] as AnyDuty;
      const tell = (news: unknown) => say({ id, news });
      say({ id, result: await work({ tell, signal: control.signal }, ...(given as never[])) });
    } catch (failure) {
      say({ id, trouble: control.signal.aborted ? cancelled : told(failure) });
    } finally {
      running.delete(id);
    }
  });
}

const cancelled: Trouble = {
  kind: 'cancelled',
  problem: 'you stopped it; nothing was sent',
  remedy: 'choose a file when you are ready',
};

function told(failure: unknown): Trouble {
  if (failure instanceof DeskTrouble) return failure.trouble;
  if (failure instanceof MismatchedColumns) {
    const { otherDecimals } = failure;
    const mismatches = failure.mismatches.map((one) => ({
      ...one,
      otherDecimal: otherDecimals.includes(one.column),
    }));
    return { kind: 'mismatch', ...failureOf(failure), mismatches };
  }
  if (failure instanceof AuditRefusal) {
    const { audit, rules } = failure;
    return { kind: 'audit', ...failureOf(failure), audit, rules };
  }
  if (failure instanceof Refusal) {
    return { kind: 'refusal', ...failureOf(failure), code: failure.code };
  }
  if (failure instanceof FailureError) {
    return { kind: failure.kind === 'network' ? 'network' : 'data', ...failureOf(failure) };
  }
  const problem = failure instanceof Error ? failure.message : String(failure);
  return { kind: 'unexpected', problem, remedy: 'reload the page and try again' };
}
