import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Codebook } from '../src/study/codebook.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { type Cell, exactStudy, privateStudy, releasingSite } from './releasing-site.ts';

const root = temporaryFolder();
const header = ['pid', 'age', 'ward', 'y'];
const numbers: Codebook = {
  age: { type: 'number', range: [0, 120] },
  y: { type: 'number', range: [0, 50] },
};
const ids: Codebook = { ...numbers, pid: { type: 'id' } };

/** People from one number to another, some years later. */
const people = (from: number, to: number, years = 0): Cell[][] =>
  Array.from({ length: to - from }, (_, k) => {
    const r = from + k;
    const y = 10 + ((r * 23) % 71) / 4 + r / 1000;
    return [`p${r}`, 20.5 + ((r * 37) % 59) + years, 'ab'[r % 2], y.toFixed(3)];
  });
const costs = (epsilon: number, codebook: Codebook, formula = 'y ~ age') =>
  privateStudy(formula, codebook, epsilon);

/** What R11 says of a second private release, after one of the given rows. */
async function second(
  [before, rows]: readonly [Study, readonly Cell[][]],
  [study, later]: readonly [Study, readonly Cell[][]],
) {
  const site = releasingSite(root, header);
  expect((await site.release(before, rows)).code).toBe(0);
  const { code, rule, written } = await site.release({ ...study, name: 'later' }, later);
  const { outcome, verdicts } = rule('R11');
  expect(site.lines().length).toBe(written ? 2 : 1);
  const says = verdicts.map(({ problem }) => problem).join('; ');
  return { code, outcome, written, says, lines: site.lines() };
}

describe('a table that was exported again, without ids', () => {
  const first = [costs(8, numbers), people(0, 60)] as const;
  const alike = /may be the same people/;

  it('a year later has spent its budget', async () => {
    const again = await second(first, [costs(8, numbers), people(0, 60, 1)]);
    expect(again).toMatchObject({ code: 5, outcome: 'block', written: false });
    expect(again.says).toMatch(alike);
  });

  it('is warned of where the budget is not spent, and charged when acknowledged', async () => {
    const small = [costs(1, numbers), people(0, 60, 1)] as const;
    const again = await second([costs(1, numbers), people(0, 60)], small);
    expect(again).toMatchObject({ code: 5, outcome: 'warn', written: false });
    expect(again.says).toMatch(alike);
    const site = releasingSite(root, header);
    await site.release(costs(1, numbers), people(0, 60));
    const later = { ...small[0], name: 'later' };
    expect((await site.release(later, small[1], '--acknowledge', 'R11')).code).toBe(0);
    const [one, two] = site.lines();
    expect(two.shared).toEqual([one.digest]);
  });

  it.each([
    ['80 rows after 60', 0, 80, 'block'],
    ['81 rows after 60', 0, 81, 'pass'],
    ['45 rows after 60', 0, 45, 'block'],
    ['44 rows after 60', 0, 44, 'pass'],
  ])('is one if it has about as many rows: %s', async (_, from, to, outcome) => {
    const again = await second(first, [costs(8, numbers), people(from, to, 1)]);
    expect([again.outcome, again.written]).toEqual([outcome, outcome === 'pass']);
  });

  it('is one however few rows the study uses of it, and whatever else it asks for', async () => {
    const ward: Codebook = { ward: { type: 'category', levels: ['a'], missing: ['', 'b'] } };
    const half = costs(8, { ...numbers, ...ward }, 'y ~ age + I((ward == "a") * age)');
    const again = await second(first, [half, people(0, 60, 1)]);
    expect([again.outcome, again.written]).toEqual(['block', false]);
    const before = await second([half, people(0, 60)], [costs(8, numbers), people(0, 60, 1)]);
    expect([before.outcome, before.written]).toEqual(['block', false]);
  });

  it('is not one where rows are added to a study', async () => {
    const local: TableStudy = {
      ...first[0],
      privacy: { ...first[0].privacy!, placement: 'local' },
    };
    const site = releasingSite(root, header);
    expect((await site.release(local, people(0, 60))).code).toBe(0);
    const further = await site.release(local, people(60, 120), '--mode', 'add');
    expect([further.code, further.rule('R11').outcome]).toEqual([0, 'pass']);
  });
});

