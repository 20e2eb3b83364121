import { tagger } from '../disclosure/row-tags.ts';
import { sayings } from '../disclosure/sayings.ts';
import { type Agreement, codebookIn } from '../federate.ts';
import type { Column } from '../study/codebook.ts';
import type { Block } from '../table/columns.ts';
import { taggedColumns } from './tagged-columns.ts';

/** Tags rows from the columns that a reduction reads, so that no second reading is needed. */
export interface ReadTagger {
  add(block: Block): void;
  /** A tag of each row, in order, in parts; undefined if a cell may say something else than it was read as. */
  finish(): readonly BigUint64Array[] | undefined;
}

/**
 * Tags over the study's own columns, the same as those of a `TagJob`. What a cell says follows from its value, unless it is
 * missing (a marker is a text, too) or a number whose decimal mark is stated: cells such as 1,234 say the same under any. `columns` are the names of those read.
 */
export function readTagger(
  agreed: Agreement,
  columns: readonly string[],
  tagKey: Uint32Array,
): ReadTagger {
  const { cell } = sayings(tagKey);
  const readers = taggedColumns(agreed).map(({ name }) => ({
    at: columns.indexOf(name),
    said: saidBy(codebookIn(agreed)[name], cell),
  }));
  const tags = tagger(tagKey);
  let known = readers.every(({ said }) => said !== undefined);
  return {
    add(block) {
      if (!known) return;
      const values = readers.map(({ at, said }) => said!(block.columns[at]));
      known = tags.add(block.rows, values) === 0;
    },
    finish: () => (known ? tags.parts() : undefined),
  };
}

/** What the cells of a column say, from the values they were read as; undefined where the values do not tell. */
function saidBy(
  column: Column,
  says: (text: string) => number,
): ((values: Float64Array) => Float64Array) | undefined {
  if (column.type === 'category') {
    const levels = column.levels.map(says);
    return (codes) => codes.map((code) => levels[code] ?? Number.NaN);
  }
  if (column.type === 'number' && column.decimal === undefined) return (values) => values;
  return undefined;
}
