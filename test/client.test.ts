import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ClientOptions, postStudy, studyClient } from '../src/protocol/client.ts';
import type { Link } from '../src/protocol/link.ts';
import type { AuditEntry, Receipt, StudyView } from '../src/protocol/messages.ts';
import { NetworkFailure } from '../src/protocol/network-failure.ts';
import { Refusal } from '../src/protocol/refusal.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import { studyId } from '../src/protocol/study-part.ts';
import { digestBytes } from '../src/study/digest.ts';
import type { TableStudy } from '../src/study/study.ts';
import { agreement } from './linear.ts';
import { type Answerer, answerJson, cut, localServer } from './local-server.ts';

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x',
  codebook: { y: { type: 'number', range: [0, 10] }, x: { type: 'number', range: [0, 1] } },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};
const { digest, layout } = agreement(study);
const id = studyId(digest);
const coordinator = createSigningKey();
const token = `sfi_${'A'.repeat(43)}`;

const view: StudyView = {
  schema: 'suffice/study-view@1',
  id,
  digest,
  study,
  state: 'open',
  createdAt: '2030-01-01T00:00:00.000Z',
  quorum: 1,
  layout,
  limit: 100_000,
  sites: [],
  coordinatorKey: coordinator.key,
  you: { site: 'north', nextSequence: 1 },
};

const file = new Uint8Array(20_000).fill(7);
const receipt: Receipt = {
  schema: 'suffice/receipt@1',
  study: digest,
  site: 'north',
  sequence: 1,
  mode: 'add',
  digest: digestBytes(file),
  bytes: file.length,
  receivedAt: '2030-01-01T00:00:00.000Z',
  late: false,
  audit: { position: 3, digest },
};

const problem = (code: string) => ({
  schema: 'suffice/problem@1',
  code,
  problem: 'not so',
  remedy: 'do otherwise',
});

function linkTo(address: string): Link {
  return {
    coordinator: address,
    purpose: 'join',
    study: id,
    token,
    coordinatorKey: coordinator.key,
  };
}

async function reached(answer: Answerer, options: ClientOptions = {}) {
  const server = await localServer(answer);
  const waits: number[] = [];
  const onRetry = (_: string, wait: number) => {
    waits.push(wait);
  };
  const link = linkTo(server.address);
  return { ...server, waits, client: studyClient(link, { onRetry, ...options }) };
}

