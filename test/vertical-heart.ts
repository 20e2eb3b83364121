import type { TableStudy } from '../src/study/study.ts';
import type { CellValue } from '../src/table/in-memory.ts';
import { hasSharedData, sharedLines } from './shared-data.ts';

/** Columns of the heart data by party. */
export const heartParts = {
  hospital: ['age', 'sex', 'trestbps', 'chol'],
  registry: ['cp', 'thalach', 'oldpeak', 'num'],
} as const;

const number = (low: number, high: number) =>
  ({ type: 'number', range: [low, high], missing: ['', '?'] }) as const;

/** A study of the heart data whose columns lie at two parties. */
export const heartStudy: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'num ~ age + factor(sex) + trestbps + log(chol) + I(cp == 4) + thalach + I(oldpeak^2)',
  codebook: {
    age: number(20, 90),
    sex: { ...number(0, 1), levels: ['0', '1'] },
    trestbps: number(80, 220),
    chol: number(100, 600),
    cp: { ...number(1, 4), levels: ['1', '2', '3', '4'] },
    thalach: number(60, 220),
    oldpeak: number(0, 7),
    num: number(0, 4),
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  partition: { kind: 'vertical', key: ['nhs_number'], parties: heartParts },
};

export type Columns = Readonly<Record<string, readonly CellValue[]>>;

/**
 * The heart data as columns, with an id; every tenth person is missing at the one party, every tenth at the other. No rows where
 * the data are absent: the body of a suite runs, too, when its tests are skipped.
 */
export function heartTables(): {
  readonly joined: Columns;
  readonly hospital: Columns;
  readonly registry: Columns;
} {
  const { header, lines } = hasSharedData
    ? sharedLines('uci-heart', 'sites', 'cleveland.csv')
    : { header: '', lines: [] };
  const names = [...header.split(','), 'nhs_number'];
  const rows = lines.map((line, k): CellValue[] => [
    ...line.split(',').map((cell) => (cell === '?' ? cell : Number(cell))),
    `943 47${1000 + 7 * k}`,
  ]);
  const pick = (kept: readonly (readonly CellValue[])[], columns: readonly string[]): Columns =>
    Object.fromEntries(columns.map((name) => [name, kept.map((row) => row[names.indexOf(name)])]));
  const id = ['nhs_number'];
  return {
    joined: pick(
      rows.filter((_, k) => k % 10 !== 3 && k % 10 !== 7),
      [...heartParts.hospital, ...heartParts.registry, ...id],
    ),
    hospital: pick(
      rows.filter((_, k) => k % 10 !== 3),
      [...heartParts.hospital, ...id],
    ),
    registry: pick(rows.filter((_, k) => k % 10 !== 7).toReversed(), [
      ...id,
      ...heartParts.registry,
    ]),
  };
}

/** Columns as the text of a CSV file. */
export function csvOf(columns: Columns): string {
  const names = Object.keys(columns);
  const rows = columns[names[0]].map((_, r) => names.map((name) => columns[name][r]).join(','));
  return `${[names.join(','), ...rows].join('\n')}\n`;
}
