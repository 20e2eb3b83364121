import type { Query } from '../analysis/query.ts';
import type { Answered } from '../analysis/question.ts';
import type { Report } from '../model/report.ts';
import type { ContributionNumbering } from '../statistic/envelope.ts';
import type { Layout } from '../statistic/layout.ts';
import type { Study } from '../study/study.ts';
import type { AuditEvent } from './audit-event.ts';
import type { DevicesView, OpenEnrolment, SealedEnrolment } from './enrolment.ts';
import type { MaskMessage, MaskStage } from './mask-messages.ts';
import type { AgreeToOpen, OpeningView } from './opening-messages.ts';
import type { PartyMail, PartyPart } from './party-messages.ts';
import type { Sealed } from './signature.ts';
import type { SumView } from './sum-message.ts';
import type { Upload } from './upload-message.ts';

/** The state of a study. */
export type StudyState = 'draft' | 'open' | 'collecting' | 'closed' | 'resolved';

/** Creates a study and one invitation for each of `sites`. */
export interface CreateStudy {
  readonly study: Study;
  readonly sites: readonly string[];
  /** Create a draft: sites can contribute only after it is opened. */
  readonly draft?: boolean;
  /** When the invitations stop working, as an ISO 8601 time in UTC. */
  readonly invitationsExpire?: string;
  /** Makes one link with which any device can enrol. */
  readonly open?: OpenEnrolment;
  /** For the study of a region: its invitation to the study of its parent. */
  readonly parent?: string;
}

/** Reopens a study; without `deadline` it collects until the analyst closes it. */
export interface ReopenStudy {
  readonly deadline?: string;
}

/** A new invitation of a region. */
export interface RenewParent {
  /** The region's new invitation to the study above; it has a secret. */
  readonly parent: string;
}

export interface ExtendStudy {
  readonly deadline: string;
}

/** Invites a site, new or known, with a new secret. */
export interface InviteSite {
  readonly site: string;
  readonly expires?: string;
  /** Allows the site to use another key, for example after a lost disk. */
  readonly forgetKey?: boolean;
}

/** A withdrawal signed by the site, or the name of a site that the analyst removes. */
export type WithdrawSite = { readonly withdrawal: SealedWithdrawal } | { readonly site: string };

export interface ResolveStudy {
  readonly includeLate: boolean;
}

/** A bearer secret for one site. It is sent once; the coordinator stores only its hash. */
export interface InvitationSecret {
  readonly site: string;
  readonly token: string;
}

/** A new bearer secret for the analyst. It is sent once; the coordinator stores only its hash. */
export interface AdminSecret {
  readonly schema: 'suffice/admin-secret@1';
  readonly token: string;
}

/** A study that was created, with the secrets of its links, which are shown once. */
export interface StudyCreated {
  readonly schema: 'suffice/study-created@1';
  readonly id: string;
  readonly digest: string;
  readonly state: StudyState;
  /** Bearer secret of the analyst. */
  readonly adminToken: string;
  readonly invitations: readonly InvitationSecret[];
  /** Bearer secret of the open link, with which any device can enrol. */
  readonly openToken?: string;
  readonly coordinatorKey: string;
}

/** Bytes sent and received by a site, with headers. */
export interface Traffic {
  readonly up: number;
  readonly down: number;
}

/** The status of one site. */
export interface SiteStatus {
  readonly name: string;
  readonly state: 'invited' | 'ready' | 'contributed' | 'withdrawn' | 'revoked';
  /** Rows used and dropped in the active contributions; absent before a contribution. */
  readonly n?: number;
  readonly dropped?: number;
  /** Number of contributions that came after the study closed and are in no resolution yet. */
  readonly late: number;
  /** Absent in a private study. */
  readonly traffic?: Traffic;
}

