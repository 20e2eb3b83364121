import { expect, it } from 'vitest';
import type { Caller } from '../src/coordinator/coordinator.ts';
import type { Store } from '../src/coordinator/store.ts';
import { createSigningKey, isSealed } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { digestBytes } from '../src/study/digest.ts';
import {
  fittingOffer,
  operator,
  type RunningStudy,
  rows,
  runningStudy,
  table,
  testSite,
} from './coordinator-study.ts';
import { contribution } from './linear.ts';
import { eachStore } from './stores.ts';
import { summaryOf } from './tables.ts';

/** All that a contribution could change: bodies held, log entries, sequence numbers. */
async function traces(store: Store): Promise<unknown> {
  return [
    await store.db.selectFrom('contributions').selectAll().execute(),
    await store.db.selectFrom('audit').select('digest').execute(),
    await store.db.selectFrom('sites').selectAll().orderBy('name').execute(),
    await store.db.selectFrom('studies').selectAll().execute(),
  ];
}

async function refused(store: Store, code: string, work: () => Promise<unknown>): Promise<void> {
  const before = await traces(store);
  await expect(work()).rejects.toMatchObject({ code });
  expect(await traces(store)).toEqual(before);
}

eachStore('a contribution', (open) => {
  it('is answered by a receipt that names it, and by the same bytes when it comes again', async () => {
    const { coordinator, id, agreed, sites } = await runningStudy(await open(), ['a', 'b']);
    const file = sites[0].file(rows(0, 20));
    const first = await coordinator.contribute(sites[0].caller, id, file);
    expect(first.created).toBe(true);
    expect(first.receipt).toMatchObject({
      study: agreed.digest,
      site: 'a',
      sequence: 1,
      mode: 'add',
      digest: digestBytes(file),
      bytes: file.length,
      late: false,
    });
    expect(isSealed(first.receipt)).toBe(true);
    expect(first.receipt.seal.key).toBe(coordinator.key);
    const log = await coordinator.auditLog(operator, id);
    const { position, digest } = first.receipt.audit;
    expect(log.entries[position - 1]).toMatchObject({ event: 'contributed', digest });
    const again = await coordinator.contribute(sites[0].caller, id, file);
    expect(again.created).toBe(false);
    expect(JSON.stringify(again.receipt)).toBe(JSON.stringify(first.receipt));
    expect((await coordinator.receipts(sites[0].caller, id)).receipts).toEqual([first.receipt]);
    expect((await coordinator.auditLog(operator, id)).entries.length).toBe(log.entries.length);
  });

  it('that comes fifty times at once is stored once', async () => {
    const store = await open();
    const { coordinator, id, sites } = await runningStudy(store, ['a', 'b']);
    const file = sites[0].file(rows(0, 20));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => coordinator.contribute(sites[0].caller, id, file)),
    );
    expect(answers.filter(({ created }) => created).length).toBe(1);
    expect(new Set(answers.map(({ receipt }) => JSON.stringify(receipt))).size).toBe(1);
    const held = await store.db.selectFrom('contributions').select('site').execute();
    expect(held.length).toBe(1);
  });

  it('that is the second and another one under the same number is refused, and nothing is stored', async () => {
    const store = await open();
    const { sites } = await runningStudy(store, ['a', 'b']);
    await sites[0].send(rows(0, 20));
    await refused(store, 'conflict', () => sites[0].send(rows(0, 21)));
    await refused(store, 'conflict', () =>
      sites[0].send(rows(0, 21), { sequence: 3, mode: 'add' }),
    );
  });

  it('is refused from another key, for another site or study, or unsigned', async () => {
    const store = await open();
    const running = await runningStudy(store, ['a', 'b']);
    const { coordinator, id, agreed, sites } = running;
    const stranger = testSite(coordinator, id, agreed, 'a', createSigningKey());
    await refused(store, 'not-allowed', () => stranger.send(rows(0, 9)));
    await refused(store, 'conflict', () => stranger.offer());
    await refused(store, 'not-allowed', () =>
      coordinator.contribute(sites[1].caller, id, sites[0].file(rows(0, 9))),
    );
    const other: Caller = { role: 'site', study: 'ffffffffffffffff', site: 'a' };
    await refused(store, 'not-allowed', () =>
      coordinator.contribute(other, id, sites[0].file(rows(0, 9))),
    );
    await refused(store, 'not-allowed', () =>
      coordinator.contribute(operator, id, sites[0].file(rows(0, 9))),
    );
    const plain = contribution(agreed, 'a', summaryOf(agreed, table, rows(0, 9)));
    const send = (file: Uint8Array) => coordinator.contribute(sites[0].caller, id, file);
    await refused(store, 'not-allowed', () => send(encodeContribution(plain)));
    const signed = signContribution(plain, sites[0].key);
    await refused(store, 'not-allowed', () => send(encodeContribution({ ...signed, dropped: 1 })));
    const elsewhere = signContribution({ ...plain, study: digestBytes() }, sites[0].key);
    await refused(store, 'unprocessable', () => send(encodeContribution(elsewhere)));
    await refused(store, 'unprocessable', () => send(sites[0].file(rows(0, 9)).subarray(0, 99)));
    await refused(store, 'too-large', () => send(new Uint8Array(1_000_000)));
  });
});

