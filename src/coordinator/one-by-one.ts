import { Refusal } from '../protocol/refusal.ts';

/** Runs work of the same key one after the other; refuses where too much waits already. */
export interface OneByOne {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createOneByOne(
  mostWaiting: number,
  problem: string = 'too many requests of this kind are under way',
): OneByOne {
  const lines = new Map<string, { last: Promise<unknown>; length: number }>();
  return {
    async run(key, work) {
      const line = lines.get(key) ?? { last: Promise.resolve(), length: 0 };
      if (line.length > mostWaiting) {
        throw new Refusal(
          'too-many-requests',
          problem,
          'wait until some are answered, then ask again',
        );
      }
      lines.set(key, line);
      line.length += 1;
      const done = line.last.then(work, work);
      line.last = done.catch(() => {});
      try {
        return await done;
      } finally {
        line.length -= 1;
        if (line.length === 0) lines.delete(key);
      }
    },
  };
}
