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

/** A request that is not carried out: which rule, and what to do. Never holds a secret or a value. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly remedy: string;

  constructor(code: RefusalCode, problem: string, remedy: string) {
    super(problem);
    this.name = 'Refusal';
    this.code = code;
    this.remedy = remedy;
  }

  get status(): number {
    return refusalStatus[this.code];
  }
}