describe('a client tries again', () => {
  it.each<[string, Answerer]>([
    ['a cut connection', (_, response) => cut(response)],
    [
      'an answer that is cut',
      (_, response) => {
        response.writeHead(201, { 'content-length': 1000 });
        response.write('{');
        setTimeout(() => cut(response), 10);
      },
    ],
    ['a gateway without a coordinator', (_, response) => response.writeHead(502).end('<html>')],
    [
      'a coordinator without its store',
      (_, response) => answerJson(response, 503, problem('store-unavailable')),
    ],
    [
      'too many requests',
      (_, response) =>
        answerJson(response, 429, problem('too-many-requests'), { 'retry-after': '0' }),
    ],
  ])('after %s, with the same bytes', async (_, fail) => {
    const { client, received } = await reached((request, response, count) => {
      if (count < 3) fail(request, response, count);
      else answerJson(response, 201, sealDocument(receipt, coordinator));
    });
    await expect(client.contribute(file)).resolves.toMatchObject(receipt);
    expect(received).toHaveLength(3);
    for (const { body, headers } of received) {
      expect(headers['content-encoding']).toBe('gzip');
      expect(new Uint8Array(gunzipSync(body))).toEqual(file);
      expect(body.length).toBeLessThan(file.length);
    }
  });

  it('as late as the coordinator asks', async () => {
    const { client, waits } = await reached((_, response, count) =>
      count === 1
        ? answerJson(response, 429, problem('too-many-requests'), { 'retry-after': '1' })
        : answerJson(response, 200, view),
    );
    await client.view();
    expect(waits[0]).toBeGreaterThanOrEqual(1000);
  });

  it('for as long as it may, and then says what was wrong', async () => {
    const { client, received } = await reached((_, response) => cut(response), { retryFor: 600 });
    await expect(client.view()).rejects.toThrow(NetworkFailure);
    expect(received.length).toBeGreaterThan(1);
    const busy = await reached(
      (_, response) =>
        answerJson(response, 429, problem('too-many-requests'), { 'retry-after': '3600' }),
      { retryFor: 600 },
    );
    await expect(busy.client.view()).rejects.toMatchObject({ code: 'too-many-requests' });
    expect(busy.received).toHaveLength(1);
  });

  it('when nothing listens, and when nobody answers', async () => {
    const { address } = await localServer(() => {});
    const silent = studyClient(linkTo(address), { patience: 50, retryFor: 300 });
    await expect(silent.view()).rejects.toThrow('no answer in time');
    const nobody = studyClient(linkTo('http://127.0.0.1:9'), { retryFor: 300 });
    await expect(nobody.view()).rejects.toThrow(NetworkFailure);
  });

  it('never what could then happen twice', async () => {
    const { address, received } = await localServer((_, response) => cut(response));
    const operator = `sfo_${'A'.repeat(43)}`;
    await expect(postStudy(address, operator, { study, sites: ['north'] })).rejects.toThrow(
      NetworkFailure,
    );
    const client = studyClient(linkTo(address));
    await expect(client.invite('north')).rejects.toThrow(NetworkFailure);
    await expect(client.resolve({ includeLate: false })).rejects.toThrow(NetworkFailure);
    await expect(client.reopen()).rejects.toThrow(NetworkFailure);
    expect(received).toHaveLength(4);
  });

  it('and takes a change for done that the lost answer had made', async () => {
    const { client } = await reached(({ method }, response, count) => {
      if (count === 1) cut(response);
      else if (method === 'POST') answerJson(response, 409, problem('conflict'));
      else answerJson(response, 200, { ...view, state: 'resolved' });
    });
    await expect(client.close()).resolves.toMatchObject({ state: 'resolved' });
  });

  it('until it is told to stop', async () => {
    const stop = new AbortController();
    const { client, received } = await reached((_, response) => cut(response), {
      signal: stop.signal,
      onRetry: () => stop.abort(new Error('enough')),
    });
    await expect(client.view()).rejects.toThrow('enough');
    expect(received).toHaveLength(1);
  });
});

describe('a client is told', () => {
  it('what the coordinator refuses, once', async () => {
    const { client, received } = await reached((_, response) =>
      answerJson(response, 409, { ...problem('conflict'), problem: 'no\u001b[2J' }),
    );
    const failure = await client.contribute(file).catch((reason) => reason);
    expect(failure).toBeInstanceOf(Refusal);
    expect(failure).toMatchObject({ code: 'conflict', remedy: 'do otherwise', status: 409 });
    expect(failure.message).not.toContain('\u001b');
    expect(received).toHaveLength(1);
  });

  it('when the other side is no coordinator', async () => {
    for (const body of ['<html>', '[]', 'null', '{"schema":"other"}']) {
      const { client } = await reached((_, response) => response.writeHead(200).end(body));
      await expect(client.view()).rejects.toThrow(NetworkFailure);
    }
    const { client } = await reached((_, response) => response.writeHead(404).end('nothing here'));
    await expect(client.view()).rejects.toThrow('status 404');
  });
});

describe('a bearer secret', () => {
  it('goes in a header, never in an address', async () => {
    const { client, received } = await reached((_, response) => answerJson(response, 200, view));
    await client.view();
    expect(received[0].headers.authorization).toBe(`Bearer ${token}`);
    expect(received[0].path).toBe(`/studies/${id}`);
  });

  it('does not follow a redirect', async () => {
    const other = await localServer((_, response) => answerJson(response, 200, view));
    const { client, received } = await reached((_, response) =>
      response.writeHead(307, { location: `${other.address}/studies/${id}` }).end(),
    );
    await expect(client.view()).rejects.toThrow('not followed');
    await expect(client.contribute(file)).rejects.toThrow('not followed');
    expect(received).toHaveLength(2);
    expect(other.received).toEqual([]);
  });

  it('does not travel readable beyond this machine, unless that is asked for', async () => {
    let asked = 0;
    const fetch = async () => {
      asked++;
      return Response.json(view);
    };
    const link = linkTo('http://coordinator.example');
    expect(() => studyClient(link, { fetch })).toThrow('without TLS');
    expect(() => studyClient({ ...link, coordinator: 'http://127.0.0.1.example' })).toThrow();
    expect(asked).toBe(0);
    await studyClient(link, { fetch, plainHttp: 'anywhere' }).view();
    await studyClient({ ...link, coordinator: 'https://coordinator.example' }, { fetch }).view();
    expect(asked).toBe(2);
  });
});

