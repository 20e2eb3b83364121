import { parquetWriteBuffer } from 'hyparquet-writer';
import type { TableStudy } from '../src/study/study.ts';
import { people, recovery } from './join-page.ts';

/** A file that comes to nothing: what the page says of it, and what it repeats nowhere but in its view of the cells. */
export interface RefusedFile {
  /** The study it is given to; `recovery` unless said. */
  readonly study?: keyof typeof otherStudies;
  readonly name?: string;
  readonly content: string | Buffer;
  /** Rows with missing cells are to be refused. */
  readonly whole?: true;
  readonly says: readonly string[];
  /** The command says it in other words. */
  readonly ownWords?: true;
  readonly secret?: string;
}

const range = (low: number, high: number) => ({ type: 'number', range: [low, high] }) as const;

/** Studies whose files can break what no file of `recovery` can. */
export const otherStudies = {
  dose: {
    ...recovery,
    name: 'Dose',
    formula: 'days ~ age + factor(dose)',
    codebook: {
      days: range(0, 120),
      age: range(18, 100),
      dose: { ...range(0, 3), levels: ['0', '1', '2'] },
    },
  },
  counts: {
    ...recovery,
    name: 'Counts',
    formula: 'days ~ age',
    codebook: { days: range(-5, 120), age: range(18, 100) },
    fusion: { kind: 'glm', family: 'poisson' },
  },
  farAway: {
    ...recovery,
    name: 'Far away',
    formula: 'days ~ age',
    fusion: { kind: 'glm', family: 'poisson', at: { '(Intercept)': 40, age: 0 } },
  },
  tooLarge: {
    ...recovery,
    name: 'Too large',
    formula: 'days ~ age',
    arithmetic: 'compact',
    fusion: { kind: 'glm', family: 'poisson', at: { '(Intercept)': 12, age: 0 } },
  },
  ownFit: {
    ...recovery,
    name: 'Own fit',
    fusion: { kind: 'average', covariance: true },
    disclosure: { profile: 'none' },
  },
  persons: {
    ...recovery,
    name: 'Persons',
    formula: 'days ~ age',
    codebook: { days: range(0, 120), age: range(18, 100), who: { type: 'id' } },
    privacy: { epsilon: 2, delta: 1e-5, unit: 'person', person: 'who', rowsPerPerson: 1 },
  },
  labels: {
    ...recovery,
    name: 'Labels',
    formula: 'days ~ age',
    privacy: { epsilon: 2, delta: 1e-5, unit: 'row', protects: 'labels' },
  },
} as const satisfies Readonly<Record<string, TableStudy>>;

export const header = 'age,treatment,days\n';
/** Sixty people and a line. */
export const and = (line: string) => `${people(60)}${line}\n`;
export const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** The same table as Parquet, with another column of ages. */
export function parquet(age: unknown[], type: 'DOUBLE' | 'TIMESTAMP' | 'JSON'): Buffer {
  const columnData: Parameters<typeof parquetWriteBuffer>[0]['columnData'] = [
    { name: 'age', data: age, type },
    { name: 'treatment', data: age.map((_, k) => (k % 2 ? 'new' : 'control')), type: 'STRING' },
    { name: 'days', data: age.map((_, k) => 10 + (k % 7)), type: 'DOUBLE' },
  ];
  return Buffer.from(parquetWriteBuffer({ columnData }));
}
