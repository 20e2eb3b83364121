import type { Inquiry } from '../analysis/inquiry.ts';
import type { Answered } from '../analysis/question.ts';
import type { Report } from '../model/report.ts';
import type { ContributionTurn } from '../statistic/envelope.ts';
import type { Layout } from '../statistic/layout.ts';
import type { Study } from '../study/study.ts';
import type { Sealed } from './signature.ts';

/** Where a study is in its life. */
export type StudyState = 'draft' | 'open' | 'collecting' | 'closed' | 'resolved';

/** Asks for a study: `sites` are invited, one invitation each. */
export interface CreateStudy {
  readonly study: Study;
  readonly sites: readonly string[];
  /** Keep it a draft: nobody can contribute before it is opened. */
  readonly draft?: boolean;
  /** When the invitations stop working, as an ISO 8601 time in UTC. */
  readonly invitationsExpire?: string;
}

/** `deadline` of a study that collects again; absent, it collects until somebody closes it. */
export interface ReopenStudy {
  readonly deadline?: string;
}

export interface ExtendStudy {
  readonly deadline: string;
}

/** Asks for a new secret of a site, old or new. */
export interface InviteSite {
  readonly site: string;
  readonly expires?: string;
  /** Lets the site come back with another key, as after a lost disk. */
  readonly forgetKey?: boolean;
}

/** A site's own signed wish to leave, or the name of the site whoever runs the study takes out. */
export type WithdrawSite = { readonly withdrawal: SealedWithdrawal } | { readonly site: string };

export interface ResolveStudy {
  readonly includeLate: boolean;
}

/** A bearer secret for one site; told once, kept only as a hash. */
export interface InvitationSecret {
  readonly site: string;
  readonly token: string;
}

export interface StudyCreated {
  readonly schema: 'suffice/study-created@1';
  readonly id: string;
  readonly digest: string;
  readonly state: StudyState;
  /** Bearer secret of whoever runs the study. */
  readonly adminToken: string;
  readonly invitations: readonly InvitationSecret[];
  readonly coordinatorKey: string;
}

/** Bytes that crossed the wire, headers included. */
export interface Traffic {
  readonly up: number;
  readonly down: number;
}

/** How one site stands. */
export interface SiteStatus {
  readonly name: string;
  readonly state: 'invited' | 'ready' | 'contributed' | 'withdrawn' | 'revoked';
  /** Rows and drops of what counts now; absent before a contribution. */
  readonly n?: number;
  readonly dropped?: number;
  /** Contributions that came after closing and are in no resolution yet. */
  readonly late: number;
  readonly traffic: Traffic;
}

/** What every party may know of a study. Sites see names and states; rows of others come with the report. */
export interface StudyView {
  readonly schema: 'suffice/study-view@1';
  readonly id: string;
  readonly digest: string;
  readonly study: Study;
  readonly state: StudyState;
  readonly createdAt: string;
  readonly deadline?: string;
  readonly quorum: number;
  /** What a contribution looks like, derived from the study: other clients need not derive it. */
  readonly layout: Layout;
  /** Bytes a contribution may have at most. */
  readonly limit: number;
  readonly sites: readonly SiteStatus[];
  /** The newest resolution, if there is one. */
  readonly resolution?: { readonly number: number; readonly digest: string };
  /** Why a closed study has no resolution. */
  readonly problem?: string;
  readonly coordinatorKey: string;
  /** The asking site's name and the number its next contribution must carry. */
  readonly you?: { readonly site: string; readonly nextSequence: number };
}

/** What a site could provide for one column of the study, before anything numeric leaves it. */
export interface OfferedColumn {
  readonly name: string;
  /** What the file holds under this name. */
  readonly found: 'number' | 'text' | 'empty' | 'absent';
  /** Distinct texts that are no level, no number where one is needed, and no missing marker. */
  readonly unknownTexts: number;
  /** Whether every number lies in the allowed range, and what unit slip would explain it if not. */
  readonly range: 'inside' | 'outside' | 'not-a-number';
  readonly suspicion?: UnitSuspicion;
}

/** A unit slip that would put every number of a column inside its range. */
export type UnitSuspicion =
  | 'a thousand times too large'
  | 'a thousand times too small'
  | 'a hundred times too large'
  | 'a hundred times too small'
  | 'ten times too large'
  | 'ten times too small';

/** The handshake: a site says what it could provide and with which key it will sign. */
export interface Offer {
  readonly key: string;
  readonly columns: readonly OfferedColumn[];
}

/** What does not match, by column, and what to do about it. */
export interface Mismatch {
  readonly column: string;
  readonly problem: string;
  readonly remedy: string;
}

export interface OfferAnswer {
  readonly schema: 'suffice/offer-answer@1';
  readonly accepted: boolean;
  readonly mismatches: readonly Mismatch[];
}

/** A place in a study's audit log. */
export interface AuditPlace {
  readonly position: number;
  readonly digest: string;
}

