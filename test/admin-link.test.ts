import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../src/node/server/serve.ts';
import type { AdminSecret, AuditEntry } from '../src/protocol/messages.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { jsonOf, openSession, study } from './http-study.ts';
import { eachStore } from './stores.ts';

eachStore('the analyst’s link', (open) => {
  it.each(['analyst', 'operator'] as const)(
    'is renewed by the %s: the old one is refused at once, its event streams end, others go on',
    async (who) => {
      const { ask, path, admin, operator, tokens } = await openSession(await open());
      const streams = await Promise.all(
        [admin, tokens.north].map((token) => ask('GET', `${path}/events`, { token })),
      );
      const [own, other] = streams.map(({ body }) =>
        body!.pipeThrough(new TextDecoderStream()).getReader(),
      );
      const token = who === 'analyst' ? admin : operator;
      const answer = await ask('POST', `${path}/admin-token`, { token, json: {} });
      expect(answer.status).toBe(201);
      const renewed = await jsonOf<AdminSecret>(answer);
      expect(renewed).toEqual({
        schema: 'suffice/admin-secret@1',
        token: expect.stringMatching(/^sfc_[\w-]{43}$/),
      });
      expect((await ask('GET', path, { token: admin })).status).toBe(401);
      expect((await ask('GET', path, { token: renewed.token })).status).toBe(200);
      expect((await ask('GET', path, { token: tokens.north })).status).toBe(200);
      let text = '';
      for (;;) {
        const { done, value } = await own.read(); // it ends without a heartbeat
        if (done) break;
        text += value;
      }
      expect(text).not.toContain('admin-renewed');
      text = '';
      while (!text.includes('admin-renewed')) text += (await other.read()).value;
      expect(text).not.toContain(renewed.token);
      await other.cancel();
    },
  );

  it('is revoked by its holder; then only the operator can make a new one', async () => {
    const { ask, path, admin, operator, tokens } = await openSession(await open());
    const at = `${path}/admin-token/revocation`;
    expect((await ask('POST', at, { token: tokens.north, json: {} })).status).toBe(403);
    expect((await ask('GET', path, { token: admin })).status).toBe(200);
    expect((await ask('POST', at, { token: admin, json: {} })).status).toBe(204);
    expect((await ask('POST', `${path}/admin-token`, { token: admin, json: {} })).status).toBe(401);
    expect((await ask('POST', at, { token: operator, json: {} })).status).toBe(204);
    const log = await jsonOf<{ entries: readonly AuditEntry[] }>(
      ask('GET', `${path}/audit-log`, { token: operator }),
    );
    expect(log.entries.filter(({ event }) => event === 'admin-revoked').length).toBe(1);
    const { token } = await jsonOf<AdminSecret>(
      ask('POST', `${path}/admin-token`, { token: operator, json: {} }),
    );
    expect((await ask('GET', path, { token })).status).toBe(200);
    expect(
      (await ask('POST', `${path}/admin-token`, { token: tokens.north, json: {} })).status,
    ).toBe(403);
  });
});

describe('suffice study renew-admin and revoke-admin', () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  let served: Served;
  let operator: string[] = [];
  beforeAll(async () => {
    served = await serve({
      data: at('data'),
      port: 0,
      log: 'text',
      writeLog: () => {},
    });
    operator = ['--coordinator', served.address, '--token-file', served.operatorTokenFile!];
    writeFileSync(at('study.json'), JSON.stringify(study));
    const links = ['--site', 'north', '--out', at('links')];
    const created = await suffice('study', 'create', at('study.json'), ...operator, ...links);
    expect(created.code).toBe(0);
  });
  afterAll(() => served.stop());

  it('replace the link in its file; a copy of the old one opens nothing', async () => {
    const link = at('links/admin.link');
    const old = readFileSync(link, 'utf8');
    writeFileSync(at('leaked.link'), old);
    const renewed = await suffice('study', 'renew-admin', link);
    expect(renewed).toMatchObject({ code: 0, stdout: expect.stringContaining('no longer works') });
    expect(readFileSync(link, 'utf8')).not.toBe(old);
    expect((await suffice('status', link)).code).toBe(0);
    expect((await suffice('status', at('leaked.link'))).code).not.toBe(0);
    const thief = await suffice('study', 'renew-admin', at('leaked.link'));
    expect(thief.code).not.toBe(0);
    expect(readFileSync(at('leaked.link'), 'utf8')).toBe(old);
    expect((await suffice('status', link)).code).toBe(0);
  });

  it('as the operator, by the id of the study; nothing is asked without a place for the link', async () => {
    const { id } = JSON.parse((await suffice('status', at('links/admin.link'), '--json')).stdout);
    const named = [...operator, '--study', id];
    const nowhere = await suffice('study', 'renew-admin', ...named);
    expect(nowhere.code).toBe(2);
    expect((await suffice('status', at('links/admin.link'))).code).toBe(0);
    const revoked = await suffice('study', 'revoke-admin', ...named);
    expect(revoked.code).toBe(0);
    expect((await suffice('status', at('links/admin.link'))).code).not.toBe(0);
    const out = at('second.link');
    const renewed = await suffice('study', 'renew-admin', ...named, '--out', out, '--json');
    expect(JSON.parse(renewed.stdout)).toMatchObject({
      schema: 'suffice/admin-link@1',
      id,
      file: out,
    });
    expect((await suffice('status', out)).code).toBe(0);
    const again = await suffice('study', 'renew-admin', ...named, '--out', out);
    expect(again.code).toBe(2);
    expect((await suffice('status', out)).code).toBe(0);
    const unknown = at('third.link');
    const wrong = await suffice(
      ...['study', 'renew-admin', ...operator, '--study', '0'.repeat(16), '--out', unknown],
    );
    expect(wrong.code).not.toBe(0);
    expect(existsSync(unknown)).toBe(false);
  });
});
