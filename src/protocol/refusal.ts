import { FailureError, type FailureKind } from '../failure.ts';
import type { Option } from '../option.ts';

/** Why a request is not carried out, as a word that stays the same; each has one HTTP status. */
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
  'too-many-requests': 429,
  'store-unavailable': 503,
} as const;

export type RefusalCode = keyof typeof refusalStatus;

/** What a code complains of: the data, the connection, or else what is allowed. */
const kinds: Partial<Record<RefusalCode, FailureKind>> = {
  unprocessable: 'data',
  'bad-request': 'data',
  'too-large': 'data',
  'too-many-requests': 'network',
  'store-unavailable': 'network',
};

/** A request that is not carried out: which rule, and what to do. Never holds a secret or a value. */
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
