import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { studyDesign } from '../features/study-design.ts';
import { crossProductLayout, summarizer } from '../statistic/cross-product.ts';
import type { Codebook } from '../study/codebook.ts';
import type { TableStudy } from '../study/study.ts';
import { tableColumns } from './fusion-entry.ts';
import type { Method, Regression } from './method.ts';

/** The sites' half of every fusion that is solved from sums of products: what they read, add up and send. */
type SumsOfProducts = Pick<
  Method,
  'layout' | 'rowsLayout' | 'columns' | 'additive' | 'wholeFile' | 'summarize' | 'release'
> & { readonly regression: Regression };

/** A category on the left side becomes an indicator for each level. */
export function sumsOfProducts(study: TableStudy): SumsOfProducts {
  const { arithmetic, grid = 44, weights, codebook } = study;
  const design = studyDesign(study, 'indicators');
  const largest = weights === undefined ? null : largestWeight(codebook, weights);
  const layout = crossProductLayout(design, { arithmetic, grid, largestWeight: largest });
  return {
    layout,
    rowsLayout: layout,
    columns: tableColumns(study, design, weights),
    regression: { study, design, layout },
    // Compact sums are rounded once at each site.
    additive: arithmetic === 'exact' ? 'rows' : 'sites',
    wholeFile: false,
    summarize: (options) => summarizer(design, layout, { ...options, ...defined({ weights }) }),
    release: (sums) => sums,
  };
}

function largestWeight(codebook: Codebook, name: string): number {
  const column = codebook[name];
  if (column?.type !== 'number' || column.range === undefined) {
    throw new DataError(
      'weights must be a number column with a range',
      { column: name },
      'give it a range in the codebook, such as [0, 10]',
    );
  }
  const [smallest, largest] = column.range;
  if (!(smallest >= 0 && largest > 0)) {
    throw new DataError(
      'weights must not be negative and not all zero',
      { column: name },
      'correct the weights, or the range the codebook gives them',
    );
  }
  return largest;
}
