import fc from 'fast-check';
import { encodeContribution } from '../src/statistic/envelope.ts';
import type { Grid } from '../src/statistic/linear-layout.ts';
import { type Agreement, agreement, contribution } from './linear.ts';
import { anyTable, everyRow, studyOf, summaryOf, type Table } from './tables.ts';

/** A name that needs escapes in JSON and more than one byte a character. */
export const siteName = 'Zürich "Nord" 🐧';

/** A study, the rows z of one site as another client would make them, and our own file of them. */
export interface Case {
  readonly agreed: Agreement;
  readonly z: readonly (readonly number[])[];
  readonly dropped: number;
  readonly ours: Uint8Array;
}

const formulas = [
  'y ~ 1',
  'y ~ a',
  'y ~ a - 1',
  'y ~ a + b + c + g + h',
  'y ~ b + g + h - 1',
  'y ~ a*g + c:h',
  'cbind(y, c) ~ h',
];
/** On the coarse grid a product is a float64 product; finer grids see more of it. */
const coarse = ['y ~ a:b + I(a*c)', 'y ~ b:c:g - 1'];

export function cases(grids: readonly Grid[], count: number): Case[] {
  const arbitrary = fc.record({
    table: anyTable(80),
    formula: fc.constantFrom(...formulas, ...(grids.some((grid) => grid > 44) ? [] : coarse)),
    grid: fc.constantFrom(...grids),
  });
  return fc.sample(arbitrary, { seed: 1974, numRuns: count }).map(({ table, formula, grid }) => {
    const agreed = agreement(studyOf(table, formula, { grid }));
    const summary = summaryOf(agreed, table, everyRow(table));
    const complete = everyRow(table).filter((r) =>
      agreed.columns.every(({ name }) => !Number.isNaN(table.cells[name][r])),
    );
    const z = complete.map((r) => agreed.layout.columns.map((name) => cellOf(table, name, r)));
    const ours = encodeContribution(contribution(agreed, siteName, summary));
    return { agreed, z, dropped: table.rows - complete.length, ours };
  });
}

/** A column of z as the document words it: a product of numbers and of 1 where a level holds, else 0. */
function cellOf(table: Table, name: string, r: number): number {
  const factors = name.replace(/^I\((\w+) \* (\w+)\)$/, '$1:$2').split(':');
  return factors.map((factor) => factorOf(table, factor, r)).reduce((a, b) => a * b);
}

function factorOf(table: Table, name: string, r: number): number {
  if (name === '(Intercept)') return 1;
  if (table.codebook[name]?.type === 'number') return table.cells[name][r];
  const category = Object.keys(table.codebook).find((one) => name.startsWith(one))!;
  const level = table.codebook[category].levels!.indexOf(name.slice(category.length));
  return table.cells[category][r] === level ? 1 : 0;
}

export function inputOf({ agreed, z, dropped }: Case) {
  return { layout: agreed.layout, study: agreed.digest, site: siteName, z, dropped };
}
