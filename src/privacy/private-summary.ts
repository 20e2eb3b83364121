import { DataError } from '../data-error.ts';
import type { Design } from '../features/design.ts';
import { BLOCK_ROWS } from '../numeric/gram.ts';
import { createKernels } from '../numeric/kernels.ts';
import { completeRows } from '../statistic/complete-rows.ts';
import type { Summarizer, SummarizerOptions } from '../statistic/cross-product.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { missingCells } from '../statistic/missing-cells.ts';
import { formulaColumns, parseFormula } from '../study/formula.ts';
import type { PrivacyTerms } from '../study/study.ts';
import type { Block } from '../table/columns.ts';
import { rowsOfPeople } from './people.ts';
import { privateRows } from './private-rows.ts';
import { privateSums } from './private-sums.ts';

const CAPACITY = 4 * BLOCK_ROWS;

/**
 * Reduces blocks to exact sums of scaled, truncated rows. A block's columns are the design's variables, and one more with the
 * person's id if the study protects people. Noise is not added here.
 */
export function privateSummarizer(
  design: Design,
  layout: LinearLayout,
  terms: PrivacyTerms,
  options: SummarizerOptions,
): Summarizer<LinearLayout> {
  const people = terms.unit === 'person' ? rowsOfPeople(terms, options.file) : undefined;
  const missing = missingCells([...design.variables, terms.person ?? ''], options);
  const capacity = options.fewRows ? BLOCK_ROWS : CAPACITY;
  const kernels = options.kernels ?? createKernels();
  const sums = privateSums(layout, kernels, capacity, options.grams);
  const scale = privateRows(layout, capacity);
  // The design has the constant only with an intercept; z always has it.
  const skip = design.intercept ? 0 : 1;
  const telling = revealsRows(terms);
  const refuseMissing = missingResponses(design, options);
  let rows = 0;
  let dropped = 0;
  let clipped = 0;

  const addPart = (
    block: Block,
    rowOf: (r: number) => number,
    indexOf: (r: number) => number,
  ): void => {
    const columns = sums.columns.map(({ hi }) => kernels.f64(hi, capacity));
    columns[0].fill(1, 0, block.rows);
    const asked = columns.slice(skip);
    design.evaluate(
      block,
      { file: options.file, rowOf },
      asked,
      asked.map(() => undefined),
    );
    options.watchRows?.(block.rows, columns, indexOf);
    clipped += scale(block.rows, columns);
    sums.add(block.rows);
  };

  const add: Summarizer['add'] = (block, rowOf) => {
    const { block: complete, origin } = completeRows(block, missing.counter(rowOf));
    dropped += block.rows - complete.rows;
    if (terms.protects === 'labels' && complete.rows < block.rows) refuseMissing(block, rowOf);
    rows += complete.rows;
    people?.add(complete.columns[complete.columns.length - 1].subarray(0, complete.rows));
    for (let from = 0; from < complete.rows; from += capacity) {
      const to = Math.min(complete.rows, from + capacity);
      const part = {
        rows: to - from,
        columns: complete.columns.map((column) => column.subarray(from, to)),
      };
      const indexOf = (r: number) => origin?.[from + r] ?? from + r;
      addPart(part, (r) => rowOf(indexOf(r)), indexOf);
    }
  };

  const finish: Summarizer<LinearLayout>['finish'] = () => {
    people?.refuseTooMany();
    return {
      // If the number of rows is public, a row with a missing cell counts, but adds nothing.
      statistic: { layout, values: sums.total(telling ? rows + dropped : rows) },
      rows,
      clipped,
      dropped,
      missing: missing.counts,
    };
  };
  return { add, finish };
}

/** Whether a study publishes the exact number of rows: neighbouring data sets then have the same number. */
export function revealsRows({ neighbours, protects }: PrivacyTerms): boolean {
  return neighbours === 'replace-one' || protects === 'labels';
}

/** If only the response is secret, dropping a row would reveal that its response is missing. */
function missingResponses(
  { formula, variables }: Design,
  { file }: SummarizerOptions,
): (block: Block, rowOf: (r: number) => number) => void {
  const { responses } = formulaColumns(parseFormula(formula));
  return (block, rowOf) => {
    for (const column of responses) {
      const values = block.columns[variables.indexOf(column)].subarray(0, block.rows);
      const row = values.findIndex(Number.isNaN);
      if (row < 0) continue;
      throw new DataError(
        'a response is missing, and the study protects only responses: dropping the row would reveal this',
        { file, row: rowOf(row), column },
        'give a file in which every row has its response',
      );
    }
  };
}
