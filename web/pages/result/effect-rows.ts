import type { DataDescription } from '../../../src/analysis/description.ts';
import type { TermTexts } from '../../../src/features/term-text.ts';
import type { TermRow } from '../../../src/model/inference.ts';
import type { ForestRow } from '../../charts/forest-layout.ts';
import { columnText } from './term-name.tsx';

/** Units of the effects: the columns' own, or SDs of the columns and of the response. */
export type Units =
  | 'own'
  | { readonly columns: ReadonlyMap<string, number>; readonly response: number };

/** The SDs for one response; own units if the response does not vary. */
export function unitsFor({ columns }: DataDescription, response: string): Units {
  const found = columns.find(({ column }) => column === response) ?? columns.at(-1);
  if (found === undefined || !(found.sd > 0)) return 'own';
  return { columns: new Map(columns.map(({ column, sd }) => [column, sd])), response: found.sd };
}

/** The slopes of a forest plot: per SD the largest first; in own units in the order of the formula. */
export function effectRows(terms: readonly TermRow[], units: Units, names: TermTexts): ForestRow[] {
  const slopes = terms.filter(({ term }) => term !== '(Intercept)');
  if (units === 'own') {
    return slopes.map((row) => forestRow(row, names, (value) => value));
  }
  return slopes
    .flatMap((row) => {
      const sd = units.columns.get(row.term);
      if (sd === undefined) return [];
      return [forestRow(row, names, (value) => (value * sd) / units.response)];
    })
    .sort((a, b) => Math.abs(b.estimate) - Math.abs(a.estimate));
}

function forestRow(row: TermRow, names: TermTexts, inUnits: (value: number) => number): ForestRow {
  const { term, estimate } = row;
  const [low, high] = [row['conf.low'], row['conf.high']];
  return {
    label: columnText(names, term),
    estimate: inUnits(estimate),
    ...(low === undefined || high === undefined ? {} : { low: inUnits(low), high: inUnits(high) }),
  };
}
