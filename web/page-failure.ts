import type { Audit, RuleId } from '../src/disclosure/rule.ts';
import type { Failure } from '../src/failure.ts';
import type { Mismatch } from '../src/protocol/messages.ts';

/** A failure as a page shows it: the problem, its place, and the remedy. */
export interface PageFailure extends Failure {
  readonly kind: 'data' | 'mismatch' | 'audit' | 'refusal' | 'network' | 'cancelled' | 'unexpected';
  /** Code of the coordinator's refusal. */
  readonly code?: string;
  /** Columns that do not fit the study; `otherDecimal` if the other decimal mark would explain it. */
  readonly mismatches?: readonly (Mismatch & { readonly otherDecimal?: boolean })[];
  /** The audit of a file that the disclosure rules refuse. */
  readonly audit?: Audit;
  readonly rules?: readonly RuleId[];
}

/** A script of the page did not load. The browser's own message is only an address. */
export const unloaded: PageFailure = {
  kind: 'network',
  problem: 'a part of this page could not be loaded',
  remedy: 'check the connection and reload the page',
};

/** A call to the worker rejects with this error. */
export class PageFailureError extends Error {
  readonly failure: PageFailure;

  constructor(failure: PageFailure) {
    super(failure.problem);
    this.name = 'PageFailureError';
    this.failure = failure;
  }
}

/** Any thrown value as a failure that a page can show. */
export function pageFailureOf(error: unknown): PageFailure {
  if (error instanceof PageFailureError) return error.failure;
  const problem = error instanceof Error ? error.message : String(error);
  return { kind: 'unexpected', problem, remedy: 'reload the page and try again' };
}
