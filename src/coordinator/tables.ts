/** The tables of a coordinator, the same in SQLite and PostgreSQL. Times are ISO 8601 in UTC. */
export interface Tables {
  readonly settings: SettingsTable;
  readonly access: AccessTable;
  readonly studies: StudiesTable;
  readonly sites: SitesTable;
  readonly enrolments: EnrolmentsTable;
  readonly contributions: ContributionsTable;
  readonly uploads: UploadsTable;
  readonly blocks: BlocksTable;
  readonly resolutions: ResolutionsTable;
  readonly audit: AuditTable;
  readonly mask_messages: MaskMessagesTable;
  readonly party_messages: PartyMessagesTable;
  readonly openings: OpeningsTable;
  readonly helper_answers: HelperAnswersTable;
  readonly helper_seeds: HelperSeedsTable;
  readonly parents: ParentsTable;
  readonly forwards: ForwardsTable;
  readonly sent_sums: SentSumsTable;
}

/** Settings of the coordinator: its secrets (signatures, noise) and the version of these tables. */
export interface SettingsTable {
  name: string;
  value: string;
}

/** Hashes of bearer secrets. */
export interface AccessTable {
  hash: string;
  /** `operator` creates studies and may run all of them; `study` runs one; `site` contributes to one; `open` lets a device enrol in one. */
  role: 'operator' | 'study' | 'site' | 'open';
  /** The first round of the study. */
  study: string | null;
  site: string | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface StudiesTable {
  id: string;
  digest: string;
  /** The study as canonical JSON. */
  document: string;
  state: 'draft' | 'open' | 'collecting' | 'closed' | 'resolved';
  created_at: string;
  deadline: string | null;
  quorum: number;
  /** Why a closed study has no resolution. */
  problem: string | null;
  /** 1 if the study is closed and the coordinator still has to resolve it, otherwise 0. */
  due: number;
  /** Number of entries in its audit log, and the digest of the last one. */
  audit_length: number;
  audit_head: string;
  /** In a further round: the id of the first one. Bearer secrets belong to the first round and open all of them. */
  first: string | null;
  /** Counts from 1. */
  round: number;
  /** In a further round: the number of the resolution of the round before that it starts from. */
  from_resolution: number | null;
  /** When the contributions were erased because their time was over; the report and the log stay. */
  erased_at: string | null;
}

export interface SitesTable {
  study: string;
  name: string;
  state: 'invited' | 'ready' | 'contributed' | 'withdrawn' | 'revoked';
  key: string | null;
  next_sequence: number;
  bytes_up: number;
  bytes_down: number;
  /** 1 if it is a device that has enrolled by itself, otherwise 0. */
  device: number;
}

/** Studies in which devices can enrol by themselves, with one link for all. */
export interface EnrolmentsTable {
  /** The first round. */
  study: string;
  at_most: number | null;
  ends_at: string | null;
  /** When the analyst ended it. */
  ended_at: string | null;
  /** Devices so far. */
  enrolled: number;
}

/** Contributions; of an erased one only the sequence number stays. */
export interface ContributionsTable {
  study: string;
  site: string;
  sequence: number;
  mode: 'add' | 'replace';
  digest: string | null;
  rows: number | null;
  dropped: number | null;
  bytes: number | null;
  received_at: string;
  /** 1 if it came late and has not been accepted since, otherwise 0. */
  late: number;
  audit_position: number;
  /** Null also where the file is in blocks, as large ones are. */
  body: Uint8Array | null;
}

/** Large files that sites send, or have sent, in blocks. */
export interface UploadsTable {
  study: string;
  site: string;
  /** Digest of the file. */
  file: string;
  started_at: string;
  /** The number of the contribution that the file has become. */
  sequence: number | null;
}

/** The blocks of these files, in their order from 0. */
export interface BlocksTable {
  study: string;
  site: string;
  file: string;
  number: number;
  digest: string;
  bytes: number;
  body: Uint8Array;
}

export interface ResolutionsTable {
  study: string;
  number: number;
  digest: string;
  resolved_at: string;
  sites: number;
  /** The sealed resolution as JSON. */
  document: string;
}

export interface AuditTable {
  study: string;
  position: number;
  at: string;
  event: string;
  /** JSON. */
  detail: string;
  previous: string;
  digest: string;
}

/** The sites of a total that was refused as impossible. */
export interface OpeningsTable {
  study: string;
  site: string;
  /** Its contributions in that total as JSON: number and digest of each. */
  contributions: string;
  /** When the analyst asked the site to open them. */
  asked_at: string | null;
  /** The site's signed agreement as JSON. */
  agreement: string | null;
  finding: 'cleared' | 'wrong' | null;
  /** What is wrong with its numbers. */
  why: string | null;
}

/** At a helper: the sets of contributions whose masks it has added. The sums themselves are not stored. */
export interface HelperAnswersTable {
  study: string;
  /** Digest of the set. */
  contributions: string;
  /** The set as JSON: site, sequence and digest of the numbers of each contribution. */
  members: string;
  answered_at: string;
}

/** At a helper: hashes of the seeds that it has opened, so that none is used for two contributions. */
export interface HelperSeedsTable {
  hash: string;
  study: string;
  site: string;
  sequence: number;
}

/** Messages of sites that agree on masks. In rows without a site: what the coordinator fixed when the stage ended. */
export interface MaskMessagesTable {
  study: string;
  stage: string;
  site: string;
  digest: string;
  /** JSON. */
  body: string;
}

/** Studies of regions: where their sums go on to. */
export interface ParentsTable {
  study: string;
  /** The region's invitation to the parent's study; it has a secret. */
  link: string;
  /** The parent's study as JSON. */
  document: string;
  /** What the region keeps of its masks, where the sites of the parent agree on masks; it has secrets. */
  masks: string | null;
  /** Why nothing was sent at the last attempt. */
  problem: string | null;
  /** When the region left the parent's study; nothing is sent afterwards. */
  left_at: string | null;
}

/** What a region has sent to its parent, or is about to send. */
export interface ForwardsTable {
  study: string;
  /** Its number among the messages of the region in the parent's study. */
  sequence: number;
  kind: 'sum' | 'withdrawal';
  /** Digest of the set of contributions in the sum; empty for a withdrawal. */
  contributions: string;
  /** The set as JSON, as a resolution lists it, and the lines of its sites. */
  members: string;
  /** Digest of the file. */
  digest: string | null;
  made_at: string;
  /** The file, until the parent has acknowledged it or a contribution in it is erased. */
  body: Uint8Array | null;
  /** The parent's signed receipt as JSON; null until it is there. */
  receipt: string | null;
}

/** Every sum that a region has sent to its parent, or may have. The numbers of `forwards` are the parent's; nothing that it says removes a line here. */
export interface SentSumsTable {
  study: string;
  /** Digest of the set of contributions in the sum. */
  contributions: string;
  /** The set as JSON, as in `forwards`. */
  members: string;
}

/** Messages between parties with different columns, in parts. The sender of the helper's answer is empty, as is a receiver that is not one party. */
export interface PartyMessagesTable {
  study: string;
  step: string;
  sender: string;
  receiver: string;
  part: number;
  parts: number;
  digest: string;
  body: Uint8Array;
}
