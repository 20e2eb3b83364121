import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import type { Caller } from '../src/coordinator/coordinator.ts';
import { createCoordinator, hasOperator, newToken } from '../src/coordinator/create-coordinator.ts';
import { anyStudy, createClock, operator, rows, runningStudy } from './coordinator-study.ts';
import { eachStore, type StorePlace } from './stores.ts';

/** Every byte a store has written down, as text where it is PostgreSQL. */
async function everythingIn({ kind, address }: StorePlace): Promise<string> {
  if (kind === 'sqlite') {
    return readdirSync(dirname(address))
      .filter((name) => name.startsWith(basename(address)))
      .map((name) => readFileSync(join(dirname(address), name), 'latin1'))
      .join('');
  }
  const client = new pg.Client(address);
  await client.connect();
  const tables = ['access', 'settings', 'studies', 'sites', 'audit', 'resolutions'];
  const texts: string[] = [];
  for (const table of tables) {
    const { rows } = await client.query(`select * from ${table}`);
    texts.push(JSON.stringify(rows));
  }
  await client.end();
  return texts.join('');
}

eachStore('a bearer secret', (open, place) => {
  it('is known again, is nowhere written down, and stops working when told to', async () => {
    const at = await place();
    const clock = createClock();
    const store = await at.open();
    expect(await hasOperator(store)).toBe(false);
    const operatorToken = newToken('operator');
    const coordinator = await createCoordinator({ store, now: clock.now, operatorToken });
    expect(await hasOperator(store)).toBe(true);
    expect(await coordinator.identify(operatorToken)).toEqual(operator);
    const created = await coordinator.create(operator, {
      study: anyStudy(),
      sites: ['a', 'b'],
      invitationsExpire: '2027-01-02T00:00:00Z',
    });
    const { id, adminToken, invitations } = created;
    const site = (name: string): Caller => ({ role: 'site', study: id, site: name });
    expect(await coordinator.identify(adminToken)).toEqual({ role: 'study', study: id });
    expect(await coordinator.identify(invitations[0].token)).toEqual(site('a'));
    expect(await coordinator.identify(newToken('site'))).toBeUndefined();
    expect(await coordinator.identify('')).toBeUndefined();

    const secrets = [operatorToken, adminToken, ...invitations.map(({ token }) => token)];
    const text = await everythingIn(at);
    expect(text).toContain(created.digest);
    expect(secrets.filter((secret) => text.includes(secret.slice(4)))).toEqual([]);

    const renewed = await coordinator.invite(operator, id, { site: 'a' });
    expect(await coordinator.identify(invitations[0].token)).toBeUndefined();
    expect(await coordinator.identify(renewed.token)).toEqual(site('a'));
    await coordinator.revoke(operator, id, 'a');
    expect(await coordinator.identify(renewed.token)).toBeUndefined();
    expect(await coordinator.identify(invitations[1].token)).toEqual(site('b'));
    clock.pass(24 * 3_600_000);
    expect(await coordinator.identify(invitations[1].token)).toBeUndefined();
    expect(await coordinator.identify(adminToken)).toEqual({ role: 'study', study: id });

    const next = newToken('operator');
    await createCoordinator({ store, operatorToken: next });
    expect(await coordinator.identify(operatorToken)).toBeUndefined();
    expect(await coordinator.identify(next)).toEqual(operator);
  });

  it('of one study or role opens nothing of another', async () => {
    const { coordinator, id, sites } = await runningStudy(await open(), ['a', 'b']);
    const site = sites[0].caller;
    const runner: Caller = { role: 'study', study: id };
    const stranger: Caller = { role: 'study', study: '0123456789abcdef' };
    const closed = (work: Promise<unknown>) =>
      expect(work).rejects.toMatchObject({ code: 'not-allowed' });
    await closed(coordinator.create(runner, { study: anyStudy(), sites: ['a'] }));
    await closed(coordinator.list(runner));
    for (const caller of [site, stranger]) {
      await closed(coordinator.open(caller, id));
      await closed(coordinator.close(caller, id));
      await closed(coordinator.reopen(caller, id));
      await closed(coordinator.extend(caller, id, { deadline: '2099-01-01T00:00:00Z' }));
      await closed(coordinator.invite(caller, id, { site: 'x' }));
      await closed(coordinator.revoke(caller, id, 'b'));
      await closed(coordinator.resolve(caller, id, { includeLate: true }));
      await closed(coordinator.withdraw(caller, id, { site: 'b' }));
    }
    await closed(coordinator.view(stranger, id));
    await closed(coordinator.resolutions(stranger, id));
    await closed(coordinator.resolution(stranger, id, 'latest'));
    await closed(coordinator.auditLog(stranger, id));
    await closed(coordinator.receipts(runner, id));
    await closed(coordinator.uploadLimits(runner, id));
    expect(() => coordinator.watch(stranger, id, 1, new AbortController().signal)).toThrow();
    const gone = { code: 'not-found' };
    await expect(coordinator.view(operator, '0123456789abcdef')).rejects.toMatchObject(gone);
    await expect(coordinator.close(operator, '0123456789abcdef')).rejects.toMatchObject(gone);
    await expect(coordinator.auditLog(operator, '0123456789abcdef')).rejects.toMatchObject(gone);
    await expect(coordinator.revoke(operator, id, 'x')).rejects.toMatchObject(gone);
    expect((await coordinator.view(runner, id)).state).toBe('open');
  });
});

