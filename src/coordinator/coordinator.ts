import type { AuditEntry, SealedReceipt, Traffic } from '../protocol/messages.ts';
import type { Input, Output } from '../protocol/operation.ts';
import type { OperationName, operations } from '../protocol/operations.ts';
import type { Upload } from '../protocol/upload-message.ts';

/** Who sends a request, as identified by the bearer secret. */
export type Caller =
  | { readonly role: 'operator' }
  | { readonly role: 'study'; readonly study: string }
  | { readonly role: 'open'; readonly study: string }
  | { readonly role: 'site'; readonly study: string; readonly site: string };

/** A block of a large file, as it arrived. */
export interface ArrivedBlock {
  readonly number: number;
  readonly body: Uint8Array;
  /** Its SHA-256 at the site. */
  readonly digest: string;
}

/** How much a site may upload. */
export interface UploadLimits {
  /** Largest number of bytes. */
  readonly limit: number;
}

/** Operations with an HTTP handler of their own: more than one message in and one message out. */
export type OwnHttp =
  | 'health'
  | 'metrics'
  | 'openapi'
  | 'contribute'
  | 'contributeAsDevice'
  | 'sendBlock'
  | 'contributeBlocks'
  | 'events';

/**
 * All other operations as functions of the caller, the path segments in order, and the body.
 * Each checks the caller, then returns the answer or throws a `Refusal`.
 */
export type CoordinatorOperations = {
  readonly [Name in Exclude<OperationName, OwnHttp>]: (
    caller: Caller,
    ...input: Input<(typeof operations)[Name]>
  ) => Output<(typeof operations)[Name]>;
};

/** Everything a coordinator does. It has no state of its own: all acknowledged data is in the store. */
export interface Coordinator extends CoordinatorOperations {
  /** Public key of its signatures on receipts, erasures, resolutions and logs. */
  readonly key: string;

  /**
   * The holder of a bearer secret; undefined for unknown, expired and revoked ones. A secret opens all rounds of its study:
   * the caller is a member of the round `study`, or of the first.
   */
  identify(token: string, study?: string): Promise<Caller | undefined>;

  /** How much the site may send now; refuses before any byte is read if it may send nothing. */
  uploadLimits(caller: Caller, study: string, announced?: number): Promise<UploadLimits>;
  /** `created` is false for a repeated contribution, which gets the same receipt again. */
  contribute(
    caller: Caller,
    study: string,
    file: Uint8Array,
  ): Promise<{ readonly receipt: SealedReceipt; readonly created: boolean }>;
  /** Largest contribution of a device, which may not have enrolled yet. */
  deviceLimits(caller: Caller, study: string): Promise<UploadLimits>;
  /** Enrols a device and does `contribute`, in one write. */
  contributeAsDevice(
    caller: Caller,
    study: string,
    file: Uint8Array,
  ): Promise<{ readonly receipt: SealedReceipt; readonly created: boolean }>;
  /** Most bytes of a block of a large file. */
  readonly blockBytes: number;
  /** Stores the next block of a large file, whose digest is `file`; returns after the commit. */
  sendBlock(caller: Caller, study: string, file: string, block: ArrivedBlock): Promise<Upload>;
  /** Bytes of a large file that have arrived. */
  uploadedBytes(caller: Caller, study: string, file: string): Promise<number>;
  /** `contribute` with a file whose blocks have all arrived. */
  contributeBlocks(
    caller: Caller,
    study: string,
    file: string,
  ): Promise<{ readonly receipt: SealedReceipt; readonly created: boolean }>;
  /** Log entries from a position onwards, then each new one after its commit, until the signal. */
  watch(
    caller: Caller,
    study: string,
    from: number,
    signal: AbortSignal,
  ): AsyncIterable<AuditEntry>;

  /** Adds bytes to a site's traffic. */
  countTraffic(study: string, site: string, traffic: Traffic): Promise<void>;
  /** Closes studies past their deadline and resolves studies that are due. Call it every second. */
  runDueWork(): Promise<void>;
  /** Sends the sums of regional studies to their parents. Call it every second; it may wait for a parent that does not answer. */
  sendDueSums(): Promise<void>;
  /** Throws if the store does not answer within two seconds, or cannot write. */
  check(): Promise<void>;
  /** Numbers for monitoring: studies by state, stored contributions, their bytes. */
  gauges(): Promise<Readonly<Record<string, number>>>;
}
