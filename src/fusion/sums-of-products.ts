import { defined } from '../defined.ts';
import { studyDesign } from '../features/study-design.ts';
import { crossProductLayout, summarizer } from '../statistic/cross-product.ts';
import type { TableStudy } from '../study/study.ts';
import { tableColumns } from './fusion-entry.ts';
import { largestWeight } from './largest-weight.ts';
import type { Method, Regression } from './method.ts';

/** The sites' half of every fusion that is solved from sums of products: what they read, add up and send. */
type SumsOfProducts = Pick<
  Method,
  'layout' | 'rowsLayout' | 'columns' | 'additive' | 'wholeFile' | 'summarize' | 'release'
> & { readonly regression: Regression };

/** A category on the left side becomes an indicator for each level. */
export function sumsOfProducts(study: TableStudy): SumsOfProducts {
  const { arithmetic, grid = 44, weights } = study;
  const design = studyDesign(study, 'indicators');
  const largest = largestWeight(study) ?? null;
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