/** A study as its members may see it. A site sees names and states of the others; their row counts come with the report. */
export interface StudyView {
  readonly schema: 'suffice/study-view@1';
  readonly id: string;
  readonly digest: string;
  readonly study: Study;
  readonly state: StudyState;
  readonly createdAt: string;
  readonly deadline?: string;
  readonly quorum: number;
  /** The layout of a contribution. It follows from the study, so a client need not derive it. */
  readonly layout: Layout;
  /** Largest number of bytes of a contribution. */
  readonly limit: number;
  readonly sites: readonly SiteStatus[];
  /** In a study that is open to devices: how many there are. They are not among `sites`, except the one that asks. */
  readonly devices?: DevicesView;
  /** The newest resolution; absent before the first. */
  readonly resolution?: { readonly number: number; readonly digest: string };
  /** Why a closed study has no resolution. */
  readonly problem?: string;
  /** Present if the coordinator tries again by itself to resolve a study with a problem. */
  readonly retries?: true;
  /** When its contributions were erased because the time to keep them was over; the report stays. */
  readonly erasedAt?: string;
  /** Number of the round, from 2; absent in the first. */
  readonly round?: number;
  /** The next round, and the number of the resolution that it starts from; absent before it is opened. */
  readonly next?: { readonly id: string; readonly digest: string; readonly resolution: number };
  /** Where the total was refused as impossible: who may open its contributions, and what was found. */
  readonly opening?: OpeningView;
  /** In the study of a region: what the parent has got of it. */
  readonly sum?: SumView;
  readonly coordinatorKey: string;
  /** For a site: its name and the number of its next contribution. */
  readonly you?: { readonly site: string; readonly nextSequence: number };
}

/** What a site has for one column of the study, sent before any statistic. */
export interface OfferedColumn {
  readonly name: string;
  /** What the file has under this name. */
  readonly found: 'number' | 'text' | 'empty' | 'absent';
  /** Number of distinct texts that are neither a level or number of the column nor a missing marker. */
  readonly unknownTexts: number;
  /** Whether every number is in the allowed range; if not, `suspicion` names a wrong unit that would explain it. */
  readonly range: 'inside' | 'outside' | 'not-a-number';
  readonly suspicion?: UnitSuspicion;
}

/** A wrong unit: correcting it would put every number of the column inside its range. */
export type UnitSuspicion =
  | 'a thousand times too large'
  | 'a thousand times too small'
  | 'a hundred times too large'
  | 'a hundred times too small'
  | 'ten times too large'
  | 'ten times too small';

/** A site's offer: what its file has for each column, and the key it will sign with. */
export interface Offer {
  readonly key: string;
  readonly columns: readonly OfferedColumn[];
}

/** A column that does not match the study, and the remedy. */
export interface Mismatch {
  readonly column: string;
  readonly problem: string;
  readonly remedy: string;
}

/** Whether the columns of a site fit the study, and what does not. */
export interface OfferAnswer {
  readonly schema: 'suffice/offer-answer@1';
  readonly accepted: boolean;
  readonly mismatches: readonly Mismatch[];
}

/** An entry of a study's audit log: its position and digest. */
export interface AuditPlace {
  readonly position: number;
  readonly digest: string;
}

/** The receipt for a contribution, signed by the coordinator after the commit. */
export interface Receipt extends ContributionNumbering {
  readonly schema: 'suffice/receipt@1';
  readonly study: string;
  readonly site: string;
  /** Digest of the contribution's file. */
  readonly digest: string;
  readonly bytes: number;
  readonly receivedAt: string;
  /** It came after the study had closed: it is stored as late until a new resolution includes it. */
  readonly late: boolean;
  readonly audit: AuditPlace;
  /** In a private study: its ε and δ, and the μ that this contribution spends. Numbers are texts. */
  readonly privacy?: { readonly epsilon: string; readonly delta: string; readonly mu: string };
}

/** A site's withdrawal. The site signs its canonical JSON. */
export interface Withdrawal {
  readonly schema: 'suffice/withdrawal@1';
  readonly study: string;
  readonly site: string;
  /** The number of the site's next contribution, so that a withdrawal cannot be used twice. */
  readonly sequence: number;
}

/** The receipt for erased contributions, signed by the coordinator. */
export interface ErasureReceipt {
  readonly schema: 'suffice/erasure@1';
  readonly study: string;
  readonly site: string;
  /** Digests of the erased files. */
  readonly erased: readonly string[];
  readonly erasedAt: string;
  readonly audit: AuditPlace;
}

