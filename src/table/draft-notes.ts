import { type Codebook, SITE_COLUMN } from '../study/codebook.ts';
import { deparse } from '../study/formula-expression.ts';
import type { Draft } from './draft.ts';
import type { DraftedCodebook } from './draft-codebook.ts';
import { levelFinder } from './levels.ts';
import { DAYS } from './written-date.ts';
import { formOf } from './written-number.ts';

/** Levels that fewer rows have can point to a person. */
const FEW_ROWS = 3;

/** A category with levels that hardly any row has. */
export interface RareLevels {
  readonly column: string;
  readonly levels: number;
  /** How many of its levels fewer than three rows have. */
  readonly rare: number;
}

/** What was left out of ".", and why. */
export function leftOutNotes(leftOut: DraftedCodebook['leftOut']): string[] {
  if (leftOut.length === 0) return [];
  const names = leftOut.map(({ column, texts }) => `${column} (${texts} different texts)`);
  return [
    `left out of ".", because nearly every row has a text of its own: ${names.join(', ')}. To use such a text as levels, name it in the formula: factor(${deparse({ kind: 'name', name: leftOut[0]!.column, position: 0 })})`,
  ];
}

/** How columns are read, where a person may expect something else. */
export function readingNotes(codebook: Codebook): string[] {
  return Object.entries(codebook).flatMap(([name, column]) => {
    if (column.type === 'number')
      return column.unit === undefined ? [] : [unitNote(name, column.unit)];
    if (column.type !== 'category') return [];
    return mixedNote(name, column.levels);
  });
}

function unitNote(name: string, unit: string): string {
  return unit === DAYS
    ? `${name}: dates are read as numbers, in ${DAYS}`
    : `${name}: the numbers are written with ${unit}, and read as numbers in ${unit}`;
}

function mixedNote(name: string, levels: readonly string[]): string[] {
  const numbers = levels.filter((level) => formOf(level).is === 'number').length;
  if (numbers === 0 || numbers === levels.length) return [];
  return [
    `${name}: some of its texts are numbers and some are not, so all ${levels.length} are read as levels`,
  ];
}

/** The categories with levels that fewer than three rows have. */
export function rareLevels(codebook: Codebook, { columns }: Draft): RareLevels[] {
  return Object.entries(codebook).flatMap(([column, { type, levels }]) => {
    const texts = columns.get(column)?.texts;
    if (type !== 'category' || texts === undefined || column === SITE_COLUMN) return [];
    const find = levelFinder(levels);
    const rows = levels.map(() => 0);
    for (const [text, count] of texts) {
      const level = find(text);
      if (level >= 0) rows[level]! += count;
    }
    const rare = rows.filter((count) => count < FEW_ROWS).length;
    return rare === 0 ? [] : [{ column, levels: levels.length, rare }];
  });
}

/** The warning before such a category is published. */
export function rareNote({ column, levels, rare }: RareLevels): string {
  const which =
    rare === levels ? `each of its ${levels} levels` : `${rare} of its ${levels} levels`;
  return `${column}: fewer than ${FEW_ROWS} rows of your file have ${which}. Every level is published with the study, and such a level can point to a person. Group rare levels, or leave the column out`;
}
