import { createGzip, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGate, TooMany } from '../src/coordinator/http/authenticate.ts';
import { createFairShares } from '../src/coordinator/http/fair-shares.ts';
import { addressKey, createRateLimiter } from '../src/coordinator/http/rate-limit.ts';
import { readBody } from '../src/coordinator/http/request-body.ts';
import { createUploadBudget, type UploadShare } from '../src/coordinator/http/upload-budget.ts';
import { siteNameSchema } from '../src/protocol/message-schemas.ts';
import { cases } from './endurance.ts';
import { request } from './http-study.ts';

const never = { signal: new AbortController().signal };
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('a rate limiter', () => {
  it('lets a burst through, then one each 1/rate, and says how long to wait', () => {
    let now = 0;
    const limiter = createRateLimiter({ perSecond: 2, burst: 3 }, () => now);
    expect([1, 2, 3].map(() => limiter.take('a'))).toEqual([0, 0, 0]);
    expect(limiter.take('a')).toBe(1);
    expect(limiter.take('b')).toBe(0);
    now = 0.5;
    expect([limiter.take('a'), limiter.take('a')]).toEqual([0, 1]);
    now = 100;
    expect([1, 2, 3, 4].map(() => limiter.take('a'))).toEqual([0, 0, 0, 1]);
  });

  it('never gives more than burst + rate × time', () => {
    const gaps = fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { maxLength: 100 });
    fc.assert(
      fc.property(gaps, (waits) => {
        let now = 0;
        const limiter = createRateLimiter({ perSecond: 1, burst: 5 }, () => now);
        let given = 0;
        for (const wait of waits) {
          now += wait;
          if (limiter.take('a') === 0) given++;
        }
        expect(given).toBeLessThanOrEqual(5 + now + 1e-9);
      }),
    );
  });

  it('remembers only so many keys', () => {
    const limiter = createRateLimiter({ perSecond: 0.001, burst: 1 }, () => 0, 100);
    for (let k = 0; k < 1000; k++) limiter.take(String(k));
    expect(
      Array.from({ length: 1000 }, (_, k) => limiter.knows(String(k))).filter(Boolean),
    ).toEqual(Array(100).fill(true));
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
    // Some proxies write the port, which is another one for every connection.
    ['10.1.2.3:50123', '10.1.2.3'],
    ['[2001:db8::6]:50123', '2001:db8:0:0'],
    ['[2001:db8::6]', '2001:db8:0:0'],
    ['2001:DB8:0001:0002::6', '2001:db8:1:2'],
  ])('takes %s for %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});

describe('the gate', () => {
  const good = `sfo_${'g'.repeat(43)}`;
  const fresh = `sfo_${'f'.repeat(43)}`;
  const limits = {
    anonymous: { perSecond: 1, burst: 2 },
    failures: { perSecond: 0.1, burst: 3 },
    token: { perSecond: 0.1, burst: 4 },
  };
  const outcome = (admitted: Promise<unknown>) =>
    admitted.then(
      () => 'in',
      (failure) => (failure instanceof TooMany ? failure.seconds : failure.code),
    );

  it('punishes an address that has failed often, but lets a valid token in that comes from it for the first time', async () => {
    let asked = 0;
    const gate = createGate(
      {
        async identify(token) {
          asked++;
          return token === good || token === fresh ? { role: 'operator' } : undefined;
        },
      },
      limits,
    );
    const admit = (token: string | undefined, address: string) =>
      outcome(gate.admit(request('GET', '/', token === undefined ? {} : { token }), address));
    expect(await admit(good, '10.0.0.1')).toBe('in');
    for (const token of [undefined, 'nonsense', `sfo_${'b'.repeat(43)}`]) {
      expect(await admit(token, '10.0.0.1')).toBe('no-token');
    }
    expect(asked).toBe(2);
    expect(await admit(`sfo_${'c'.repeat(43)}`, '10.0.0.1')).toBe(10);
    expect(await admit(fresh, '10.0.0.1')).toBe('in'); // never seen before
    expect(await admit(good, '10.0.0.1')).toBe('in');
    expect(await admit(`sfo_${'c'.repeat(43)}`, '10.0.0.2')).toBe('no-token');
    expect([await admit(good, '10.0.0.2'), await admit(good, '10.0.0.3')]).toEqual(['in', 'in']);
    expect(await admit(good, '10.0.0.4')).toBe(10);
  });

  it('stops asking the store in a flood of unknown tokens from one address', async () => {
    let asked = 0;
    const identify = async () => {
      asked++;
      return undefined;
    };
    const gate = createGate({ identify }, limits);
    for (let k = 0; k < 400; k++) {
      const token = `sfo_${String(k).padStart(43, 'x')}`;
      expect(await outcome(gate.admit(request('GET', '/', { token }), '10.0.0.1'))).not.toBe('in');
    }
    expect(asked).toBeGreaterThanOrEqual(200);
    expect(asked).toBeLessThan(400);
  });

  it('bounds what needs no token', () => {
    const gate = createGate({ identify: async () => undefined }, limits);
    gate.admitAnyone('::1');
    gate.admitAnyone('::1');
    expect(() => gate.admitAnyone('::1')).toThrow(TooMany);
    gate.admitAnyone('127.0.0.1');
  });
});

describe('the budget of uploads', () => {
  it('is never exceeded but by the upload that began first, and all of them end', async () => {
    const sizes = fc.array(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(sizes, async (uploads) => {
        const budget = createUploadBudget(100);
        const largest = Math.max(0, ...uploads.map((chunks) => chunks.reduce((a, b) => a + b, 0)));
        await Promise.all(
          uploads.map((chunks, k) =>
            budget.use(never, `study ${k % 3}`, async ({ grow }) => {
              for (const bytes of chunks) {
                await grow(bytes);
                expect(budget.held).toBeLessThanOrEqual(100 + largest);
                await Promise.resolve();
              }
            }),
          ),
        );
        expect(budget.held).toBe(0);
      }),
      { numRuns: cases(200) },
    );
  });

  it('is given back by an upload that fails or goes away while it waits', async () => {
    const budget = createUploadBudget(100);
    let release = () => {};
    const first = budget.use(never, 'study', async ({ grow }: UploadShare) => {
      await grow(100);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    const gone = new AbortController();
    const second = budget.use(gone, 'study', ({ grow }) => grow(50));
    const third = budget.use(never, 'study', async ({ grow }) => {
      await grow(50);
      return budget.held;
    });
    await turn();
    gone.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    expect(budget.held).toBe(100);
    release();
    await first;
    expect(await third).toBe(50);
    await expect(
      budget.use(never, 'study', async ({ grow }) => {
        await grow(70);
        throw new Error('broken');
      }),
    ).rejects.toThrow('broken');
    expect(budget.held).toBe(0);
  });
});

describe('the part of one study', () => {
  it('is half of the budget: others send while it waits, and its oldest upload goes on', async () => {
    const budget = createUploadBudget(100);
    const grown: string[] = [];
    const held: (() => void)[] = [];
    const upload = (owner: string, name: string, bytes: number) =>
      budget.use(never, owner, async ({ grow }) => {
        await grow(bytes);
        grown.push(name);
        await new Promise<void>((resolve) => held.push(resolve));
      });
    const running = [
      upload('greedy', 'first', 30),
      upload('greedy', 'second', 20),
      upload('greedy', 'third', 10),
      upload('other', 'honest', 40),
    ];
    await turn();
    expect(grown).toEqual(['first', 'second', 'honest']);
    held[0]();
    await turn();
    expect(grown).toEqual(['first', 'second', 'honest', 'third']);
    for (const end of held) end();
    await Promise.all(running);
    expect(budget.held).toBe(0);
  });
});

describe('an upload larger than the budget', () => {
  it('goes on, and leaves other studies their half while it is held open', async () => {
    const budget = createUploadBudget(100);
    let release = () => {};
    const large = budget.use(never, 'wide', async ({ grow }) => {
      for (let k = 0; k < 15; k++) await grow(10);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await turn();
    expect(budget.held).toBe(150);
    const done: string[] = [];
    const send = async (owner: string, bytes: number) => {
      await budget.use(never, owner, ({ grow }) => grow(bytes));
      done.push(`${owner} ${bytes}`);
    };
    const waiting = [send('wide', 10), send('honest', 51), send('honest', 50)];
    await turn();
    waiting.push(send('another', 50));
    await turn();
    expect(done).toEqual(['honest 50', 'another 50']);
    release();
    await Promise.all([large, ...waiting]);
    expect([done.length, budget.held]).toEqual([4, 0]);
  });
});

describe('fair shares', () => {
  const site = (name: string, study = 's') => ({ role: 'site', study, site: name }) as const;

  it('give each token and each study its part, and the rest to others', () => {
    const shares = createFairShares({ token: 2, study: 3, all: 5 });
    const back = shares.take(site('a'));
    shares.take(site('a'));
    expect(() => shares.take(site('a'))).toThrow(TooMany);
    shares.take(site('b'));
    expect(() => shares.take(site('c'))).toThrow(TooMany); // the study has its part
    expect(() => shares.take({ role: 'study', study: 's' })).toThrow(TooMany);
    shares.take(site('a', 'another'));
    shares.take({ role: 'operator' });
    expect(() => shares.take({ role: 'operator' })).toThrow(TooMany); // all are taken
    back();
    back();
    expect(shares.taken).toBe(4);
    shares.take(site('a'));
    expect(() => shares.take(site('a', 'another'))).toThrow(TooMany);
  });
});

/** A body that tells how much of it was taken. */
function source(chunk: Uint8Array, count: number) {
  const taken = { bytes: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (taken.bytes >= chunk.length * count) return controller.close();
        taken.bytes += chunk.length;
        controller.enqueue(chunk);
      },
      cancel() {
        taken.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, taken };
}

describe('a body', () => {
  const limits = { limit: 10_000, patienceMs: 5000 };
  const gzip = { 'Content-Encoding': 'gzip' };

  it('arrives whole, plain or gzip, in pieces of any size', async () => {
    const sizes = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (pieces, zipped) => {
        const whole = Buffer.concat(pieces);
        const sent = zipped ? [gzipSync(whole)] : pieces;
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            for (const piece of sent) controller.enqueue(piece);
            controller.close();
          },
        });
        const asked = request('POST', '/', { body, headers: zipped ? gzip : {} });
        expect(Buffer.from(await readBody(asked, limits))).toEqual(whole);
      }),
      { numRuns: cases(200) },
    );
  });

  it('is refused by its Content-Length before a byte is read', async () => {
    const { body, taken } = source(new Uint8Array(1000), 11);
    const asked = request('POST', '/', { body, headers: { 'Content-Length': '10001' } });
    await expect(readBody(asked, limits)).rejects.toMatchObject({ code: 'too-large' });
    expect(taken.bytes).toBe(0);
  });

  it('is given up at the first byte too many', async () => {
    const { body, taken } = source(new Uint8Array(1000), 1e6);
    const asked = request('POST', '/', { body });
    await expect(readBody(asked, limits)).rejects.toMatchObject({ code: 'too-large' });
    expect(taken.bytes).toBeLessThanOrEqual(12_000);
    expect(taken.cancelled).toBe(true);
  });

  it('is given up when it unfolds to too much: no bomb goes off', async () => {
    const zip = createGzip();
    const parts: Buffer[] = [];
    zip.on('data', (part) => parts.push(part));
    for (let k = 0; k < 100; k++) zip.write(Buffer.alloc(2 ** 20));
    await new Promise<void>((resolve) => zip.end(resolve));
    const bomb = Buffer.concat(parts);
    expect(bomb.length).toBeLessThan(110_000);
    const before = process.memoryUsage().rss;
    for (const limit of [10_000, 200_000, 1e6]) {
      const asked = request('POST', '/', { body: bomb, headers: gzip });
      const reading = readBody(asked, { limit, patienceMs: 5000 });
      await expect(reading).rejects.toMatchObject({ code: 'too-large' });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(60e6);
  });

  it('is given up when it is all frames and no content', async () => {
    const { body, taken } = source(gzipSync(new Uint8Array(0)), 1e6);
    const asked = request('POST', '/', { body, headers: gzip });
    await expect(readBody(asked, limits)).rejects.toMatchObject({ code: 'too-large' });
    expect(taken.bytes).toBeLessThan(20_000);
  });

  it.each([
    ['plain', {}, 1],
    ['gzip, which unfolds to much more', gzip, 1],
  ])('is refused when it trickles: %s', async (_, headers, bytes) => {
    let now = 0;
    const zipped = gzipSync(Buffer.alloc(9000));
    let at = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await turn();
          now += 900; // never silent for a second
          controller.enqueue(zipped.subarray(at, at + bytes));
          at += bytes;
        },
      },
      { highWaterMark: 0 },
    );
    const asked = request('POST', '/', { body, headers });
    const reading = readBody(asked, { limit: 10_000, patienceMs: 1000, now: () => now });
    await expect(reading).rejects.toMatchObject({ code: 'bad-request' });
    expect(at).toBeLessThan(20);
  });

  it('is taken when it comes slowly but steadily, however long it waits for its turn', async () => {
    let now = 0;
    let at = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          now += 900;
          if (++at > 9) return controller.close();
          controller.enqueue(new Uint8Array(1000));
        },
      },
      { highWaterMark: 0 },
    );
    const share = {
      async grow() {
        now += 500_000; // the coordinator is busy: not the client's fault
      },
    };
    const file = await readBody(request('POST', '/', { body }), {
      limit: 10_000,
      patienceMs: 1000,
      share,
      now: () => now,
    });
    expect(file.length).toBe(9000);
  });

  it('is refused when it breaks off, is silent, or is encoded otherwise', async () => {
    const cut = gzipSync(Buffer.alloc(1000, 'abc')).subarray(0, 15);
    const broken = request('POST', '/', { body: cut, headers: gzip });
    await expect(readBody(broken, limits)).rejects.toMatchObject({ code: 'bad-request' });
    const silent = request('POST', '/', { body: new ReadableStream({}) });
    const impatient = readBody(silent, { limit: 10, patienceMs: 20 });
    await expect(impatient).rejects.toMatchObject({ code: 'bad-request' });
    const other = request('POST', '/', { body: 'x', headers: { 'Content-Encoding': 'br' } });
    await expect(readBody(other, limits)).rejects.toMatchObject({ code: 'unsupported-type' });
  });
});

describe('a site’s name', () => {
  it.each(['a', 'Saint-Étienne', '北京', 'a b', '...', 'x'.repeat(64), '𝒳'.repeat(64)])(
    'may be %s',
    (name) => {
      expect(siteNameSchema.safeParse(name).success).toBe(true);
    },
  );
  it.each(['', '.', '..', ' a', 'a ', 'a/b', 'a\\b', 'a\nb', 'a\u0000', '\ud800', 'x'.repeat(65)])(
    'may not be %j',
    (name) => {
      expect(siteNameSchema.safeParse(name).success).toBe(false);
    },
  );
});
