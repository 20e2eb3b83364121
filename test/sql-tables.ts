import type { Codebook } from '../src/study/codebook.ts';
import type { TableStudy } from '../src/study/study.ts';

/** The type of a column of a test table, as every engine has one. */
export type TestType = 'double' | 'integer' | 'decimal' | 'text';

/** A table that is loaded into an engine and, as its export, read by us. */
export interface TestTable {
  readonly columns: readonly { readonly name: string; readonly type: TestType }[];
  /** Cells as an export writes them; null is NULL. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/** A study, and the rows of one site. */
export interface TestStudy {
  readonly study: TableStudy;
  readonly table: TestTable;
}

/** The table as a file; NULL is an empty cell. */
export function exported({ columns, rows }: TestTable): string {
  const cell = (text: string | null) =>
    text === null ? '' : /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const lines = [columns.map(({ name }) => name), ...rows];
  return `${lines.map((line) => line.map(cell).join(',')).join('\n')}\n`;
}

/** Random numbers in [0, 1) that a seed gives (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const LEVELS = ['a', "o'ne", 'zwei é'];

const TERMS = [
  'x',
  'w',
  'n',
  'c',
  'b',
  'I(x^2)',
  'I(w^3)',
  'I(n^5)',
  'x:w',
  'x:w:n',
  'x:c',
  'c:b',
  'factor(k)',
  'w:factor(k)',
  'I(x > 0.3)',
  'I(x + w <= 2 * n)',
  'I(c == "a")',
  'I(k != "2")',
  'I(x * w - 0.1 * n)',
  'I(abs(x - 0.25) + 3)',
  'n:I(x > w)',
  'I(-(x - w)^2 * n)',
];

/** Weights as codebooks have them, with some that are 0, missing, 1, whole, or far from the others. */
const WEIGHTS = [
  { range: [0, 20], of: (u: number) => u * 20 },
  { range: [0.25, 4], of: (u: number) => 0.25 * 16 ** u },
  { range: [0, 1e6], of: (u: number) => Math.round(10 ** (6 * u)) },
  { range: [0, 1], of: (u: number) => 10 ** (-12 * u) },
] as const;

/** A study and a table that a seed gives: types, levels, missing cells, terms, grids; every other one has weights. */
export function randomStudy(seed: number): TestStudy {
  const random = seeded(seed);
  // Numbers of their own, so that the rest of a study is the same with and without weights.
  const heavy = seeded(7919 * seed);
  const weighs = seed % 2 === 1;
  const weights = WEIGHTS[Math.floor(seed / 2) % WEIGHTS.length]!;
  const weight = () => {
    const kind = heavy();
    if (kind < 0.04) return null;
    if (kind < 0.1 && weights.range[0] === 0) return '0';
    return kind < 0.15 ? '1' : String(weights.of(heavy()));
  };
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const shuffled = TERMS.map((term) => ({ term, at: random() })).sort((p, q) => p.at - q.at);
  const terms = shuffled.slice(0, 2 + below(4)).map(({ term }) => term);
  const intercept = random() < 0.8 ? '' : ' - 1';
  const response = pick(['y', 'y', 'y', 'I(y^2)', 'c2']);
  const codebook: Codebook = {
    y: { type: 'number', range: [-50, 50] },
    x: { type: 'number', range: [-3, 3] },
    w: { type: 'number', range: [0.1, 1000], missing: ['', 'NA', '999'] },
    n: { type: 'number', range: [0, 40], center: 17.3 },
    k: { type: 'number', range: [1, 3], levels: ['1', '2', '3'] },
    c: { type: 'category', levels: LEVELS, baseline: pick(LEVELS) },
    b: { type: 'category', levels: ['FALSE', 'TRUE'] },
    c2: { type: 'category', levels: ['10', '20', '30'] },
    ...(weighs ? { g: { type: 'number', range: [...weights.range] } as const } : {}),
  };
  const study: TableStudy = {
    schema: 'suffice/study@1',
    formula: `${response} ~ ${terms.join(' + ')}${intercept}`,
    codebook,
    ...(weighs ? { weights: 'g' } : {}),
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    grid: pick([22, 44, 44, 66, 88] as const),
    disclosure: { profile: 'none' },
  };
  const rate = pick([0, 0.03, 0.1]);
  const maybe = (text: string) => (random() < rate ? null : text);
  const double = (low: number, high: number) => low + random() * (high - low);
  // Some values on the grid's ties and edges, which rounding must treat as we do.
  const tie = () => pick([-3, 3, 0, 2 ** -23, 3 * 2 ** -45, 1 + 2 ** -44, -(2 ** -45), 0.1]);
  const rows = Array.from({ length: 20 + below(150) }, () => [
    maybe(String(double(-50, 50))),
    maybe(String(random() < 0.3 ? tie() : double(-3, 3))),
    maybe(random() < 0.05 ? '999' : (0.1 + below(900) / 1000).toFixed(3)),
    maybe(String(below(41))),
    maybe(String(1 + below(3))),
    maybe(random() < 0.05 ? ` ${pick(LEVELS)}` : pick(LEVELS)),
    maybe(pick(['TRUE', 'FALSE', 'true'])),
    maybe(pick(['10', '20', '30'])),
    ...(weighs ? [weight()] : []),
  ]);
  const types: readonly TestType[] = [
    'double',
    'double',
    'decimal',
    'integer',
    pick(['integer', 'double']),
    'text',
    'text',
    pick(['integer', 'text']),
    'double',
  ];
  const names = ['y', 'x', 'w', 'n', 'k', 'c', 'b', 'c2', ...(weighs ? ['g'] : [])];
  return {
    study,
    table: { columns: names.map((name, k) => ({ name, type: types[k]! })), rows },
  };
}
