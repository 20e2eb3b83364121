import { FailureError, type FailureKind } from '../failure.ts';
import type { Option } from '../option.ts';

/** Codes of refusals, a stable part of the protocol, each with its HTTP status. */
export const refusalStatus = {
  'bad-request': 400,
  'no-token': 401,
  'not-allowed': 403,
  'not-found': 404,
  'method-not-allowed': 405,
  conflict: 409,
  gone: 410,
  'too-large': 413,
  'unsupported-type': 415,
  unprocessable: 422,
  'not-yet': 425,
  'too-many-requests': 429,
  'store-unavailable': 503,
} as const;

export type RefusalCode = keyof typeof refusalStatus;

/** The kind of failure of a code; `policy` unless listed. */
const kinds: Partial<Record<RefusalCode, FailureKind>> = {
  unprocessable: 'data',
  'bad-request': 'data',
  'too-large': 'data',
  'too-many-requests': 'network',
  'not-yet': 'network',
  'store-unavailable': 'network',
};

/** A refused request: the problem and the remedy. It never contains a secret or a value. */
export class Refusal extends FailureError {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, problem: string, remedy: string, option?: Option) {
    super(kinds[code] ?? 'policy', { problem, remedy, option });
    this.name = 'Refusal';
    this.code = code;
  }

  get status(): number {
    return refusalStatus[this.code];
  }
}
