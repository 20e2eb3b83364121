import { probability, significant } from '../../../src/model/number-text.ts';
import type { Cell } from '../../ui/data-table.tsx';

/** A p-value as R prints it. */
export function pText(p: number): string {
  return p > 0 ? probability(Math.log(p)) : '< 1e-300';
}

/** A number in a table: sorted and copied in full, shown in a few digits. */
export function numberCell(value: number | null | undefined, digits = 5): Cell {
  if (value === null || value === undefined || !Number.isFinite(value)) {
    return { value: null, shown: '–' };
  }
  return { value, shown: significant(value, digits) };
}

export function pCell(p: number | null | undefined): Cell {
  return p === null || p === undefined
    ? { value: null, shown: '–' }
    : { value: p, shown: pText(p) };
}
