import type { AuditEntry, SealedReceipt, Traffic } from '../protocol/messages.ts';
import type { Input, Output } from '../protocol/operation.ts';
import type { OperationName, operations } from '../protocol/operations.ts';

/** Who is asking, as the bearer secret shows. */
export type Caller =
  | { readonly role: 'operator' }
  | { readonly role: 'study'; readonly study: string }
  | { readonly role: 'site'; readonly study: string; readonly site: string };

/** Takes the bytes of a contribution from a site that may send it. */
export interface Intake {
  /** Bytes to accept at most. */
  readonly limit: number;
}

/** Operations whose HTTP is more than a message in and a message out. */
export type OwnHttp = 'health' | 'metrics' | 'openapi' | 'contribute' | 'events';

/**
 * The other operations of the table as functions: the caller, the segments of the path in order,
 * then the body. Each checks the caller, and answers or throws a `Refusal`.
 */
export type CoordinatorOperations = {
  readonly [Name in Exclude<OperationName, OwnHttp>]: (
    caller: Caller,
    ...input: Input<(typeof operations)[Name]>
  ) => Output<(typeof operations)[Name]>;
};

/** Everything a coordinator does. No state lives here: whatever is acknowledged is in the store. */
export interface Coordinator extends CoordinatorOperations {
  /** The key it signs receipts, erasures, resolutions and logs with. */
  readonly key: string;

  /** The holder of a bearer secret; undefined for unknown, expired and revoked ones. */
  identify(token: string): Promise<Caller | undefined>;

  /** What may be sent now; refuses before any byte is read where nothing may. */
  intake(caller: Caller, study: string): Promise<Intake>;
  /** `created` is false for a repetition of what is already stored; the receipt is then the same. */
  contribute(
    caller: Caller,
    study: string,
    file: Uint8Array,
  ): Promise<{ readonly receipt: SealedReceipt; readonly created: boolean }>;
  /** Entries from a position on, then each new one as it is committed, until the signal ends it. */
  watch(
    caller: Caller,
    study: string,
    from: number,
    signal: AbortSignal,
  ): AsyncIterable<AuditEntry>;

  /** Adds to a site's meter. */
  meter(study: string, site: string, traffic: Traffic): Promise<void>;
  /** Closes studies whose deadline has passed and resolves those that are due; run it every second. */
  tend(): Promise<void>;
  /** Throws where the store does not answer. */
  check(): Promise<void>;
  /** Numbers for monitoring: studies by state, contributions held, bytes held. */
  figures(): Promise<Readonly<Record<string, number>>>;
}