describe('an answer that does not fit the link is not believed', () => {
  const other = createSigningKey();
  const wider = { ...study, formula: 'y ~ x + I(x^2)' };
  it.each<[string, Partial<StudyView>, string]>([
    ['another key', { coordinatorKey: other.key }, 'another key'],
    ['another study', { study: wider }, 'digest is not that of the study'],
    [
      'another study with its digest',
      { study: wider, digest: agreement(wider).digest, layout: agreement(wider).layout },
      'not the one the link names',
    ],
    ['another layout', { layout: { ...layout, grid: 66 } }, 'layout does not follow'],
    ['no study', { study: { ...study, codebook: 7 } as never }, 'not send a valid study'],
  ])('%s', async (_, change, words) => {
    const { client } = await reached((_, response) =>
      answerJson(response, 200, { ...view, ...change }),
    );
    const failure = await client.view().catch((reason) => reason);
    expect(failure).toBeInstanceOf(NetworkFailure);
    expect(failure.message).toContain(words);
  });

  const sealed = sealDocument(receipt, coordinator);
  it.each<[string, object, string]>([
    ['signed by another', sealDocument(receipt, other), 'signed with another key'],
    ['changed after signing', { ...sealed, late: true }, 'is not valid'],
    ['unsigned', receipt, 'signature is missing'],
    ['of another file', sealDocument({ ...receipt, digest }, coordinator), 'another contribution'],
    [
      'of another study',
      sealDocument({ ...receipt, study: digestBytes(file) }, coordinator),
      'another study',
    ],
  ])('a receipt %s', async (_, answer, words) => {
    const { client } = await reached((_, response) => answerJson(response, 201, answer));
    const failure = await client.contribute(file).catch((reason) => reason);
    expect(failure).toBeInstanceOf(NetworkFailure);
    expect(failure.message).toContain(words);
  });
});

describe('events', () => {
  const entry = (position: number): AuditEntry => ({
    position,
    at: '2030-01-01T00:00:00.000Z',
    event: 'invited',
    detail: { site: `näme ${position}` },
    previous: digest,
    digest,
  });
  const message = (position: number) =>
    `id: ${position}\nevent: invited\ndata: ${JSON.stringify(entry(position))}\n\n`;

  it('arrive in order and once each, however the stream is cut', async () => {
    const { client, received } = await reached(({ headers }, response) => {
      const after = Number(headers['last-event-id'] ?? 0);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': heartbeat\n\n');
      const text = Buffer.from(message(after) + message(after + 1) + message(after + 2));
      const half = text.length - 7;
      response.write(text.subarray(0, half));
      // The third message of each stream is cut in the middle.
      setTimeout(() => cut(response), 20);
    });
    const stop = new AbortController();
    const positions: number[] = [];
    for await (const { position, detail } of client.events(2, stop.signal)) {
      positions.push(position);
      expect(detail.site).toBe(`näme ${position}`);
      if (position === 5) stop.abort();
    }
    expect(positions).toEqual([2, 3, 4, 5]);
    expect(received.map(({ headers }) => headers['last-event-id'])).toEqual(['1', '2', '3', '4']);
  });

  it('end with a refusal where the coordinator refuses', async () => {
    const { client } = await reached((_, response) =>
      answerJson(response, 401, problem('no-token')),
    );
    const watched = client.events(1, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(watched.next()).rejects.toMatchObject({ code: 'no-token' });
  });

  it('with one left out are not believed', async () => {
    const { client } = await reached((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(message(1) + message(3));
    });
    const watched = client.events(1, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(watched.next()).resolves.toMatchObject({ value: { position: 1 } });
    await expect(watched.next()).rejects.toThrow('entries of the log are missing');
  });
});
