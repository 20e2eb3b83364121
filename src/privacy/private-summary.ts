import type { Design } from '../features/design.ts';
import { BLOCK_ROWS } from '../numeric/gram.ts';
import { createKernels } from '../numeric/kernels.ts';
import { completeRows, rowsAt } from '../statistic/complete-rows.ts';
import type { Summarizer, SummarizerOptions } from '../statistic/cross-product.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { missingCells } from '../statistic/missing-cells.ts';
import { formulaColumns, parseFormula } from '../study/formula.ts';
import type { PrivacyTerms } from '../study/study.ts';
import type { Block } from '../table/columns.ts';
import { boundedCells, type PublicRanges } from './bounded-cells.ts';
import { keptRowsOfPeople } from './people.ts';
import { privateRows } from './private-rows.ts';
import { privateSums } from './private-sums.ts';

const CAPACITY = 4 * BLOCK_ROWS;

/**
 * Reduces blocks to exact sums of scaled, truncated rows. A block's columns are the design's variables, and one more with the
 * person's id if the study protects people. `ranges` are those of the variables. No row is refused: others would see it.
 * Noise is not added here.
 */
export function privateSummarizer(
  design: Design,
  layout: LinearLayout,
  terms: PrivacyTerms,
  ranges: PublicRanges,
  options: SummarizerOptions,
): Summarizer<LinearLayout> {
  const people = terms.unit === 'person' ? keptRowsOfPeople(terms) : undefined;
  const cells = boundedCells(design.variables, ranges);
  const missing = missingCells([...design.variables, terms.person ?? ''], options);
  const capacity = options.fewRows ? BLOCK_ROWS : CAPACITY;
  const kernels = options.kernels ?? createKernels();
  const sums = privateSums(layout, kernels, capacity, options.grams);
  const scale = privateRows(layout, capacity);
  // The design has the constant only with an intercept; z always has it.
  const skip = design.intercept ? 0 : 1;
  const response = layout.references.length - 1;
  const labels = terms.protects === 'labels' ? labelCells(design) : undefined;
  let rows = 0;
  let dropped = 0;
  let clipped = 0;
  let unlabelled = 0;
  let beyondPerson = 0;
  let valueless = 0;

  const addPart = (
    block: Block,
    rowOf: (r: number) => number,
    indexOf: (r: number) => number,
    blank: Uint8Array | undefined,
  ): void => {
    const columns = sums.columns.map(({ hi }) => kernels.f64(hi, capacity));
    columns[0].fill(1, 0, block.rows);
    const asked = columns.slice(skip);
    const without = { predictor: new Set<number>(), response: new Set<number>() };
    design.evaluate(
      block,
      { file: options.file, rowOf, valueless: (r, part) => without[part].add(r) },
      asked,
      asked.map(() => undefined),
    );
    for (let r = 0; blank !== undefined && r < block.rows; r++) {
      if (blank[indexOf(r)] === 1) without.response.add(r);
    }
    const lost = without.predictor;
    for (const r of without.response) {
      if (labels === undefined) lost.add(r);
      else columns[response][r] = layout.references[response].center;
      if (!lost.has(r)) unlabelled++;
    }
    for (const r of lost) clearRow(layout, columns, r);
    valueless += lost.size;
    rows += block.rows - lost.size;
    dropped += lost.size;
    options.watchRows?.(block.rows, columns, indexOf);
    clipped += scale(block.rows, columns);
    sums.add(block.rows);
  };

  const add: Summarizer['add'] = (read, rowOf) => {
    const inside = cells.bound(read);
    people?.meet(inside.columns[inside.columns.length - 1].subarray(0, inside.rows));
    const { block, blank } = labels?.(inside) ?? { block: inside, blank: undefined };
    const complete = completeRows(block, missing.counter(rowOf));
    const used = people === undefined ? complete : firstOfPeople(complete);
    dropped += read.rows - used.block.rows;
    for (let from = 0; from < used.block.rows; from += capacity) {
      const to = Math.min(used.block.rows, from + capacity);
      const part = {
        rows: to - from,
        columns: used.block.columns.map((column) => column.subarray(from, to)),
      };
      const indexOf = (r: number) => used.origin?.[from + r] ?? from + r;
      addPart(part, (r) => rowOf(indexOf(r)), indexOf, blank);
    }
  };

  const firstOfPeople = ({ block, origin }: ReturnType<typeof completeRows>) => {
    const ids = block.columns[block.columns.length - 1].subarray(0, block.rows);
    const kept = people!.keep(ids);
    beyondPerson += block.rows - kept.length;
    if (kept.length === block.rows) return { block, origin };
    const picked = rowsAt(block, kept);
    return { block: picked.block, origin: kept.map((r) => origin?.[r] ?? r) };
  };

  /** The number of rows in the statistic. If it is public, a row or person that adds nothing counts too. */
  const counted = (): number => {
    if (!revealsRows(terms)) return rows;
    return people === undefined || labels !== undefined ? rows + dropped : people.number;
  };

  const finish: Summarizer<LinearLayout>['finish'] = () => ({
    statistic: { layout, values: sums.total(counted()) },
    rows,
    clipped,
    dropped,
    missing: missing.counts,
    adjusted: { bounded: cells.counts, unlabelled, beyondPerson, valueless },
  });
  return { add, finish };
}

/** Whether a study publishes the exact number of rows: neighbouring data sets then have the same number. */
export function revealsRows({ neighbours, protects }: PrivacyTerms): boolean {
  return neighbours === 'replace-one' || protects === 'labels';
}

/** Makes a row add nothing to the sums. */
function clearRow({ references }: LinearLayout, columns: readonly Float64Array[], r: number): void {
  columns.forEach((values, j) => {
    values[r] = j === 0 ? 0 : references[j].center;
  });
}

/**
 * Fills missing cells of the response, and says in which rows. If only the response is secret, dropping such a row would
 * change the public sums and so reveal it.
 */
function labelCells({ formula, variables }: Design): (block: Block) => {
  readonly block: Block;
  readonly blank: Uint8Array;
} {
  const { responses } = formulaColumns(parseFormula(formula));
  const places = new Set(responses.map((name) => variables.indexOf(name)));
  return ({ rows, columns }) => {
    const blank = new Uint8Array(rows);
    const filled = columns.map((values, place) => {
      if (!places.has(place)) return values;
      return values.map((value, r) => {
        if (!Number.isNaN(value)) return value;
        if (r < rows) blank[r] = 1;
        return 0;
      });
    });
    return { block: { rows, columns: filled }, blank };
  };
}
