/** Requests per second in the long run, and the largest number at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Limits of one process: k processes behind a load balancer allow k times more. */
export interface RateLimits {
  /** Requests that need no token, by client address. */
  readonly anonymous: Rate;
  /** Requests without a valid token where one is needed, by client address. */
  readonly failures: Rate;
  /** Requests of one valid token. */
  readonly token: Rate;
}

export const defaultRateLimits: RateLimits = {
  anonymous: { perSecond: 50, burst: 200 },
  failures: { perSecond: 1, burst: 30 },
  token: { perSecond: 50, burst: 200 },
};

/** Token buckets by key. Memory is bounded: with more than `most` keys, the least recently used is forgotten. */
export interface RateLimiter {
  /** Takes a token and returns 0, or returns the seconds until the next token. */
  take(key: string): number;
  /** Seconds until the next token, without taking it. */
  wait(key: string): number;
  /** Whether the key was used recently. */
  knows(key: string): boolean;
}

interface Bucket {
  readonly left: number;
  readonly at: number;
}

const MOST_KEYS = 10_000;

export function createRateLimiter(
  { perSecond, burst }: Rate,
  now: () => number = () => performance.now() / 1000,
  most: number = MOST_KEYS,
): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const leftIn = (key: string): number => {
    const bucket = buckets.get(key);
    if (bucket === undefined) return burst;
    return Math.min(burst, bucket.left + (now() - bucket.at) * perSecond);
  };
  const keep = (key: string, left: number): void => {
    buckets.delete(key);
    buckets.set(key, { left, at: now() });
    if (buckets.size > most) buckets.delete(buckets.keys().next().value!);
  };
  const wait = (key: string): number => {
    const left = leftIn(key);
    return left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond));
  };
  return {
    take(key) {
      const seconds = wait(key);
      const left = leftIn(key);
      keep(key, seconds === 0 ? left - 1 : left);
      return seconds;
    },
    wait,
    knows: (key) => buckets.has(key),
  };
}

/** No limit at all. */
export const unlimited: RateLimiter = { take: () => 0, wait: () => 0, knows: () => true };

/** An address with a port, as some proxies write it. */
const WITH_PORT = /^(?:\[(?<six>[^\]]*)\](?::\d+)?|(?<four>\d+\.\d+\.\d+\.\d+):\d+)$/;

/** The part of an address that identifies a client: all of IPv4, the first 64 bits of IPv6, and no port. */
export function addressKey(address: string): string {
  const { six, four } = WITH_PORT.exec(address)?.groups ?? {};
  const text = (six ?? four ?? address).toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (!text.includes(':')) return text;
  const [head, tail] = text.split('%')[0].split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':');
}
