import { type Codebook, SITE_COLUMN } from '../study/codebook.ts';
import { MOST_LEVELS } from './many-levels.ts';
import { formOf } from './written-number.ts';

/** What a person should think over about the levels of one column. */
export interface LevelNote {
  readonly column: string;
  readonly text: string;
}

const PUBLISHED =
  'Every level is published with the study, and such a level can point to a person: group the levels, or leave the column out';

/** Levels that look like the values of single rows, before a study with them is published. */
export function publishedNotes(codebook: Codebook): LevelNote[] {
  return categories(codebook).flatMap(({ column, levels }) => {
    const look = LOOKS.find(({ test }) => 2 * levels.filter(test).length > levels.length)?.look;
    const many = levels.length > MOST_LEVELS ? `it has ${levels.length} levels` : undefined;
    const why = look === undefined ? many : `its levels look like ${look}`;
    return why === undefined ? [] : [{ column, text: `${column}: ${why}. ${PUBLISHED}` }];
  });
}

/** Ways in which two levels may be one, written differently. */
const WAYS: readonly {
  readonly differ: string;
  readonly between: string;
  readonly bare: (level: string) => string;
}[] = [
  {
    differ: 'in upper and lower case',
    between: ', ',
    bare: (level) => level.trim().toLowerCase(),
  },
  {
    differ: 'in the decimal mark',
    between: '; ',
    bare: (level) => level.trim().replace(/^([+-]?\d*),(\d+)$/, '$1.$2'),
  },
];

/** Levels that are one word in upper and in lower case, or one number with a point and with a comma. */
export function twinNotes(codebook: Codebook): LevelNote[] {
  return categories(codebook).flatMap(({ column, levels }) =>
    WAYS.flatMap(({ differ, between, bare }) => {
      const all = levels.map(bare);
      const twins = levels.filter((_, k) => all.indexOf(all[k]!) !== all.lastIndexOf(all[k]!));
      if (twins.length === 0) return [];
      const text = `${column}: levels that differ only ${differ}: ${twins.join(between)}. If they are the same, write them the same`;
      return [{ column, text }];
    }),
  );
}

function categories(codebook: Codebook): { column: string; levels: readonly string[] }[] {
  return Object.entries(codebook).flatMap(([column, { type, levels }]) =>
    type === 'category' && column !== SITE_COLUMN ? [{ column, levels }] : [],
  );
}

const NAME = /^\p{Lu}[\p{Ll}'’-]+(?:,? \p{Lu}[\p{L}'’.-]*)+\d*$/u;
const ID = /^[A-Za-z]{0,3}[-_ ]?\d{4,}$/;

const LOOKS: readonly { readonly look: string; readonly test: (level: string) => boolean }[] = [
  { look: 'dates', test: (level) => formOf(level).is === 'date' },
  {
    look: 'measurements',
    test: (level) => /\d[.,]\d/.test(level) && formOf(level).is === 'number',
  },
  { look: 'ids', test: (level) => ID.test(level) },
  { look: 'names of persons', test: (level) => NAME.test(level) },
];
