import { describe, expect, it } from 'vitest';
import { createCheckingTime } from '../src/coordinator/checking-time.ts';
import type { Caller } from '../src/coordinator/coordinator.ts';
import type { Conclude, ConclusionWork } from '../src/coordinator/coordinator-context.ts';
import { createLongAnswers } from '../src/coordinator/http/long-answers.ts';
import { createOneByOne } from '../src/coordinator/one-by-one.ts';
import { concludeInOrder } from '../src/node/server/conclude-queue.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { createClock, fittingOffer, operator, rows, runningStudy } from './coordinator-study.ts';
import { eventually } from './eventually.ts';
import { fileOf, openSession, request } from './http-study.ts';
import { oneStore } from './stores.ts';

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

oneStore('one token', (open) => {
  it('has two uploads at a time; another site’s upload is answered meanwhile', async () => {
    const session = await openSession(await open());
    const { app, created } = session;
    const [first, second] = created.invitations;
    const at = `/studies/${created.id}/contributions`;
    const headers = { 'Content-Type': 'application/octet-stream' };
    const ends: (() => void)[] = [];
    let reading = () => {};
    const hanging = () =>
      app.fetch(
        request('POST', at, {
          token: first.token,
          headers,
          body: new ReadableStream<Uint8Array>(
            {
              pull(controller) {
                controller.enqueue(new Uint8Array(100));
                reading();
                return new Promise<void>((resolve) => {
                  ends.push(() => {
                    controller.close();
                    resolve();
                  });
                });
              },
            },
            { highWaterMark: 0 },
          ),
        }),
      );
    const held: Promise<Response>[] = [];
    for (let k = 0; k < 2; k++) {
      await new Promise<void>((resolve) => {
        reading = resolve;
        held.push(hanging());
      });
    }
    const third = await app.fetch(
      request('POST', at, {
        token: first.token,
        headers,
        body: fileOf(first.site, createSigningKey()),
      }),
    );
    expect(third.status).toBe(429);
    expect(Number(third.headers.get('Retry-After'))).toBeGreaterThan(0);
    const other = await app.fetch(
      request('POST', at, {
        token: second.token,
        headers,
        body: fileOf(second.site, createSigningKey()),
      }),
    );
    expect(other.status).toBe(201);
    for (const end of ends) end();
    for (const one of held) expect((await one).status).toBe(422);
    const again = await app.fetch(
      request('POST', at, {
        token: first.token,
        headers,
        body: fileOf(first.site, createSigningKey()),
      }),
    );
    expect(again.status).toBe(201);
  });

  it('has twenty event streams at a time, and the analyst of another study has theirs', async () => {
    const session = await openSession(await open());
    const { app, created } = session;
    const { token } = created.invitations[0];
    const streams: Response[] = [];
    for (let k = 0; k < 20; k++) {
      const one = await app.fetch(request('GET', `/studies/${created.id}/events`, { token }));
      expect(one.status).toBe(200);
      streams.push(one);
    }
    const more = await app.fetch(request('GET', `/studies/${created.id}/events`, { token }));
    expect([more.status, more.headers.get('Retry-After')]).toEqual([429, '5']);
    const analyst = { token: created.adminToken };
    const theirs = await app.fetch(request('GET', `/studies/${created.id}/events`, analyst));
    expect(theirs.status).toBe(200);
    for (const one of [...streams, theirs]) await one.body?.cancel();
    const freed = await app.fetch(request('GET', `/studies/${created.id}/events`, { token }));
    expect(freed.status).toBe(200);
    await freed.body?.cancel();
  });
});

