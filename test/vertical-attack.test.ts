import { describe, expect, it } from 'vitest';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { createHelper } from '../src/helper/helper.ts';
import { createHelperApp } from '../src/helper/http/helper-app.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { PART_BYTES, type PartyPart } from '../src/protocol/party-messages.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import type { TableStudy } from '../src/study/study.ts';
import { toBase64 } from '../src/text/base64.ts';
import { temporaryFolder } from './cli.ts';
import { createClock, operator } from './coordinator-study.ts';
import { agreement } from './linear.ts';
import { heartStudy } from './vertical-heart.ts';

const DAY = 86_400_000;
const keys = { hospital: createSigningKey(), registry: createSigningKey() };

/** A study of two parties on a coordinator, beside a site that is no party; its helper counts how often it is asked. */
async function parties(name: string, linkage?: 'ecdh') {
  const folder = temporaryFolder();
  const clock = createClock();
  const store = await openSqliteStore(`${folder}/store.db`);
  const helper = await createHelper({ store: await openSqliteStore(`${folder}/helper.db`) });
  const app = createHelperApp(helper);
  let asked = 0;
  const network = {
    helper: 'up' as 'up' | 'down',
    /** Answers in place of the helper. */
    instead: undefined as undefined | (() => Promise<Response>),
  };
  const coordinator = await createCoordinator({
    ...{ store, now: clock.now, keepDays: 30 },
    helpers: {
      fetch: async (input, init) => {
        asked++;
        if (network.instead !== undefined) return network.instead();
        if (network.helper === 'down') throw new TypeError('fetch failed');
        return app.fetch(new Request(input, { ...init, duplex: 'half' } as RequestInit));
      },
    },
  });
  const { keys: boxes, signingKey } = helper.description;
  const study = {
    ...{ ...heartStudy, name },
    partition: {
      ...heartStudy.partition!,
      ...(linkage && { linkage }),
      roster: { hospital: keys.hospital.key, registry: keys.registry.key },
      helper: { url: 'https://helper.example', key: boxes.x25519, signingKey },
    },
  } as TableStudy;
  const sites = ['hospital', 'registry'];
  const { id } = await coordinator.create(operator, { study, sites });
  const caller = (site: string) => ({ role: 'site', study: id, site }) as const;
  const send = (from: string, part: Partial<PartyPart>) =>
    coordinator.sendParty(caller(from), id, {
      ...{ schema: 'suffice/party-part@1', step: 'keys', to: '', part: 0, parts: 1 },
      ...{ body: toBase64(new Uint8Array(10)), ...part },
    });
  const mail = async () =>
    (
      await store.db
        .selectFrom('party_messages')
        .select(['step', 'sender', 'receiver'])
        .where('study', '=', id)
        .orderBy('step')
        .execute()
    ).map(({ step, sender, receiver }) => `${step} ${sender}>${receiver}`);
  const timesAsked = () => asked;
  return { coordinator, clock, id, study, caller, send, mail, timesAsked, network };
}