/** One numbered result of a study; it never changes. */
export interface Resolution {
  readonly schema: 'suffice/resolution@1';
  readonly number: number;
  readonly study: Study;
  readonly studyDigest: string;
  readonly resolvedAt: string;
  /** Digests of the files in the total, by site. */
  readonly contributions: readonly { readonly site: string; readonly digests: readonly string[] }[];
  /** Invited sites without a contribution in it. */
  readonly missing: readonly string[];
  readonly report: Report;
}

/** Answers to questions about a resolution, from its stored contributions; no site is contacted. */
export interface Analysis {
  readonly schema: 'suffice/analysis@1';
  /** Number of the resolution it is about. */
  readonly resolution: number;
  readonly study: Study;
  readonly studyDigest: string;
  readonly askedAt: string;
  readonly inquiry: Query;
  readonly report: Report;
  readonly answers: readonly Answered[];
}

export interface ResolutionLine {
  readonly number: number;
  readonly digest: string;
  readonly resolvedAt: string;
  readonly sites: number;
}

/** One entry of a study's audit log. `digest` covers the other keys; through `previous` it covers all earlier entries. */
export interface AuditEntry {
  readonly position: number;
  readonly at: string;
  readonly event: AuditEvent;
  readonly detail: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly previous: string;
  readonly digest: string;
}

/** A study's whole audit log, signed by the coordinator. */
export interface AuditLog {
  readonly schema: 'suffice/audit-log@1';
  readonly study: string;
  readonly entries: readonly AuditEntry[];
}

/** The answer to a refused request. */
export interface Problem {
  readonly schema: 'suffice/problem@1';
  readonly code: string;
  readonly problem: string;
  readonly remedy: string;
}

/** Signed proof that the coordinator has stored a contribution. */
export type SealedReceipt = Sealed<Receipt>;
/** Signed proof that the contributions of a site were erased. */
export type SealedErasure = Sealed<ErasureReceipt>;
/** A signed model, with the contributions that it was made from. */
export type SealedResolution = Sealed<Resolution>;
export type SealedAnalysis = Sealed<Analysis>;
export type SealedWithdrawal = Sealed<Withdrawal>;
export type SealedAuditLog = Sealed<AuditLog>;

/** Requests to a coordinator, by their names in the OpenAPI document. */
export interface Requests {
  readonly Study: Study;
  readonly CreateStudy: CreateStudy;
  readonly ReopenStudy: ReopenStudy;
  readonly ExtendStudy: ExtendStudy;
  readonly RenewParent: RenewParent;
  readonly InviteSite: InviteSite;
  readonly EnrolDevice: SealedEnrolment;
  readonly Offer: Offer;
  readonly WithdrawSite: WithdrawSite;
  readonly AgreeToOpen: AgreeToOpen;
  readonly ResolveStudy: ResolveStudy;
  readonly MaskMessage: MaskMessage;
  readonly PartyPart: PartyPart;
  readonly Nothing: Readonly<Record<string, never>>;
}

/** Answers of a coordinator, by their names in the OpenAPI document; with the query that an analysis repeats. */
export interface AnswersMessage {
  readonly Problem: Problem;
  readonly Health: { readonly schema: 'suffice/health@1'; readonly status: 'ok' };
  readonly StudyCreated: StudyCreated;
  readonly InvitationSecret: InvitationSecret;
  readonly AdminSecret: AdminSecret;
  readonly StudyView: StudyView;
  readonly Studies: Many<'studies', StudyView>;
  readonly OfferAnswer: OfferAnswer;
  readonly Receipt: SealedReceipt;
  readonly Receipts: Many<'receipts', SealedReceipt>;
  readonly Upload: Upload;
  readonly MaskStage: MaskStage;
  readonly PartyMail: PartyMail;
  readonly Erasure: SealedErasure;
  readonly Resolution: SealedResolution;
  readonly Resolutions: Many<'resolutions', ResolutionLine>;
  readonly Inquiry: Query;
  readonly Analysis: SealedAnalysis;
  readonly AuditEntry: AuditEntry;
  readonly AuditLog: SealedAuditLog;
}

export interface Messages extends Requests, AnswersMessage {}

export type MessageName = keyof Messages;

/** A list of messages as a message. */
export type Many<Name extends string, Item> = {
  readonly schema: `suffice/${Name}@1`;
} & { readonly [Key in Name]: readonly Item[] };