describe('people with ids', () => {
  const first = [costs(8, ids), people(0, 60)] as const;

  it.each([
    ['a year later', ids, people(0, 60, 1), 'block'],
    ['of whom one is left, among others', ids, people(59, 119, 1), 'block'],
    ['where the codebook no longer says so', numbers, people(0, 60, 1), 'block'],
    ['who are others, in as many rows', ids, people(60, 120, 1), 'pass'],
    ['who are others, where the codebook no longer says so', numbers, people(60, 120), 'pass'],
  ])('are known %s', async (_, codebook, rows, outcome) => {
    const again = await second(first, [costs(8, codebook), rows]);
    expect([again.outcome, again.written]).toEqual([outcome, outcome === 'pass']);
    expect(again.says).not.toMatch(/may be the same people/);
  });

  it.each([
    ['lost their zeros', (r: number) => String(r)],
    ['become decimal', (r: number) => `${r}.0`],
  ])('are known by numbers that have %s', async (_, later) => {
    const numbered = (from: number, id: (r: number) => string) =>
      people(0, 60, from).map(([, ...rest], r) => [id(r), ...rest]);
    const first = numbered(6, (r) => String(r).padStart(6, '0'));
    const again = await second([costs(8, ids), first], [costs(8, ids), numbered(1, later)]);
    expect([again.outcome, again.written]).toEqual(['block', false]);
  });

  it('are not known where one id is missing: then the table counts', async () => {
    const rows = people(60, 120).with(0, ['', 30, 'a', 12]);
    const again = await second(first, [costs(8, ids), rows]);
    expect(again).toMatchObject({ outcome: 'block', written: false });
    expect(again.says).toMatch(/may be the same people/);
  });

  it('who are others spend nothing of each other, where the unit is a person', async () => {
    const privacy = {
      epsilon: 8,
      delta: 1e-6,
      unit: 'person',
      person: 'pid',
      rowsPerPerson: 2,
    } as const;
    const study: TableStudy = { ...exactStudy('y ~ age', ids), privacy };
    const aged = await second([study, people(0, 60)], [study, people(30, 90, 1)]);
    expect([aged.outcome, aged.written]).toEqual(['block', false]);
    const others = await second([study, people(0, 60)], [study, people(60, 120, 1)]);
    expect([others.outcome, others.written]).toEqual(['pass', true]);
    expect(others.lines[1]).toMatchObject({ person: 'pid', fileRows: 60, shared: [] });
  });

  it.each([
    [0, 'pass'],
    [1, 'block'],
    [9, 'block'],
    [10, 'pass'],
  ])(
    'of whom %i have left are compared by R9, though every value has changed',
    async (left, outcome) => {
      const site = releasingSite(root, header);
      const study = exactStudy('y ~ age', ids);
      expect((await site.release(study, people(0, 60))).code).toBe(0);
      const later = await site.release({ ...study, name: 'later' }, people(left, 60, 1));
      expect([later.rule('R9').outcome, later.written]).toEqual([outcome, outcome === 'pass']);
      expect(site.lines().length).toBe(outcome === 'pass' ? 2 : 1);
    },
  );

  it.each(['people', 'over'] as const)(
    'have tags (%s) that cannot be lost unnoticed',
    async (kind) => {
      const site = releasingSite(root, header);
      expect((await site.release(exactStudy('y ~ age', ids), people(0, 60))).code).toBe(0);
      const ward: Codebook = { ...ids, ward: { type: 'category', levels: ['a', 'b'] } };
      const second = exactStudy('y ~ age + ward', ward);
      expect((await site.release(second, people(0, 60))).code).toBe(0);
      const [one, two] = site.lines();
      expect(two.people).toBe(one.people);
      const lost = kind === 'people' ? two.people : two.over?.[one.digest];
      const path = join(site.home, 'rows', `${lost?.slice('sha256:'.length)}.tags`);
      truncateSync(path, 8);
      const third = await site.release({ ...second, name: 'third' }, people(0, 60));
      expect([third.written, third.stderr]).toEqual([
        false,
        expect.stringContaining('missing or was changed'),
      ]);
      expect(site.lines().length).toBe(2);
    },
  );

  it('are enough people, however many rows they have (R0)', async () => {
    const twice = (count: number) => [...people(0, count), ...people(0, count, 1)];
    const study = exactStudy('y ~ age', ids);
    const site = releasingSite(root, header);
    const few = await site.release(study, twice(9));
    expect([few.rule('R0').outcome, few.written, site.lines()]).toEqual(['block', false, []]);
    const enough = await site.release(study, twice(10));
    expect([enough.rule('R0').outcome, enough.written]).toEqual(['pass', true]);
    const unknown = await releasingSite(root, header).release(
      exactStudy('y ~ age', numbers),
      twice(9),
    );
    expect(unknown.rule('R0').outcome).toBe('pass');
  });

  it('are compared over three releases', async () => {
    const site = releasingSite(root, header);
    const study = (name: string) => ({ ...exactStudy('y ~ age', ids), name });
    expect((await site.release(study('all'), people(0, 90))).code).toBe(0);
    expect((await site.release(study('some'), people(0, 40, 1))).code).toBe(0);
    const rest = await site.release(study('rest'), people(41, 90, 2));
    expect([rest.rule('R9').outcome, rest.written]).toEqual(['block', false]);
    expect((await site.release(study('fewer'), people(50, 90, 2))).code).toBe(0);
  });
});