eachStore('what a caller sees', (open) => {
  it('is names and states for a site, numbers too for whoever runs the study', async () => {
    const { coordinator, id, sites } = await runningStudy(await open(), ['b', 'a', 'c']);
    await sites[0].send(rows(0, 20));
    await sites[1].send(rows(20, 40));
    await coordinator.countTraffic(id, 'a', { up: 100, down: 7 });
    await coordinator.countTraffic(id, 'a', { up: 11, down: 0 });
    await coordinator.countTraffic(id, 'b', { up: 5, down: 5 });
    await coordinator.runDueWork();
    await coordinator.runDueWork();
    const all = await coordinator.view(operator, id);
    expect(all.sites).toEqual([
      {
        name: 'a',
        state: 'contributed',
        n: 20,
        dropped: 0,
        late: 0,
        traffic: { up: 111, down: 7 },
      },
      { name: 'b', state: 'contributed', n: 19, dropped: 1, late: 0, traffic: { up: 5, down: 5 } },
      { name: 'c', state: 'ready', late: 0, traffic: { up: 0, down: 0 } },
    ]);
    expect(all.you).toBeUndefined();
    const own = await coordinator.view(sites[0].caller, id);
    const hidden = { late: 0, traffic: { up: 0, down: 0 } };
    expect(own.sites).toEqual([
      { name: 'a', state: 'contributed', ...hidden },
      all.sites[1],
      { name: 'c', state: 'ready', ...hidden },
    ]);
    expect(own.you).toEqual({ site: 'b', nextSequence: 2 });
    expect(await coordinator.gauges()).toMatchObject({ studies_collecting: 1, contributions: 2 });
  });

  it('refuses names no site can have, times that have passed, and studies that mean nothing', async () => {
    const coordinator = await createCoordinator({ store: await open() });
    const study = anyStudy();
    const attempt = (request: object) =>
      coordinator.create(operator, { study, sites: ['a'], ...request });
    for (const name of ['', '..', 'a/b', 'a\\b', ' a', 'a\n', 'x'.repeat(65)]) {
      await expect(attempt({ sites: [name] })).rejects.toMatchObject({ code: 'bad-request' });
    }
    await expect(attempt({ sites: ['a', 'a'] })).rejects.toMatchObject({ code: 'bad-request' });
    await expect(attempt({ invitationsExpire: '2020-01-01T00:00:00Z' })).rejects.toMatchObject({
      code: 'bad-request',
    });
    await expect(attempt({ study: { ...study, formula: 'y ~ nothing' } })).rejects.toMatchObject({
      code: 'unprocessable',
    });
    const effects = {
      ...study,
      formula: 'y ~ x + .site',
      codebook: { ...study.codebook, '.site': { type: 'category', levels: ['a', 'b'] } },
    };
    await expect(attempt({ study: effects, sites: ['a', 'z'] })).rejects.toMatchObject({
      code: 'unprocessable',
    });
    expect((await coordinator.list(operator)).studies).toEqual([]);
    await attempt({ study: effects, sites: ['a', 'b'] });
  });

  it('stops waiting for a site that is revoked', async () => {
    const { coordinator, id, sites } = await runningStudy(await open(), ['a', 'b']);
    await sites[0].send(rows(0, 20));
    await coordinator.revoke(operator, id, 'b');
    await coordinator.runDueWork();
    const view = await coordinator.view(operator, id);
    expect(view.state).toBe('resolved');
    expect(view.sites[1].state).toBe('revoked');
    expect((await coordinator.resolution(operator, id, 1)).missing).toEqual([]);
  });
});
