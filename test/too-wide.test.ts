import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FailureError } from '../src/failure.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { studyId } from '../src/protocol/study-part.ts';
import { verifiedView } from '../src/protocol/verified.ts';
import { type Study, studyDigest, type TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { chosen } from './endurance.ts';
import { jsonOf, openSession, study } from './http-study.ts';
import { agreement } from './linear.ts';

const folder = temporaryFolder();
/** Milliseconds of a core, however busy the machine is: a fraction of them now, and 15,000 to 44,000 before. */
const MOST_WORK = 5000;
const work = () => process.cpuUsage().user / 1000;
const levels = (count: number) => Array.from({ length: count }, (_, k) => `level ${k}`);
const category = (count: number) => ({ type: 'category', levels: levels(count) }) as const;
const number = { type: 'number', range: [0, 1] } as const;
const numbers = (count: number) => Array.from({ length: count }, (_, k) => `v${k}`);
const columns = (names: readonly string[], column: TableStudy['codebook'][string]) =>
  Object.fromEntries(names.map((name) => [name, column]));

function wide(formula: string, codebook: TableStudy['codebook']): TableStudy {
  return { ...study, formula, codebook: { y: number, ...codebook } };
}

/** Studies that took seconds and gigabytes, with what is said of them. */
const bodies: readonly (readonly [string, Study, RegExp])[] = [
  [
    '24 columns crossed with each other',
    wide(`y ~ ${numbers(24).join('*')}`, columns(numbers(24), number)),
    /16,383 terms and more/,
  ],
  [
    '24 categories crossed with each other',
    wide(`y ~ ${numbers(24).join('*')}`, columns(numbers(24), category(2))),
    /16,383 terms and more/,
  ],
  ['30,000 levels', wide('y ~ g', { g: category(30_000) }), /at most 10000 levels/],
  [
    'two long code lists crossed',
    wide('y ~ g*c', { g: category(3000), c: category(3000) }),
    /9,000,001 columns; at most 12,000/,
  ],
  [
    'a response of too many classes',
    wide('cbind(g, c) ~ y', { g: category(9000), c: category(9000) }),
    /columns; at most 12,000|category/,
  ],
  [
    'every pair of 200 columns',
    wide('y ~ .^2', columns(numbers(200), number)),
    /20,100 terms and more/,
  ],
  [
    'a nested term of all columns',
    wide(
      `y ~ (${numbers(900).join('+')})/(${numbers(900).join('+')})`,
      columns(numbers(900), number),
    ),
    /variables is too much/,
  ],
  [
    'the same crossing again and again',
    wide(
      `y ~ ${levels(300)
        .map(() => `(${numbers(12).join('*')})`)
        .join('+')}`,
      columns(numbers(12), number),
    ),
    /is too much/,
  ],
];

function refusal(attempt: () => unknown): string {
  const start = work();
  try {
    attempt();
  } catch (failure) {
    expect(work() - start).toBeLessThan(MOST_WORK);
    if (failure instanceof FailureError) return `${failure.problem} → ${failure.remedy}`;
    return (failure as Error).message;
  }
  return 'nothing was refused';
}

describe('a study that would have too many columns is refused before they are made', () => {
  it.each(bodies)('%s, by the library', (_, study, says) => {
    const before = process.memoryUsage().heapUsed;
    expect(refusal(() => agreement(parseStudy(study)))).toMatch(says);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(150e6);
  });

  it.each(chosen(bodies, 0, 2, 3, 6))('%s, by study check', async (name, study, says) => {
    const path = join(folder, 'wide.json');
    writeFileSync(path, JSON.stringify(study));
    const start = work();
    const { code, stdout } = await suffice('study', 'check', path);
    expect([code, name]).toEqual([3, name]);
    expect(stdout).toMatch(says);
    expect(stdout).toContain('→');
    expect(work() - start).toBeLessThan(MOST_WORK);
  });

  it('by a coordinator, which stores nothing', async () => {
    const session = await openSession(await openSqliteStore(join(folder, 'wide.db')));
    const token = session.operator;
    const known = async () =>
      (await jsonOf<{ studies: unknown[] }>(session.ask('GET', '/studies', { token }))).studies
        .length;
    const before = await known();
    for (const [name, study] of chosen(bodies, 1, 4, 5, 7)) {
      const start = work();
      const { status } = await session.ask('POST', '/studies', {
        token,
        json: { study, sites: ['a'] },
      });
      expect([400, 422], name).toContain(status);
      expect(work() - start).toBeLessThan(MOST_WORK);
    }
    expect(await known()).toBe(before);
    await session.store.close();
  });

  it('by a site that a coordinator sends it to', async () => {
    const [, study] = bodies[3]!;
    const digest = studyDigest(study);
    const key = 'A'.repeat(43);
    const view = { study, digest, id: studyId(digest), coordinatorKey: key } as never;
    await expect(
      verifiedView(view, { study: studyId(digest), coordinatorKey: key }),
    ).rejects.toThrow(/9,000,001 columns/);
  });
});

describe('a wide study that just passes', () => {
  it.each<[string, Study, number]>([
    [
      '13 columns crossed with each other',
      wide(`y ~ ${numbers(13).join('*')}`, columns(numbers(13), number)),
      2 ** 13 + 1,
    ],
    ['10,000 levels', wide('y ~ g', { g: category(10_000) }), 10_001],
    [
      'two code lists of a hundred',
      wide('y ~ g*c', { g: category(100), c: category(100) }),
      10_001,
    ],
    [
      'every pair of 140 columns',
      wide('y ~ .^2', columns(numbers(140), number)),
      140 + (140 * 139) / 2 + 2,
    ],
    [
      'a term of 32 variables',
      wide(`y ~ ${numbers(32).join(':')}`, columns(numbers(32), number)),
      3,
    ],
  ])('%s', (_, study, count) => {
    expect(agreement(parseStudy(study)).design.columns).toHaveLength(count);
  });
});
