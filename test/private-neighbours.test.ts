import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PrivacyTerms, TableStudy } from '../src/study/study.ts';
import { tableStudy } from '../src/study/table-study.ts';
import { enduring } from './endurance.ts';
import { firstWorld, keepNoiseOfBuild, keptNoise, otherWorld } from './kept-noise.ts';
import type { World } from './private-world.ts';

vi.mock('../src/privacy/private-noise.ts', async (original) => {
  const { withNoise } = await original<typeof import('../src/privacy/private-noise.ts')>();
  return { withNoise: keptNoise(withNoise) };
});
keepNoiseOfBuild();
const { agreement } = await import('../src/federate.ts');
const { privateWorld } = await import('./private-world.ts');

const others = Array.from({ length: 24 }, (_, k) => `ward ${k}`);

const base: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'days ~ age + ward',
  codebook: {
    days: { type: 'number', range: [0, 120] },
    age: { type: 'number', range: [18, 103] },
    // So many levels that a plain contribution would be compressed.
    ward: { type: 'category', levels: ['one', 'two', 'rare', ...others] },
    who: { type: 'id' },
  },
  fusion: { kind: 'ridge', ridge: 1 },
  arithmetic: 'exact',
};

const HEADER = 'days,age,ward,who';
const lineOf = (r: number) =>
  `${(r * 7) % 60},${20 + ((r * 13) % 70)},${r % 3 === 0 ? 'one' : 'two'},p${r}`;
const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, r) => lineOf(from + r));
const file = (rows: readonly string[]) => `${[HEADER, ...rows].join('\n')}\n`;
const many = lines(60);
const other = file(lines(40, 500));

type Pair = readonly [less: string | Uint8Array, more: string | Uint8Array];

const added = (row: string, rows: readonly string[] = many): Pair => [
  file(rows),
  file([...rows, row]),
];
const replaced = (row: string): Pair => [file(many), file([row, ...many.slice(1)])];
const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

/** Rows that only private studies take. */
const oddRows = {
  'the first row of a level': '30,60,rare,x',
  'a number outside the range': '30,104,two,x',
  'a response outside the range': '9000,50,two,x',
  'a number too large to hold': '30,1e200,two,x',
  'a level that nobody knows': '30,60,three,x',
  'a text in place of a number': '30,sixty,two,x',
  'a missing cell': '30,,two,x',
  'a missing response': 'NA,60,two,x',
  'an ordinary row': '30,60,two,x',
} as const;

const addedPairs: Readonly<Record<string, Pair>> = {
  ...Object.fromEntries(Object.entries(oddRows).map(([name, row]) => [name, added(row)])),
  'a cell that is not UTF-8': [latin1(file(many)), latin1(file([...many, '30,60,tw\u00f6,x']))],
  'the only row': added('30,60,two,x', []),
  'the only row, which fits nothing': added('x,x,x,x', []),
};

const replacedPairs: Readonly<Record<string, Pair>> = {
  ...Object.fromEntries(Object.entries(oddRows).map(([name, row]) => [name, replaced(row)])),
  'the only row': [file(['30,60,two,x']), file(['NA,x,x,x'])],
};

/** Another response in the first row. */
const labelled = (label: string): Pair => replaced(many[0].replace(/^[^,]*/, label));
const labelPairs: Readonly<Record<string, Pair>> = {
  'a missing response': labelled('NA'),
  'a response outside the range': labelled('9000'),
  'a number too large to hold': labelled('-1e200'),
  'a text in place of a number': labelled('a week'),
  'an ordinary response': labelled('119'),
};

const personPairs: Readonly<Record<string, Pair>> = {
  'more rows than the study hides': [
    file(many),
    file([...many, ...Array.from({ length: 6 }, (_, r) => `${r},${30 + r},rare,x`)]),
  ],
  'a person among the first': [
    file(many),
    file(['30,104,rare,x', ...many, '31,60,rare,x', 'NA,1,rare,x']),
  ],
  'a person without a value': [file(many), file([...many, 'NA,x,x,x'])],
  'the only person': added('30,60,two,x', []),
};

interface Mode {
  readonly privacy: Partial<PrivacyTerms>;
  readonly pairs: Readonly<Record<string, Pair>>;
  /** The pair of the short test. */
  readonly first: string;
}

const modes: Readonly<Record<string, Mode>> = {
  central: { privacy: {}, pairs: addedPairs, first: 'a number outside the range' },
  ridge: { privacy: { solver: 'ridge' }, pairs: addedPairs, first: 'the first row of a level' },
  adassp: { privacy: { solver: 'adassp' }, pairs: addedPairs, first: 'a level that nobody knows' },
  local: { privacy: { placement: 'local' }, pairs: addedPairs, first: 'the only row' },
  'replace-one': {
    privacy: { neighbours: 'replace-one' },
    pairs: replacedPairs,
    first: 'a missing cell',
  },
  labels: { privacy: { protects: 'labels' }, pairs: labelPairs, first: 'a missing response' },
  'labels, local': {
    privacy: { protects: 'labels', placement: 'local' },
    pairs: labelPairs,
    first: 'a response outside the range',
  },
  persons: {
    privacy: { unit: 'person', person: 'who', rowsPerPerson: 2 },
    pairs: personPairs,
    first: 'more rows than the study hides',
  },
  'persons, replace-one': {
    privacy: { unit: 'person', person: 'who', rowsPerPerson: 1, neighbours: 'replace-one' },
    pairs: {
      ...replacedPairs,
      'another person with two rows': [
        file(many),
        file([...many.slice(1), '30,60,rare,x', '9,9,rare,x']),
      ],
    },
    first: 'another person with two rows',
  },
  rounds: { privacy: { rounds: 2 }, pairs: addedPairs, first: 'a text in place of a number' },
  expectedRows: {
    privacy: { expectedRows: 20_000 },
    pairs: addedPairs,
    first: 'a number too large to hold',
  },
};

