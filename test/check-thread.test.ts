import { describe, expect, it } from 'vitest';
import type { CheckTask, TaskResult } from '../src/node/server/check-tasks.ts';
import { checksElsewhere, type StartThread } from '../src/node/server/checks-elsewhere.ts';
import { createTurnQueue } from '../src/node/server/turn-queue.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { anyStudy } from './coordinator-study.ts';
import { agreement } from './linear.ts';

describe('tasks of several studies', () => {
  it('have their turns: a study with a thousand delays another by one', () => {
    const queue = createTurnQueue<string>();
    for (let k = 0; k < 1000; k++) queue.add('a', 1, `a${k}`);
    queue.add('b', 1, 'b0');
    queue.add('c', 1, 'c0');
    queue.add('b', 1, 'b1');
    expect(queue.take(6, 100)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2']);
    expect(queue.length).toBe(997);
  });

  it('are taken up to a number of bytes, and one at least', () => {
    const queue = createTurnQueue<number>();
    for (const [k, bytes] of [50, 10, 40, 10].entries()) queue.add('a', bytes, k);
    expect(queue.take(10, 20)).toEqual([0]);
    expect(queue.take(10, 20)).toEqual([1, 2]);
    expect(queue.take(10, 20)).toEqual([3]);
    expect(queue.take(10, 20)).toEqual([]);
  });
});

/** Threads that the test answers for, or kills. */
function threads() {
  const started: {
    readonly posted: (readonly CheckTask[])[];
    readonly answer: (results: readonly TaskResult[]) => void;
    readonly die: () => void;
  }[] = [];
  const start: StartThread = (answer, die) => {
    const posted: (readonly CheckTask[])[] = [];
    started.push({ posted, answer, die });
    return { post: (tasks) => posted.push(tasks), stop: async () => {} };
  };
  return { started, start };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 10));

describe('the thread that checks contributions', () => {
  const agreed = agreement(anyStudy());
  const file = new Uint8Array(100);
  const refused = { found: { refused: 'said by the thread' }, milliseconds: 1 };

  it('is started again after it died; what it had is done here, and it gets the study anew', async () => {
    const { started, start } = threads();
    const { checks, close } = checksElsewhere(start);
    const first = checks.check(agreed, file);
    await soon();
    expect(started[0].posted).toMatchObject([[{ number: 1, study: agreed.study }]]);
    started[0].answer([refused]);
    expect((await first).found).toEqual(refused.found);

    const [lost, waits] = [checks.check(agreed, file), checks.check(agreed, file)];
    await soon();
    expect(started[0].posted[1]).toMatchObject([{ number: 1 }, { number: 1 }]);
    const later = checks.check(agreed, file);
    started[0].die();
    for (const one of [lost, waits]) {
      expect((await one).found).toMatchObject({ refused: expect.stringContaining('header') });
    }
    await soon();
    expect(started).toHaveLength(2);
    expect(started[1].posted).toMatchObject([[{ study: agreed.study }]]);
    started[1].answer([refused]);
    expect((await later).found).toEqual(refused.found);
    await close();
  });

  it('is given up if it never answered, or cannot start; all is done here', async () => {
    const { started, start } = threads();
    const noRoom: StartThread = () => {
      throw new Error('no room for a thread');
    };
    for (const one of [start, noRoom]) {
      const { checks } = checksElsewhere(one);
      const found = checks.check(agreed, file);
      await soon();
      started[0]?.die();
      expect((await found).found).toMatchObject({ refused: expect.stringContaining('header') });
      await checks.check(agreed, file);
    }
    expect(started).toHaveLength(1);
  });

  it('gets at most 64 tasks at once; a receipt of another study does not wait for all files of the first', async () => {
    const { started, start } = threads();
    const { checks, close } = checksElsewhere(start);
    const files = Array.from({ length: 200 }, () => checks.check(agreed, file));
    const key = createSigningKey();
    const receipt = { study: 'another' } as Parameters<typeof checks.sign>[0];
    const signed = checks.sign(receipt, key);
    const [thread] = started;
    expect(thread.posted[0]).toHaveLength(64);
    thread.answer(thread.posted[0].map(() => refused));
    await soon();
    const place = thread.posted[1].findIndex((task) => 'receipt' in task);
    expect(place).toBe(1);
    thread.answer(
      thread.posted[1].map((_, k) =>
        k === place ? { signed: receipt as Awaited<typeof signed> } : refused,
      ),
    );
    expect(await signed).toBe(receipt);
    await close();
    await Promise.all(files);
  });
});
