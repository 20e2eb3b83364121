import type { Kysely, SelectQueryBuilder, Transaction } from 'kysely';
import { auditDigest } from '../protocol/audit-chain.ts';
import type { AuditEvent } from '../protocol/audit-event.ts';
import type { AuditEntry, AuditPlace, StudyState } from '../protocol/messages.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import { type CoordinatorContext, unknownStudy } from './coordinator-context.ts';
import { enrolmentOf, isEnrolling } from './enrolments.ts';
import { SiteBook } from './site-book.ts';
import type { WriteGroup } from './store.ts';
import type { StudiesTable, Tables } from './tables.ts';
import { insertRows } from './write-rows.ts';

/** The columns of a study that a write may change. */
type Change = Partial<Pick<StudiesTable, 'state' | 'deadline' | 'problem' | 'due' | 'erased_at'>>;

/** A study inside one write: collects changes and log entries, and saves them together. */
export class StudySession {
  readonly db: Transaction<Tables>;
  readonly context: CoordinatorContext;
  /** When the write began; the time of all its log entries. */
  readonly at: string;
  readonly id: string;
  #row: Omit<StudiesTable, 'document'>;
  #change: Change = {};
  #entries: AuditEntry[] = [];
  #mayBeComplete = false;
  #before: (() => Promise<void>)[] = [];
  /** Its sites, where writes share a transaction. */
  readonly sites: SiteBook;

  constructor(
    context: CoordinatorContext,
    db: Transaction<Tables>,
    row: Omit<StudiesTable, 'document'>,
    at: string,
    expected: readonly string[] = [],
  ) {
    this.context = context;
    this.db = db;
    this.at = at;
    this.id = row.id;
    this.#row = row;
    const book = { study: row.id, first: row.first ?? row.id };
    this.sites = new SiteBook(db, context.store.kind, book, expected);
  }

  /** The study as it will be after this write. */
  get study(): Omit<StudiesTable, 'document'> {
    return this.#row;
  }

  /** The id of the first round: the study itself, or the one that it goes on from. */
  get first(): string {
    return this.#row.first ?? this.id;
  }

  change(change: Change): void {
    this.#change = { ...this.#change, ...change };
    this.#row = { ...this.#row, ...change };
  }

  /** Appends to the study's log. */
  record(event: AuditEvent, detail: AuditEntry['detail']): AuditPlace {
    const { digest: study, audit_length, audit_head } = this.#row;
    const position = audit_length + 1;
    const entry = { position, at: this.at, event, detail, previous: audit_head };
    const digest = auditDigest(study, entry);
    this.#entries.push({ ...entry, digest });
    this.#row = { ...this.#row, audit_length: position, audit_head: digest };
    return { position, digest };
  }

  /** Closes the study: later contributions are late, and a resolution is due. */
  close(reason: 'asked' | 'complete' | 'deadline' | 'restored'): void {
    this.change({ state: 'closed', due: 1, problem: null });
    this.record('closed', { reason });
  }

  /** Closes the study if no site is left to wait for. */
  async closeIfComplete(): Promise<void> {
    if (this.study.state !== 'collecting') return;
    const awaited = await this.db
      .selectFrom('sites')
      .select('name')
      .where('study', '=', this.id)
      .where('state', 'in', ['invited', 'ready'])
      .limit(1)
      .executeTakeFirst();
    if (awaited !== undefined) return;
    const enrolling = isEnrolling(await enrolmentOf(this.db, this.first), this.at);
    if (!enrolling) this.close('complete');
  }

  /** Runs once, before the next `save` writes. */
  beforeSave(work: () => Promise<void>): void {
    this.#before.push(work);
  }

  /** Lets `save` close the study if no site is left to wait for. */
  mayBeComplete(): void {
    this.#mayBeComplete = true;
  }