function studyOf(privacy: Partial<PrivacyTerms>): TableStudy {
  const terms: PrivacyTerms = { epsilon: 2, delta: 1e-5, unit: 'row', ...privacy } as PrivacyTerms;
  return { ...base, privacy: terms };
}

/** The worlds of two neighbouring files, with noise that hides their difference. */
async function worldsOf(study: TableStudy, [less, more]: Pair): Promise<readonly [World, World]> {
  firstWorld();
  const first = await privateWorld(study, less, other);
  otherWorld();
  return [first, await privateWorld(study, more, other)];
}

/** Where two lists of texts differ, in short. */
function differences(less: readonly string[], more: readonly string[]): string[] {
  const longer = Math.max(less.length, more.length);
  return Array.from({ length: longer }, (_, k) => [less[k] ?? '', more[k] ?? '']).flatMap(
    ([a, b]) => {
      if (a === b) return [];
      const at = Array.from(a).findIndex((sign, k) => sign !== b[k]);
      const from = Math.max(0, (at < 0 ? a.length : at) - 60);
      return [`${a.slice(from, from + 120)} | ${b.slice(from, from + 120)}`];
    },
  );
}

function expectAlike([less, more]: readonly [World, World]): void {
  expect([less.own.code, less.own.stderr.match(/error/)]).toEqual([0, null]);
  expect(more.own.code).toBe(0);
  for (const who of ['network', 'outsider', 'analyst', 'otherSite', 'operator'] as const) {
    expect(differences(less[who], more[who])).toEqual([]);
  }
  // The study did resolve, so there was something to see.
  expect(less.analyst.find((text) => text.includes('/resolutions/1 200'))).toBeDefined();
}

/** Modes that differ from others only in how the noise is measured or the noisy total is solved, or join two of them: `npm run endure` has them all. */
const likeOthers = new Set([
  ...['ridge', 'adassp', 'labels, local', 'persons, replace-one', 'rounds'],
  ...['replace-one', 'expectedRows'],
]);

describe('neighbouring files look alike to everyone but their site', () => {
  for (const [name, { privacy, pairs, first }] of Object.entries(modes)) {
    if (!enduring && likeOthers.has(name)) continue;
    const kinds = enduring ? Object.keys(pairs) : [first];
    it.each(kinds)(`${name}: %s`, async (kind) => {
      expectAlike(await worldsOf(studyOf(privacy), pairs[kind]));
    });
  }

  it.each(enduring ? Object.keys(addedPairs) : ['a response outside the range'])(
    'a later round: %s',
    async (kind) => {
      const study = studyOf({ rounds: 2 });
      firstWorld();
      const { analyst } = await privateWorld(study, file(many), other);
      const text = analyst.find((one) => one.includes('/resolutions/1 200 '))!;
      const { report } = JSON.parse(text.slice(text.indexOf('{')));
      const next = agreement(study).method.rounds!.next(report);
      if ('problem' in next) throw new Error(next.problem);
      expectAlike(await worldsOf(tableStudy(next), addedPairs[kind]));
    },
  );
});

describe('a site', () => {
  let world: World;
  beforeAll(async () => {
    firstWorld();
    const odd = ['30,104,two,x', '200,17,two,y', '30,60,three,z', 'NA,60,two,v', '5,1e200,one,w'];
    world = await privateWorld(studyOf({}), file([...many, ...odd]), other);
  });
  afterAll(() => vi.restoreAllMocks());

  it('is shown what was done to its rows', () => {
    const { code, stdout, stderr } = world.own;
    expect(code).toBe(0);
    expect(stdout).toContain('cells moved to the nearest end of the range: days 1, age 3');
    expect(stdout).toContain('left out   2 (missing cells: days 1, ward 1)');
    expect(stderr).toContain('column age: not all numbers are from 18 to 103');
    expect(stderr).toContain('column ward: one text is not among its levels');
  });

  it('shows nothing of it to others, nor the bytes that it sent', () => {
    const seen = [...world.analyst, ...world.otherSite].join('\n');
    for (const secret of ['adjusted', 'bounded', 'traffic', 'nearest end']) {
      expect(seen.includes(secret)).toBe(false);
    }
  });

  it('sends its file uncompressed, as long as that of any other site', () => {
    const uploads = world.network.filter((line) => /^POST \S+\/contributions /.test(line));
    expect(uploads).toHaveLength(2);
    expect(new Set(uploads).size).toBe(1);
    expect(uploads[0]).toContain(' as it is 201 ');
  });
});