eachStore('a handshake', (open) => {
  const answerTo = async (
    { coordinator, id, agreed, sites }: RunningStudy,
    change: Partial<ReturnType<typeof fittingOffer>['columns'][number]>,
  ) => {
    const offer = fittingOffer(agreed, sites[0].key);
    const columns = offer.columns.map((column) =>
      column.name === 'x' ? { ...column, ...change } : column,
    );
    return coordinator.offer(sites[0].caller, id, { ...offer, columns });
  };

  it('names every column that does not fit, and pins the key all the same', async () => {
    const running = await runningStudy(await open(), ['a', 'b']);
    const { coordinator, id, agreed, sites } = running;
    const problems: [Parameters<typeof answerTo>[1], RegExp][] = [
      [{ found: 'absent' }, /no such column/],
      [{ name: 'X' }, /no such column/],
      [{ found: 'text' }, /has texts, but the study needs numbers/],
      [{ unknownTexts: 3 }, /some texts are neither numbers/],
      [{ range: 'outside', suspicion: 'a thousand times too large' }, /not all numbers are from/],
    ];
    for (const [change, problem] of problems) {
      const answer = await answerTo(running, change);
      expect(answer.accepted).toBe(false);
      expect(answer.mismatches).toEqual([
        { column: 'x', problem: expect.stringMatching(problem), remedy: expect.any(String) },
      ]);
    }
    const { entries } = await coordinator.auditLog(operator, id);
    expect(entries.at(-1)).toMatchObject({
      event: 'offer-declined',
      detail: { site: 'a', key: sites[0].key.key, columns: ['x'] },
    });
    const none = await coordinator.offer(sites[0].caller, id, {
      key: sites[0].key.key,
      columns: [],
    });
    expect(none.mismatches.map(({ column }) => column)).toEqual(
      agreed.columns.map(({ name }) => name),
    );
    const stranger = testSite(coordinator, id, agreed, 'a');
    await expect(stranger.send(rows(0, 9))).rejects.toMatchObject({ code: 'not-allowed' });
    expect((await sites[0].send(rows(0, 9))).sequence).toBe(1);
  });

  it('leaves one entry in the log however often it is repeated', async () => {
    const { coordinator, id, sites } = await runningStudy(await open(), ['a']);
    for (let k = 0; k < 3; k++) await sites[0].offer();
    const { entries } = await coordinator.auditLog(operator, id);
    expect(entries.filter(({ event }) => event === 'offer-accepted').length).toBe(1);
  });
});