  /** Writes everything so far. */
  async save(): Promise<void> {
    const before = this.#before;
    this.#before = [];
    for (const work of before) await work();
    await this.sites.save();
    if (this.#mayBeComplete) await this.closeIfComplete();
    this.#mayBeComplete = false;
    const [entries, change] = [this.#entries, this.#change];
    if (entries.length === 0 && Object.keys(change).length === 0) return;
    this.#entries = [];
    this.#change = {};
    const rows = entries.map(({ detail, ...entry }) => ({
      study: this.id,
      ...entry,
      detail: canonicalJson(detail),
    }));
    await insertRows(this.db, this.context.store.kind, 'audit', rows);
    const { audit_length, audit_head } = this.#row;
    await this.db
      .updateTable('studies')
      .set({ ...change, audit_length, audit_head })
      .where('id', '=', this.id)
      .execute();
    await this.context.store.announce(this.db, { study: this.id, position: audit_length });
  }
}

/** Whether the study accepts contributions now; later ones are late. */
export function isCollecting(state: StudyState): boolean {
  return state === 'open' || state === 'collecting';
}

/**
 * One write to a study: all changes and log entries of `work` are saved in one transaction. A
 * study past its deadline is closed before `work` runs.
 */
export function inStudy<T>(
  context: CoordinatorContext,
  id: string,
  work: (session: StudySession) => Promise<T>,
): Promise<T> {
  return inRounds(context, id, 'this round', async ([session]) => work(session));
}

/**
 * One write to a study that is about one site. Writes that share a transaction also share the session: the study is read and
 * saved once for all of them, so `work` may change the study only through its session, and calls `save` before it queries
 * what another site may have changed.
 */
export async function inStudyTogether<T>(
  context: CoordinatorContext,
  id: string,
  site: string,
  work: (session: StudySession) => Promise<T>,
): Promise<T> {
  const first = await context.firstRound(id);
  const write = async (db: Transaction<Tables>, group?: WriteGroup): Promise<T> => {
    const known = group?.pending.get(first);
    if (known instanceof StudySession && known.id === id) return work(known);
    await known?.save();
    const row = await rowsOf(db).where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw unknownStudy();
    const subjects = group?.subjects.filter(({ study }) => study === id) ?? [];
    const names = subjects.map((subject) => subject.site);
    const session = new StudySession(context, db, row, await context.now(db), names);
    await closeIfPast(session);
    group?.pending.set(first, session);
    const result = await work(session);
    if (group === undefined) await session.save();
    return result;
  };
  return context.store.write(first, write, { study: id, site });
}

/**
 * One write to a study's later rounds too, or to all of its rounds, in their order. The write of any round waits for the
 * writes of all: secrets and keys belong to all rounds.
 */
export async function inRounds<T>(
  context: CoordinatorContext,
  id: string,
  which: 'this round' | 'from this round' | 'all rounds',
  work: (sessions: readonly StudySession[]) => Promise<T>,
): Promise<T> {
  const first = await context.firstRound(id);
  return context.store.write(first, async (db) => {
    const own = rowsOf(db).where('id', '=', id);
    const all = rowsOf(db).where((where) =>
      where.or([where('id', '=', first), where('first', '=', first)]),
    );
    const found = await (which === 'this round' ? own : all.orderBy('round')).execute();
    const asked = found.findIndex((row) => row.id === id);
    if (asked < 0) throw unknownStudy();
    const at = await context.now(db);
    const sessions = found
      .slice(which === 'from this round' ? asked : 0)
      .map((row) => new StudySession(context, db, row, at));
    for (const session of sessions) await closeIfPast(session);
    const result = await work(sessions);
    for (const session of sessions) await session.save();
    return result;
  });
}

/** Closes a study whose deadline has passed. */
async function closeIfPast(session: StudySession): Promise<void> {
  const { state, deadline } = session.study;
  if (!isCollecting(state) || deadline === null || deadline > session.at) return;
  const { masks } = (await session.context.agreed(session.id)).aggregation;
  // Stages of masks end one by one, as due work.
  if (masks === undefined) session.close('deadline');
}

/** The ids of all rounds of a study, by its first one; for a query. */
export function roundIds(
  db: Kysely<Tables>,
  first: string,
): SelectQueryBuilder<Tables, 'studies', { id: string }> {
  return db
    .selectFrom('studies')
    .select('id')
    .where((where) => where.or([where('id', '=', first), where('first', '=', first)]));
}

function rowsOf(db: Transaction<Tables>) {
  return db
    .selectFrom('studies')
    .select([
      'id',
      'digest',
      'state',
      'created_at',
      'deadline',
      'quorum',
      'problem',
      'due',
      'audit_length',
      'audit_head',
      'first',
      'round',
      'from_resolution',
      'erased_at',
    ]);
}
