import { probability, significant } from '../../../src/text/number-text.ts';
import type { DataCell } from '../../ui/data-table.tsx';

/** A p-value as R prints it. */
export function pValueText(p: number): string {
  return p > 0 ? probability(Math.log(p)) : '< 1e-300';
}

/** A number in a table: sorted and copied with all digits, shown with a few. */
export function numberCell(value: number | null | undefined, digits = 5): DataCell {
  if (value === null || value === undefined || !Number.isFinite(value)) {
    return { value: null, shown: '–' };
  }
  return { value, shown: significant(value, digits) };
}

export function pCell(p: number | null | undefined): DataCell {
  return p === null || p === undefined
    ? { value: null, shown: '–' }
    : { value: p, shown: pValueText(p) };
}