describe('a party that attacks', () => {
  it('cannot fill the store: a message longer than an honest one is refused before its first part', async () => {
    const { send, mail, study } = await parties('long');
    const full = toBase64(new Uint8Array(PART_BYTES));
    const tooLarge = { code: 'too-large' };
    for (const step of ['keys', 'secret'] as const) {
      await expect(send('hospital', { step, parts: 2, body: full })).rejects.toMatchObject(
        tooLarge,
      );
    }
    const tokens = { step: 'tokens', body: full } as const;
    await expect(send('hospital', { ...tokens, parts: 128 })).rejects.toMatchObject(tooLarge);
    const columns = { step: 'columns', to: 'registry', body: full } as const;
    await expect(send('hospital', { ...columns, parts: 2 })).rejects.toMatchObject(tooLarge);
    expect(await mail()).toEqual([]);

    await send('registry', { ...tokens, parts: 100 });
    await expect(send('hospital', { ...tokens, parts: 28 })).rejects.toMatchObject(tooLarge);
    await send('hospital', { step: 'tokens' });
    const most = agreement(study).columns.length + 20;
    await expect(send('hospital', { ...columns, parts: most })).rejects.toMatchObject(tooLarge);
    await send('hospital', { ...columns, parts: 2 });
    expect(await mail()).toEqual([
      'columns hospital>registry',
      'tokens hospital>',
      'tokens registry>',
    ]);
  });

  it('is named when its tokens are none, and the helper is not asked', async () => {
    const { coordinator, id, caller, send, timesAsked } = await parties('garbage');
    await send('hospital', { step: 'tokens' });
    const text = JSON.stringify({ schema: 'suffice/party-tokens@1', party: 'hospital' });
    await send('registry', { step: 'tokens', body: toBase64(new TextEncoder().encode(text)) });
    await expect(
      coordinator.party(caller('registry'), id, 'links', 'registry', 0),
    ).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^what hospital has sent as its tokens cannot be read/),
    });
    expect(timesAsked()).toBe(0);
  });

  it.each([
    ['is silent', 'down', { code: 'not-yet', message: expect.stringMatching(/the helper/) }],
    ['refuses', 'up', { code: 'unprocessable' }],
  ] as const)(
    'does not keep a helper busy that %s: it is not asked again at once',
    async (_, state, refusal) => {
      const { coordinator, id, caller, send, timesAsked, network } = await parties(state, 'ecdh');
      network.helper = state;
      const count = (party: string) =>
        JSON.stringify({
          ...{ schema: 'suffice/party-count@1', study: `sha256:${'0'.repeat(64)}`, party },
          ...{
            keys: `sha256:${'0'.repeat(64)}`,
            box: 'A'.repeat(43),
            body: toBase64(new Uint8Array(10)),
          },
          seal: { key: 'A'.repeat(43), signature: 'A'.repeat(86) },
        });
      for (const party of ['hospital', 'registry']) {
        const body = toBase64(new TextEncoder().encode(count(party)));
        await send(party, { step: 'count', body });
      }
      const read = (party: string) => coordinator.party(caller(party), id, 'links', party, 0);
      for (let k = 0; k < 3; k++) await expect(read('registry')).rejects.toMatchObject(refusal);
      expect(timesAsked()).toBe(1);
    },
  );

  it('waits for nothing that cannot come: a study that has closed takes no message', async () => {
    const { coordinator, id, caller, send } = await parties('closed');
    await send('hospital', {});
    const read = (from: string) => coordinator.party(caller('registry'), id, 'keys', from, 0);
    expect((await read('registry')).parts).toBe(0);
    await coordinator.close(operator, id);
    expect((await read('hospital')).parts).toBe(1);
    await expect(read('registry')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/the study has closed/),
    });
  });

  it('sends points once, to the other party, and no more than an honest one; nothing else is stored', async () => {
    const { send, mail, coordinator, id, caller } = await parties('points', 'ecdh');
    const points = { step: 'points', to: 'registry' } as const;
    const full = toBase64(new Uint8Array(PART_BYTES));
    const refusals = [
      [{ ...points, parts: 18, body: full }, 'too-large'],
      [{ step: 'doubled', to: 'registry' }, 'too-large'],
      [{ step: 'count', parts: 2, body: full }, 'too-large'],
      [{ ...points, to: 'hospital' }, 'not-allowed'],
      [{ ...points, to: '' }, 'not-allowed'],
      [{ step: 'tokens' }, 'not-allowed'],
      [{ step: 'secret' }, 'not-allowed'],
      [{ step: 'links' }, 'not-allowed'],
    ] as const;
    for (const [part, code] of refusals) {
      await expect(send('hospital', part)).rejects.toMatchObject({ code });
    }
    expect(await mail()).toEqual([]);
    await send('hospital', points);
    const other = toBase64(new Uint8Array(11));
    await expect(send('hospital', { ...points, body: other })).rejects.toMatchObject({
      code: 'conflict',
    });
    await send('hospital', points); // the same again is the same message
    // The sender cannot read what it sent to another, and answers are as long as the points.
    const read = (reader: string) => coordinator.party(caller(reader), id, 'points', 'hospital', 0);
    expect([(await read('hospital')).parts, (await read('registry')).parts]).toEqual([0, 1]);
    const doubled = { step: 'doubled', to: 'hospital' } as const;
    await expect(send('registry', { ...doubled, parts: 3, body: full })).rejects.toMatchObject({
      code: 'too-large',
    });
    await send('registry', doubled);
    expect(await mail()).toEqual(['doubled registry>hospital', 'points hospital>registry']);
    const { send: byTokens, mail: kept } = await parties('tokens');
    await expect(byTokens('hospital', points)).rejects.toMatchObject({ code: 'not-allowed' });
    expect(await kept()).toEqual([]);
  });

  it('is no other site: one that is no party reads and sends nothing', async () => {
    const { coordinator, id, caller, send, mail } = await parties('stranger');
    await send('hospital', {});
    const denied = { code: 'not-allowed' };
    await expect(
      coordinator.party(caller('clinic'), id, 'keys', 'hospital', 0),
    ).rejects.toMatchObject(denied);
    await expect(send('clinic', {})).rejects.toMatchObject(denied);
    expect(await mail()).toEqual(['keys hospital>']);
  });
});

describe('the messages of parties', () => {
  it('are erased with a party that withdraws: what it sent, and what was sent to it', async () => {
    const { coordinator, id, send, mail } = await parties('leaves');
    for (const [from, to] of [
      ['hospital', 'registry'],
      ['registry', 'hospital'],
    ]) {
      for (const step of ['keys', 'tokens'] as const) await send(from, { step });
      await send(from, { step: 'columns', to });
    }
    await coordinator.withdraw(operator, id, { site: 'hospital' });
    expect(await mail()).toEqual(['keys registry>', 'tokens registry>']);
  });

  it('are erased with a party that withdraws while the helper works: its answer is not stored', async () => {
    const { coordinator, id, study, caller, send, mail, network } = await parties('works', 'ecdh');
    const { digest } = agreement(study);
    const seal = { key: 'A'.repeat(43), signature: 'A'.repeat(86) };
    for (const party of ['hospital', 'registry']) {
      const count = {
        ...{ schema: 'suffice/party-count@1', study: digest, party, keys: digest },
        ...{ box: 'A'.repeat(43), body: toBase64(new Uint8Array(10)), seal },
      };
      const body = toBase64(new TextEncoder().encode(JSON.stringify(count)));
      await send(party, { step: 'count', body });
    }
    network.instead = async () => {
      await coordinator.withdraw(operator, id, { site: 'hospital' });
      const answers = { hospital: 'AAAA', registry: 'AAAA' };
      return Response.json({
        ...{ schema: 'suffice/link-answer@1', study: digest, set: digest, answers, seal },
      });
    };
    const answer = await coordinator.party(caller('registry'), id, 'links', 'registry', 0);
    expect(answer.parts).toBe(0);
    expect(await mail()).toEqual(['count registry>']);
  });

  it('are erased when the time to keep contributions is over', async () => {
    const { coordinator, clock, id, send, mail } = await parties('kept');
    await send('hospital', {});
    await coordinator.close(operator, id);
    await coordinator.runDueWork();
    expect(await mail()).toEqual(['keys hospital>']);
    clock.pass(31 * DAY);
    await coordinator.runDueWork();
    expect(await mail()).toEqual([]);
  });
});
