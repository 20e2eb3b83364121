import { DataError } from '../data-error.ts';
import type { Design } from '../features/design.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import type { EstimateFusion, TableStudy } from '../study/study.ts';

/** The layout of a site's own estimate, solved from rows of the given layout. */
export function estimateLayout(
  rows: LinearLayout,
  study: TableStudy,
  { covariance = false }: EstimateFusion,
  design: Design,
): LinearLayout {
  refuseUnusable(study, design);
  return { ...rows, estimate: { covariance } };
}

/** Refuses studies in which a site cannot solve its own regression. */
function refuseUnusable({ weights, arithmetic }: TableStudy, design: Design): void {
  if (weights !== undefined) {
    throw refused('weighted rows', 'leave the weights out, or take the ridge fusion', weights);
  }
  if (arithmetic !== 'exact') {
    throw refused('compact arithmetic', 'take "arithmetic": "exact": the numbers are few anyway');
  }
  if (design.variables.includes(SITE_COLUMN)) {
    throw refused(
      'a term of the site, which is the same in all its rows',
      'leave the term out, or take the ridge fusion',
      SITE_COLUMN,
    );
  }
  const category = design.classes.find(({ columns }) => columns.length > 1);
  if (category === undefined) return;
  throw refused(
    `a response that is a category (${category.label})`,
    `ask for one level, such as I(${category.label} == "${category.levels[1]}"), or take the ridge fusion`,
  );
}

function refused(what: string, remedy: string, column?: string): DataError {
  return new DataError(
    `an average of the sites’ own estimates is not offered for ${what}`,
    column === undefined ? {} : { column },
    remedy,
  );
}