oneStore('one site', (open) => {
  it('has a thousand contributions a day; the next one the day after', async () => {
    const store = await open();
    const clock = createClock();
    const { coordinator, id, sites } = await runningStudy(store, ['a', 'b'], { clock });
    await sites[0].send(rows(0, 20));
    // As if it had sent 999 more within the hour.
    const one = await store.db.selectFrom('contributions').selectAll().executeTakeFirstOrThrow();
    const more = Array.from({ length: 999 }, (_, k) => ({
      ...one,
      sequence: k + 2,
      digest: null,
      body: null,
    }));
    await store.write(id, async (db) => {
      for (let k = 0; k < more.length; k += 50) {
        await db
          .insertInto('contributions')
          .values(more.slice(k, k + 50))
          .execute();
      }
      await db.updateTable('sites').set({ next_sequence: 1001 }).where('name', '=', 'a').execute();
    });
    clock.pass(3_600_000);
    const { entries: before } = await coordinator.auditLog(operator, id);
    const next = { sequence: 1001, mode: 'add' } as const;
    await expect(sites[0].send(rows(20, 40), next)).rejects.toMatchObject({
      code: 'too-many-requests',
    });
    expect((await coordinator.auditLog(operator, id)).entries).toEqual(before);
    await sites[1].send(rows(0, 20));
    clock.pass(86_400_000);
    expect((await sites[0].send(rows(20, 40), next)).sequence).toBe(1001);
  });

  it('has its part of the time for checks, and its study a part; others are checked meanwhile', async () => {
    let time = 0;
    const shares = createCheckingTime(
      { site: { share: 0.1, atOnce: 1500 }, study: { share: 0.5, atOnce: 4500 } },
      () => time,
    );
    /** Every check takes a second. */
    const checking: typeof shares = {
      ...shares,
      spend(study, site) {
        time += 1000;
        shares.spend(study, site, 1000);
      },
    };
    const store = await open();
    const names = ['a', 'b', 'c', 'd'];
    const { coordinator, id, sites } = await runningStudy(store, names, { checking });
    const [a, b, c, d] = sites;
    const tooMany = { code: 'too-many-requests' };
    const first = await a.send(rows(0, 20));
    expect(await a.send(rows(0, 20))).toEqual(first);
    const { entries: before } = await coordinator.auditLog(operator, id);
    const next = { sequence: 2, mode: 'add' } as const;
    await expect(a.send(rows(20, 40), next)).rejects.toMatchObject(tooMany);
    await expect(coordinator.uploadLimits(a.caller, id)).rejects.toMatchObject(tooMany);
    expect((await coordinator.auditLog(operator, id)).entries).toEqual(before);
    await b.send(rows(0, 20));
    time += 10_000;
    expect((await a.send(rows(20, 40), next)).sequence).toBe(2);
    // A study’s sites together, whoever holds their links.
    for (let k = 0; k < 2; k++) for (const one of [b, c]) await one.send(rows(0, 20));
    for (let k = 0; k < 6; k++) checking.spend(id, `more ${k}`, 1000);
    await expect(d.send(rows(0, 20))).rejects.toMatchObject(tooMany);
    shares.admit('another study', 'd');
    time += 5000;
    expect((await d.send(rows(0, 20))).sequence).toBe(1);
  });

  it('has one entry in the log for a declined offer, however often it comes', async () => {
    const { coordinator, id, agreed, sites } = await runningStudy(await open(), ['a', 'b']);
    const [a] = sites;
    const offer = fittingOffer(agreed, a.key);
    const columns = offer.columns.map((column) => ({ ...column, found: 'absent' as const }));
    for (let k = 0; k < 5; k++) {
      const { accepted } = await coordinator.offer(a.caller, id, { ...offer, columns });
      expect(accepted).toBe(false);
    }
    const count = async (event: string) =>
      (await coordinator.auditLog(operator, id)).entries.filter((entry) => entry.event === event)
        .length;
    expect(await count('offer-declined')).toBe(1);
  });

  it('makes two hundred offers and withdrawals at once, and no more', async () => {
    const { ask, path, tokens } = await openSession(await open(), ['north', 'south'], {
      rateLimits: {
        anonymous: { perSecond: 1e6, burst: 1e6 },
        failures: { perSecond: 1e6, burst: 1e6 },
        token: { perSecond: 1e6, burst: 1e6 },
      },
    });
    const offer = (token: string) => ask('PUT', `${path}/offer`, { token, json: {} });
    for (let k = 0; k < 200; k++) expect((await offer(tokens.north)).status).toBe(400);
    const more = await offer(tokens.north);
    expect(more.status).toBe(429);
    expect(Number(more.headers.get('Retry-After'))).toBeGreaterThan(0);
    const withdrawal = { token: tokens.north, json: {} };
    expect((await ask('POST', `${path}/withdrawals`, withdrawal)).status).toBe(429);
    expect((await offer(tokens.south)).status).toBe(400);
  });
});

