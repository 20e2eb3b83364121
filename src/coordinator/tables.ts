/** The tables of a coordinator, the same in SQLite and PostgreSQL. Times are ISO 8601 in UTC. */
export interface Tables {
  readonly settings: SettingsTable;
  readonly access: AccessTable;
  readonly studies: StudiesTable;
  readonly sites: SitesTable;
  readonly contributions: ContributionsTable;
  readonly uploads: UploadsTable;
  readonly blocks: BlocksTable;
  readonly resolutions: ResolutionsTable;
  readonly audit: AuditTable;
  readonly mask_messages: MaskMessagesTable;
  readonly openings: OpeningsTable;
  readonly helper_answers: HelperAnswersTable;
  readonly helper_seeds: HelperSeedsTable;
}

/** Settings of the coordinator: its secrets (signatures, noise) and the version of these tables. */
export interface SettingsTable {
  name: string;
  value: string;
}

/** Hashes of bearer secrets. */
export interface AccessTable {
  hash: string;
  /** `operator` creates studies and may run all of them; `study` runs one; `site` contributes to one. */
  role: 'operator' | 'study' | 'site';
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
}

export interface SitesTable {
  study: string;
  name: string;
  state: 'invited' | 'ready' | 'contributed' | 'withdrawn' | 'revoked';
  key: string | null;
  next_sequence: number;
  bytes_up: number;
  bytes_down: number;
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
