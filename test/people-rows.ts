import type { TableStudy } from '../src/study/study.ts';

/** The people of all files, written plainly; an empty cell is missing. */
const ROWS = 130;
export const names = [
  'stay',
  'age',
  'sex',
  'diabetes',
  'cost',
  'share',
  'admitted',
  'grade',
] as const;
export type Name = (typeof names)[number];
type Row = Readonly<Record<Name, string>>;

export const rows: readonly Row[] = Array.from({ length: ROWS }, (_, r) => ({
  stay: r % 31 === 5 ? '' : ((3 + ((r * 37) % 97)) / 4).toFixed(2),
  age: r % 43 === 7 ? '' : (20.3 + ((r * 53) % 601) / 10).toFixed(1),
  sex: (r * 7) % 11 < 5 ? 'F' : 'M',
  diabetes: (r * 5) % 13 < 4 ? 'TRUE' : 'FALSE',
  cost: (120.5 + ((r * 7919) % 400_009) / 100).toFixed(2),
  share: (((r * 71) % 997) / 10).toFixed(1),
  admitted: String(19_723 + ((r * 29) % 366)),
  grade: ['K', '1', '2', '3'][(r * 3 + Math.floor(r / 7)) % 4]!,
}));

/** What every file is for; `study` is what a site is asked for, with the units that cells may be written with. */
export const formula = 'stay ~ age + sex + diabetes + cost + share + admitted + grade';

export const study: TableStudy = {
  schema: 'suffice/study@1',
  name: 'People',
  formula,
  codebook: {
    stay: { type: 'number', range: [0, 50] },
    age: { type: 'number', range: [0, 120] },
    sex: { type: 'category', levels: ['F', 'M'] },
    diabetes: { type: 'category', levels: ['FALSE', 'TRUE'] },
    cost: { type: 'number', unit: '€', range: [0, 10_000] },
    share: { type: 'number', unit: '%', range: [0, 100] },
    admitted: { type: 'number', unit: 'days since 1970-01-01', range: [10_000, 30_000] },
    grade: { type: 'category', levels: ['1', '2', '3', 'K'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};
