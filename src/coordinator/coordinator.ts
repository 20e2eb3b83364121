import type { Inquiry } from '../analysis/inquiry.ts';
import type {
  AuditEntry,
  CreateStudy,
  InvitationSecret,
  Offer,
  OfferAnswer,
  ResolutionLine,
  SealedAnalysis,
  SealedAuditLog,
  SealedErasure,
  SealedReceipt,
  SealedResolution,
  SealedWithdrawal,
  StudyCreated,
  StudyView,
  Traffic,
} from '../protocol/messages.ts';

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

/**
 * Everything a coordinator does, as functions that answer or throw a `Refusal`. No state lives
 * here: whatever is acknowledged is in the store. `caller` is checked by every function.
 */
export interface Coordinator {
  /** The key it signs receipts, erasures, resolutions and logs with. */
  readonly key: string;

  /** The holder of a bearer secret; undefined for unknown, expired and revoked ones. */
  identify(token: string): Promise<Caller | undefined>;

  create(caller: Caller, request: CreateStudy): Promise<StudyCreated>;
  list(caller: Caller): Promise<readonly StudyView[]>;
  view(caller: Caller, study: string): Promise<StudyView>;

  /** A new secret for a site, old or new; earlier secrets of that site stop working. */
  invite(
    caller: Caller,
    study: string,
    site: string,
    options: { readonly expires?: string; readonly forgetKey?: boolean },
  ): Promise<InvitationSecret>;
  revoke(caller: Caller, study: string, site: string): Promise<void>;

  open(caller: Caller, study: string): Promise<StudyView>;
  /** No more contributions in time; resolves soon after if the quorum is met. */
  close(caller: Caller, study: string): Promise<StudyView>;
  /** Collects again; late contributions now count. */
  reopen(caller: Caller, study: string, deadline?: string): Promise<StudyView>;
  extend(caller: Caller, study: string, deadline: string): Promise<StudyView>;

  offer(caller: Caller, study: string, offer: Offer): Promise<OfferAnswer>;
  /** What may be sent now; refuses before any byte is read where nothing may. */
  intake(caller: Caller, study: string): Promise<Intake>;
  /** `created` is false for a repetition of what is already stored; the receipt is then the same. */
  contribute(
    caller: Caller,
    study: string,
    file: Uint8Array,
  ): Promise<{ readonly receipt: SealedReceipt; readonly created: boolean }>;
  /** Receipts of the calling site's contributions that are still held. */
  receipts(caller: Caller, study: string): Promise<readonly SealedReceipt[]>;
  /** Erases a site's contributions: asked by the site with its signature, or by who runs the study. */
  withdraw(
    caller: Caller,
    study: string,
    request: { readonly withdrawal: SealedWithdrawal } | { readonly site: string },
  ): Promise<SealedErasure>;

  /** A new numbered answer over what counts now, late contributions included on request. */
  resolve(
    caller: Caller,
    study: string,
    options: { readonly includeLate: boolean },
  ): Promise<SealedResolution>;
  resolutions(caller: Caller, study: string): Promise<readonly ResolutionLine[]>;
  resolution(caller: Caller, study: string, number: number | 'latest'): Promise<SealedResolution>;
  /** The exact sum a resolution was made of, as the words of a contribution; for who runs the study. */
  total(caller: Caller, study: string, number: number | 'latest'): Promise<Uint8Array>;
  /** Another look at what the newest resolution was made of. */
  analyse(caller: Caller, study: string, inquiry: Inquiry): Promise<SealedAnalysis>;

  auditLog(caller: Caller, study: string): Promise<SealedAuditLog>;
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
