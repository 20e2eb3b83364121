import type { Fit } from '../model/fit.ts';
import { type DdArray, ddArray, ddAt, ddSet } from '../numeric/dd-matrix.ts';
import { dd, ddAdd, ddMultiply, ddNegate, ddScale, ddSubtract } from '../numeric/double-double.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { siteColumn } from '../statistic/site-columns.ts';

/**
 * The residual of a row of the given site as a linear form v over the columns of a site's statistic, in units of the
 * references: (y − xb)/s_y = vᵀu, so that T_k v is the site's score. A column that the fit has for this site is added
 * to the constant.
 */
export function residualForm(
  { equations, solution, total }: Pick<Fit, 'equations' | 'solution' | 'total'>,
  response: number,
  layout: LinearLayout,
  site: string,
): DdArray {
  const { equilibration, means, predictors } = equations;
  const width = layout.columns.length;
  const own = width - 1 - layout.responses;
  const target = predictors + response;
  const form = ddArray(width);
  let constant = layout.intercept ? ddNegate(ddAt(means, target)) : dd(0);
  solution.kept.forEach((column, k) => {
    const ratio = equilibration[column] / equilibration[target];
    const slope = ddScale(ddAt(solution.coefficients[response], k), ratio);
    if (column < own) ddSet(form, column + 1, ddNegate(slope));
    else if (total.layout.columns[column + 1] === siteColumn(site)) {
      constant = ddSubtract(constant, slope);
    }
    if (layout.intercept) constant = ddAdd(constant, ddMultiply(slope, ddAt(means, column)));
  });
  ddSet(form, 0, constant);
  ddSet(form, width - layout.responses + response, dd(1));
  return form;
}
