import type { Transaction } from 'kysely';
import { auditDigest } from '../protocol/audit-chain.ts';
import type { AuditEntry, AuditEvent, AuditPlace } from '../protocol/messages.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import { type Desk, unknownStudy } from './desk.ts';
import { isCollecting } from './steps.ts';
import type { StudiesTable, Tables } from './tables.ts';

/** What a write may change about a study. */
type Change = Partial<Pick<StudiesTable, 'state' | 'deadline' | 'problem' | 'due'>>;

/** A study inside one write: its changes and log entries gather here and are saved together. */
export class StudySession {
  readonly db: Transaction<Tables>;
  readonly desk: Desk;
  /** When the write began: the time of everything it records. */
  readonly at: string;
  readonly id: string;
  #row: Omit<StudiesTable, 'document'>;
  #change: Change = {};
  readonly #entries: AuditEntry[] = [];

  constructor(
    desk: Desk,
    db: Transaction<Tables>,
    row: Omit<StudiesTable, 'document'>,
    at: string,
  ) {
    this.desk = desk;
    this.db = db;
    this.at = at;
    this.id = row.id;
    this.#row = row;
  }

  /** The study as it will be after this write. */
  get study(): Omit<StudiesTable, 'document'> {
    return this.#row;
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

  /** Nothing that arrives from now on counts by itself; an answer is due. */
  close(reason: 'asked' | 'complete' | 'deadline'): void {
    this.change({ state: 'closed', due: 1, problem: null });
    this.record('closed', { reason });
  }

  /** Closes a study that waits for nobody any more. */
  async closeIfComplete(): Promise<void> {
    if (this.study.state !== 'collecting') return;
    const awaited = await this.db
      .selectFrom('sites')
      .select('name')
      .where('study', '=', this.id)
      .where('state', 'in', ['invited', 'ready'])
      .limit(1)
      .executeTakeFirst();
    if (awaited === undefined) this.close('complete');
  }

  async save(): Promise<void> {
    if (this.#entries.length > 0) {
      const rows = this.#entries.map(({ detail, ...entry }) => ({
        study: this.id,
        ...entry,
        detail: canonicalJson(detail),
      }));
      await this.db.insertInto('audit').values(rows).execute();
    } else if (Object.keys(this.#change).length === 0) {
      return;
    }
    const { audit_length, audit_head } = this.#row;
    await this.db
      .updateTable('studies')
      .set({ ...this.#change, audit_length, audit_head })
      .where('id', '=', this.id)
      .execute();
    await this.desk.store.announce(this.db, { study: this.id, position: audit_length });
  }
}

/**
 * One write to a study: whatever `work` changes and records is saved in one transaction. A
 * study whose deadline has passed is closed before `work` sees it.
 */
export function inStudy<T>(
  desk: Desk,
  id: string,
  work: (session: StudySession) => Promise<T>,
): Promise<T> {
  return desk.store.write(id, async (db) => {
    const row = await db
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
      ])
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw unknownStudy();
    const session = new StudySession(desk, db, row, desk.now().toISOString());
    if (isCollecting(row.state) && row.deadline !== null && row.deadline <= session.at) {
      session.close('deadline');
    }
    const result = await work(session);
    await session.save();
    return result;
  });
}
