import { describe, expect, it } from 'vitest';
import { type SendingChoice, sendingCosts } from '../src/costs/sending-costs.ts';
import { projectionMap } from '../src/features/projection-map.ts';
import type { TableStudy } from '../src/study/study.ts';
import { enduring } from './endurance.ts';
import { agreement } from './linear.ts';
import { hasSharedData, sharedLines } from './shared-data.ts';
import { everyRow, federated, studyOf, summaryOf, type Table, tableOf } from './tables.ts';

interface Real {
  readonly table: Table;
  /** Rows of each site. */
  readonly sites: readonly (readonly number[])[];
  readonly formula: string;
  /** The analyst has one row of so many. */
  readonly part: number;
}

/** The columns of several files, one a site; categories count from 0. */
function realTable(
  folder: string,
  files: readonly string[],
  columns: readonly string[],
  levels: Readonly<Record<string, readonly string[]>>,
  every = 1,
): Pick<Real, 'table' | 'sites'> {
  const cells: Record<string, number[]> = Object.fromEntries(columns.map((name) => [name, []]));
  const sites: number[][] = [];
  let rows = 0;
  for (const file of files) {
    const { header, lines: all } = sharedLines(folder, 'sites', file);
    const lines = all.filter((_, k) => k % every === 0);
    const names = header.split(',');
    sites.push(lines.map(() => rows++));
    for (const line of lines) {
      const own = line.split(',');
      for (const name of columns) {
        const text = own[names.indexOf(name)];
        const value = text === '?' ? Number.NaN : Number(text);
        const code = levels[name]?.findIndex((level) => Number(level) === value);
        cells[name].push(code === undefined ? value : code < 0 ? Number.NaN : code);
      }
    }
  }
  return { table: tableOf(cells, levels), sites };
}

const upTo = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, k) => String(from + k));

/** Wine of two kinds, bicycles hired in eight seasons, and hearts in four hospitals. */
const tables: Readonly<Record<string, () => Real>> = {
  wine() {
    const { header } = sharedLines('wine-quality', 'sites', 'red.csv');
    const columns = header.split(',');
    const real = realTable('wine-quality', ['red.csv', 'white.csv'], columns, {});
    return { ...real, formula: 'quality ~ .', part: 4 };
  },
  bicycles() {
    const seasons = ['yr0', 'yr1'].flatMap((year) =>
      upTo(1, 4).map((s) => `${year}-season${s}.csv`),
    );
    const numbers = ['temp', 'atemp', 'hum', 'windspeed', 'cnt'];
    const levels = {
      hr: upTo(0, 23),
      weekday: upTo(0, 6),
      mnth: upTo(1, 12),
      weathersit: upTo(1, 4),
    };
    const columns = [...numbers, ...Object.keys(levels)];
    return {
      ...realTable('bike-sharing', seasons, columns, levels, enduring ? 1 : 5),
      formula: 'cnt ~ .',
      part: 5, // every fourth hour would be the same six hours of each day
    };
  },
  hearts() {
    const hospitals = ['cleveland', 'hungarian', 'switzerland', 'va'].map((name) => `${name}.csv`);
    const numbers = ['age', 'sex', 'trestbps', 'chol', 'thalach', 'exang', 'oldpeak', 'num'];
    const levels = { cp: upTo(1, 4), restecg: upTo(0, 2) };
    const columns = [...numbers, ...Object.keys(levels)];
    return { ...realTable('uci-heart', hospitals, columns, levels), formula: 'num ~ .', part: 2 };
  },
};

/** The residual variance that the sites' report has. */
function varianceOf(study: TableStudy, { table, sites }: Real): number {
  const { report } = federated(study, table, sites);
  if (typeof report === 'string') throw new Error(report);
  return (report.glance?.sigma ?? Number.NaN) ** 2;
}

/** The study that asks for a choice, as its text says. */
function asking(study: TableStudy, { name, ask = '' }: SendingChoice): TableStudy {
  if (name === 'fewer columns') {
    return { ...study, formula: `${study.formula.split('~')[0]}~ ${ask}` };
  }
  const terms = projectionMap.option?.read(ask.replace('--projection ', ''));
  if (terms === undefined) throw new Error(`no study can ask for ${name}`);
  return { ...study, features: [terms] };
}

describe.runIf(hasSharedData)('advice from a part of the rows', () => {
  it.each(Object.keys(tables))(
    '%s: what the sites then measure is within a factor of 2',
    (name) => {
      const real = tables[name]();
      const { table, formula, sites, part } = real;
      const study = studyOf(table, formula);
      const sample = everyRow(table).filter((r) => r % part === 1);
      const { statistic } = summaryOf(agreement(study), table, sample);
      const rows = Math.round(table.rows / sites.length);
      const { choices } = sendingCosts(study, statistic, { sites: sites.length, rows });
      const exact = varianceOf(study, real);
      const tried = choices.filter(({ basis, ask }) => basis === 'sample' && ask !== undefined);
      // The check takes some of them, `npm run endure` all.
      const some = enduring ? tried : tried.filter((_, k) => k % 3 === k % 2 || k > 10);
      let clear = 0;
      for (const choice of some) {
        const { name: what, size, error, interval: [low, high] = [0, 0] } = choice;
        const measured = varianceOf(asking(study, choice), real) / exact - 1;
        const why = `${what} ${size}: ${error} (${low} to ${high}) expected, ${measured} measured`;
        // Within a factor of 2 of something that the interval has.
        expect(measured, why).toBeGreaterThan(low / 2);
        expect(measured, why).toBeLessThan(2 * high);
        // Of the expected error itself, where the sample can tell that much.
        if ((error ?? 0) > 2 * low || high > 2 * (error ?? 0)) continue;
        clear++;
        expect(Math.abs(Math.log2((error ?? Number.NaN) / measured)), why).toBeLessThan(1);
      }
      expect(clear).toBeGreaterThanOrEqual(3);
    },
  );
});