/** What the coordinator signs when a contribution is committed. */
export interface Receipt extends ContributionTurn {
  readonly schema: 'suffice/receipt@1';
  readonly study: string;
  readonly site: string;
  /** Digest of the contribution's file. */
  readonly digest: string;
  readonly bytes: number;
  readonly receivedAt: string;
  /** Came after the study had closed: kept apart until a new resolution includes it. */
  readonly late: boolean;
  readonly audit: AuditPlace;
  /** Of a private study: its promise, and the μ that this contribution spends of it; numbers as texts. */
  readonly privacy?: { readonly epsilon: string; readonly delta: string; readonly mu: string };
}

/** What a site signs to leave: the text is canonical JSON of the rest. */
export interface Withdrawal {
  readonly schema: 'suffice/withdrawal@1';
  readonly study: string;
  readonly site: string;
  /** The number the site's next contribution would have carried: a withdrawal cannot be replayed. */
  readonly sequence: number;
}

/** What the coordinator signs when a site's contributions are erased. */
export interface ErasureReceipt {
  readonly schema: 'suffice/erasure@1';
  readonly study: string;
  readonly site: string;
  /** Digests of the files that are gone. */
  readonly erased: readonly string[];
  readonly erasedAt: string;
  readonly audit: AuditPlace;
}

/** One numbered, immutable answer of a study. */
export interface Resolution {
  readonly schema: 'suffice/resolution@1';
  readonly number: number;
  readonly study: Study;
  readonly studyDigest: string;
  readonly resolvedAt: string;
  /** Files that were added, by site. */
  readonly contributions: readonly { readonly site: string; readonly digests: readonly string[] }[];
  /** Invited sites that are not in it. */
  readonly missing: readonly string[];
  readonly report: Report;
}

/** Another look at what a resolution was made of, with no second contact with the sites. */
export interface Analysis {
  readonly schema: 'suffice/analysis@1';
  /** Number of the resolution whose contributions it is about. */
  readonly resolution: number;
  readonly study: Study;
  readonly studyDigest: string;
  readonly askedAt: string;
  readonly inquiry: Inquiry;
  readonly report: Report;
  readonly answers: readonly Answered[];
}

export interface ResolutionLine {
  readonly number: number;
  readonly digest: string;
  readonly resolvedAt: string;
  readonly sites: number;
}

/** One entry of a study's audit log; `digest` covers the rest and so, by `previous`, all before it. */
export interface AuditEntry {
  readonly position: number;
  readonly at: string;
  readonly event: AuditEvent;
  readonly detail: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly previous: string;
  readonly digest: string;
}

export type AuditEvent =
  | 'created'
  | 'opened'
  | 'invited'
  | 'revoked'
  | 'offer-accepted'
  | 'offer-declined'
  | 'contributed'
  | 'withdrawn'
  | 'closed'
  | 'reopened'
  | 'extended'
  | 'resolved'
  | 'unresolved';

/** A study's audit log up to its head, signed by the coordinator. */
export interface AuditLog {
  readonly schema: 'suffice/audit-log@1';
  readonly study: string;
  readonly entries: readonly AuditEntry[];
}

/** What a refused request is told. */
export interface Problem {
  readonly schema: 'suffice/problem@1';
  readonly code: string;
  readonly problem: string;
  readonly remedy: string;
}

export type SealedReceipt = Sealed<Receipt>;
export type SealedErasure = Sealed<ErasureReceipt>;
export type SealedResolution = Sealed<Resolution>;
export type SealedAnalysis = Sealed<Analysis>;
export type SealedWithdrawal = Sealed<Withdrawal>;
export type SealedAuditLog = Sealed<AuditLog>;

/** What is sent to a coordinator, by its name in the OpenAPI document. */
export interface Requests {
  readonly Study: Study;
  readonly CreateStudy: CreateStudy;
  readonly ReopenStudy: ReopenStudy;
  readonly ExtendStudy: ExtendStudy;
  readonly InviteSite: InviteSite;
  readonly Offer: Offer;
  readonly WithdrawSite: WithdrawSite;
  readonly ResolveStudy: ResolveStudy;
  readonly Nothing: Readonly<Record<string, never>>;
}

/** What a coordinator sends, by its name in the OpenAPI document; with the inquiry that an analysis repeats. */
export interface Answers {
  readonly Problem: Problem;
  readonly Health: { readonly schema: 'suffice/health@1'; readonly status: 'ok' };
  readonly StudyCreated: StudyCreated;
  readonly InvitationSecret: InvitationSecret;
  readonly StudyView: StudyView;
  readonly Studies: Many<'studies', StudyView>;
  readonly OfferAnswer: OfferAnswer;
  readonly Receipt: SealedReceipt;
  readonly Receipts: Many<'receipts', SealedReceipt>;
  readonly Erasure: SealedErasure;
  readonly Resolution: SealedResolution;
  readonly Resolutions: Many<'resolutions', ResolutionLine>;
  readonly Inquiry: Inquiry;
  readonly Analysis: SealedAnalysis;
  readonly AuditEntry: AuditEntry;
  readonly AuditLog: SealedAuditLog;
}

export interface Messages extends Requests, Answers {}

export type MessageName = keyof Messages;

/** A list of messages as a message. */
export type Many<Name extends string, Item> = {
  readonly schema: `suffice/${Name}@1`;
} & { readonly [Key in Name]: readonly Item[] };
