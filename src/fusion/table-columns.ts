import type { Design } from '../features/design.ts';
import { withAllowedRange } from '../features/reference.ts';
import type { TableStudy } from '../study/study.ts';
import type { ReadColumn } from './method.ts';

/** Columns of a table that a formula reads; one more, such as the weights or whose row it is, comes last. */
export function tableColumns(
  { codebook }: TableStudy,
  design: Design,
  last?: string,
): ReadColumn[] {
  const names = last === undefined ? design.variables : [...design.variables, last];
  return names.map((name) => ({ name, column: withAllowedRange(codebook[name]) }));
}