describe('the resolving thread', () => {
  const work = (name: string, query?: ConclusionWork['query']): ConclusionWork =>
    ({ study: { name }, ...(query === undefined ? {} : { query }) }) as unknown as ConclusionWork;
  const asked = { questions: [] };

  it('resolves before it analyses, one after the other', async () => {
    const done: string[] = [];
    let running = 0;
    const conclude: Conclude = async ({ study }) => {
      expect(++running).toBe(1);
      await turn();
      running--;
      done.push(study.name!);
      return { problem: study.name!, remedy: '' };
    };
    const queue = concludeInOrder({ conclude, giveUp() {} });
    const answers = await Promise.all([
      queue(work('analysis 1', asked)),
      queue(work('analysis 2', asked)),
      queue(work('analysis 3', asked)),
      queue(work('resolution 1')),
      queue(work('resolution 2')),
    ]);
    expect(done).toEqual([
      'analysis 1',
      'resolution 1',
      'resolution 2',
      'analysis 2',
      'analysis 3',
    ]);
    expect(answers.map((answer) => 'problem' in answer && answer.problem)).toEqual([
      'analysis 1',
      'analysis 2',
      'analysis 3',
      'resolution 1',
      'resolution 2',
    ]);
  });

  it('gives up what takes too long, and goes on with the next', async () => {
    let givenUp = 0;
    const conclude: Conclude = ({ study }) =>
      study.name === 'endless'
        ? new Promise(() => {})
        : Promise.resolve({ problem: 'done', remedy: '' });
    const queue = concludeInOrder(
      { conclude, giveUp: () => givenUp++ },
      { resolution: 1000, analysis: 20 },
    );
    const endless = queue(work('endless', asked));
    const next = queue(work('quick'));
    expect(await endless).toMatchObject({
      problem: expect.stringContaining('was not found within'),
    });
    expect(await next).toEqual({ problem: 'done', remedy: '' });
    expect(givenUp).toBe(1);
  });

  it('a failure of one is its own', async () => {
    const conclude: Conclude = async ({ study }) => {
      if (study.name === 'broken') throw new Error('broken');
      return { problem: 'done', remedy: '' };
    };
    const queue = concludeInOrder({ conclude, giveUp() {} });
    const broken = queue(work('broken'));
    await expect(broken).rejects.toThrow('broken');
    expect(await queue(work('next'))).toEqual({ problem: 'done', remedy: '' });
  });
});

describe('long answers', () => {
  it('come one by one to a caller, and few wait; others have theirs meanwhile', async () => {
    const answers = createLongAnswers();
    const site = (name: string): Caller => ({ role: 'site', study: 's', site: name });
    let running = 0;
    const ends: (() => void)[] = [];
    const slow = async () => {
      running++;
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
    };
    const asked = Array.from({ length: 9 }, () => answers.run('auditLog', site('a'), slow));
    const more = answers.run('receipts', site('a'), slow);
    await expect(more).rejects.toMatchObject({ code: 'too-many-requests' });
    const quick = async () => 'answer';
    expect(await answers.run('auditLog', site('b'), quick)).toBe('answer');
    expect(await answers.run('total', { role: 'study', study: 's' }, quick)).toBe('answer');
    expect(await answers.run('view', site('a'), quick)).toBe('answer');
    expect(await answers.run('auditLog', operator, quick)).toBe('answer');
    for (let k = 0; k < 9; k++) {
      await eventually(async () => expect(ends).toHaveLength(k + 1));
      expect(running).toBe(1);
      ends[k]();
    }
    await Promise.all(asked);
    expect(await answers.run('auditLog', site('a'), quick)).toBe('answer');
  });
});

describe('analyses of a study', () => {
  it('are made one by one; too many are refused, and those of other studies are not held up', async () => {
    const lines = createOneByOne(2);
    const ends: (() => void)[] = [];
    let running = 0;
    const work = async () => {
      running++;
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
      return 'answer';
    };
    const asked = [lines.run('a', work), lines.run('a', work), lines.run('a', work)];
    await turn();
    expect(running).toBe(1);
    await expect(lines.run('a', work)).rejects.toMatchObject({ code: 'too-many-requests' });
    const other = lines.run('b', async () => 'other');
    expect(await other).toBe('other');
    for (let k = 0; k < 3; k++) {
      ends[k]();
      await turn();
    }
    expect(await Promise.all(asked)).toEqual(['answer', 'answer', 'answer']);
    expect(await lines.run('a', async () => 'again')).toBe('again');
  });
});
