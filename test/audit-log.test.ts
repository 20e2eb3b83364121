import { expect, it } from 'vitest';
import type { Store } from '../src/coordinator/store.ts';
import type { AuditTable } from '../src/coordinator/tables.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import type { AuditEntry, SealedAuditLog } from '../src/protocol/messages.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import { operator, type RunningStudy, rows, runningStudy } from './coordinator-study.ts';
import { eachStore } from './stores.ts';

async function resolved(store: Store): Promise<RunningStudy> {
  const running = await runningStudy(store, ['a', 'b']);
  await running.sites[0].send(rows(0, 20));
  await running.sites[1].send(rows(20, 40));
  await running.coordinator.runDueWork();
  return running;
}

eachStore('an audit log', (open) => {
  // The coordinator signs what its table says, so an edited table is found by the chain alone.
  it('shows every edit of every row of its table', async () => {
    const store = await open();
    const { coordinator, id, agreed } = await resolved(store);
    const verdict = async () =>
      verifyAuditLog(await coordinator.auditLog(operator, id), {
        studyDigest: agreed.digest,
        coordinatorKey: coordinator.key,
      });
    const table = await store.db.selectFrom('audit').selectAll().orderBy('position').execute();
    expect(await verdict()).toEqual({ ok: true, entries: table.length });
    for (const row of table) {
      const other = table[row.position % table.length];
      const edits: Partial<AuditTable>[] = [
        { at: '2020-01-01T00:00:00.000Z' },
        { event: row.event === 'opened' ? 'closed' : 'opened' },
        { detail: '{"site":"z"}' },
        { previous: other.digest },
        { digest: other.digest },
      ];
      for (const edit of edits) {
        await rewrite(store, row, edit);
        expect(await verdict()).toMatchObject({ problem: expect.any(String) });
        await rewrite(store, row, row);
      }
    }
    expect(await verdict()).toEqual({ ok: true, entries: table.length });
    await store.write(id, async (db) => {
      await db.deleteFrom('audit').where('study', '=', id).where('position', '=', 3).execute();
    });
    expect(await verdict()).toEqual({ problem: 'entry 3 is missing', position: 3 });
  });

  it('that was cut, reordered, extended or signed by another is found out', async () => {
    const { coordinator, id, agreed } = await resolved(await open());
    const log = await coordinator.auditLog(operator, id);
    const known = { studyDigest: agreed.digest, coordinatorKey: coordinator.key };
    const problem = (changed: SealedAuditLog) => {
      const verdict = verifyAuditLog(changed, known);
      return 'problem' in verdict ? verdict.problem : undefined;
    };
    const { seal: _, ...plain } = log;
    const last = log.entries.at(-1) as AuditEntry;
    expect(problem(log)).toBeUndefined();
    expect(problem({ ...log, entries: log.entries.slice(0, -1) })).toMatch(/signature/);
    expect(problem({ ...log, entries: log.entries.slice(1) })).toMatch(/entry 1 is missing/);
    expect(problem({ ...log, entries: [...log.entries, last] })).toMatch(/missing/);
    expect(problem(sealDocument(plain, createSigningKey()))).toMatch(/another key/);
    expect(problem({ ...log, study: `sha256:${'0'.repeat(64)}` })).toMatch(/another study/);
    expect(verifyAuditLog(JSON.parse(JSON.stringify(log)), known)).toMatchObject({ ok: true });
  });
});

async function rewrite(
  store: Store,
  { study, position }: AuditTable,
  edit: Partial<AuditTable>,
): Promise<void> {
  await store.write(study, async (db) => {
    await db
      .updateTable('audit')
      .set(edit)
      .where('study', '=', study)
      .where('position', '=', position)
      .execute();
  });
}
