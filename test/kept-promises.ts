import { expect } from 'vitest';
import type { Store } from '../src/coordinator/store.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { studyClient } from '../src/protocol/client.ts';
import type { AuditEntry, SealedAuditLog, StudyCreated } from '../src/protocol/messages.ts';
import { isSignedContribution } from '../src/protocol/signed-contribution.ts';
import { studyId } from '../src/protocol/study-part.ts';
import { decodeContribution } from '../src/statistic/envelope.ts';
import { digestBytes } from '../src/study/digest.ts';
import { type BusySite, linkOf, undisturbedReport } from './busy-site.ts';
import type { Agreement } from './linear.ts';

/**
 * Everything a site was told is so, through the API and in the store, and nothing else is there:
 * what counts is whole, what was replaced or withdrawn is gone, the log says all of it, and the
 * one resolution is that of an undisturbed run.
 */
export async function expectPromisesKept(
  agreed: Agreement,
  created: StudyCreated,
  address: string,
  sites: readonly BusySite[],
  store: Store,
): Promise<void> {
  const admin = studyClient(linkOf(created, address));
  await expect.poll(async () => (await admin.view()).state).toBe('resolved');
  for (const { name, counting } of sites) {
    const { receipts } = studyClient(linkOf(created, address, name));
    expect(await receipts()).toEqual(counting.map(({ receipt }) => receipt));
  }
  await expectStored(agreed, sites, store);
  const log = await admin.auditLog();
  expect(verifyAuditLog(log, { studyDigest: agreed.digest })).toEqual({
    ok: true,
    entries: log.entries.length,
  });
  await expectLogged(agreed, log, sites, store);

  const [line, ...others] = await admin.resolutions();
  expect(others).toEqual([]);
  const resolution = await admin.resolution(line.number);
  expect(resolution.report).toEqual(undisturbedReport(agreed, sites));
  expect(resolution.contributions).toEqual(
    sites
      .map(({ name, counting }) => ({
        site: name,
        digests: counting.map(({ receipt }) => receipt.digest),
      }))
      .sort((a, b) => (a.site < b.site ? -1 : 1)),
  );
}

async function expectStored(
  { digest: study, layout }: Agreement,
  sites: readonly BusySite[],
  { db }: Store,
): Promise<void> {
  const rows = await db
    .selectFrom('contributions')
    .selectAll()
    .where('study', '=', studyId(study))
    .execute();
  const stored = new Map(rows.map((row) => [`${row.site} ${row.sequence}`, row]));
  expect(rows).toHaveLength(sites.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0));
  for (const { name, acknowledged, counting } of sites) {
    const counted = new Set(counting.map(({ receipt }) => receipt));
    for (const receipt of acknowledged) {
      const row = stored.get(`${name} ${receipt.sequence}`);
      expect(row).toMatchObject({
        received_at: receipt.receivedAt,
        audit_position: receipt.audit.position,
        late: 0,
      });
      const { body, digest, bytes } = row!;
      if (!counted.has(receipt)) {
        expect({ body, digest, bytes }).toEqual({ body: null, digest: null, bytes: null });
        continue;
      }
      expect({ digest, bytes }).toEqual({ digest: receipt.digest, bytes: receipt.bytes });
      const file = new Uint8Array(body!);
      expect(digestBytes(file)).toBe(receipt.digest);
      const decoded = decodeContribution(file, study, layout);
      expect('contribution' in decoded && isSignedContribution(decoded.contribution)).toBe(true);
    }
  }
}

/** The log names each acknowledged contribution and erasure, where its receipt says, and no other. */
async function expectLogged(
  { digest: study }: Agreement,
  { entries }: SealedAuditLog,
  sites: readonly BusySite[],
  { db }: Store,
): Promise<void> {
  const places = (event: AuditEntry['event']) =>
    entries
      .filter((entry) => entry.event === event)
      .map(({ position, digest }) => ({ position, digest }));
  const told = (documents: readonly { readonly audit: { readonly position: number } }[]) =>
    documents.map(({ audit }) => audit).sort((a, b) => a.position - b.position);
  expect(places('contributed')).toEqual(told(sites.flatMap((site) => site.acknowledged)));
  expect(places('withdrawn')).toEqual(told(sites.flatMap((site) => site.erasures)));
  expect(places('closed')).toHaveLength(1);
  expect(places('resolved')).toHaveLength(1);
  const audit = await db
    .selectFrom('audit')
    .select(['position', 'digest'])
    .where('study', '=', studyId(study))
    .orderBy('position')
    .execute();
  expect(audit).toEqual(entries.map(({ position, digest }) => ({ position, digest })));
}
