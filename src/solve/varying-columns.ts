import { ddArray, ddAt, ddMatrix, ddSet } from '../numeric/dd-matrix.ts';
import { isConstant } from './rounding.ts';
import type { WithinClasses } from './within-classes.ts';

/** The scatter within classes over the columns that vary there, and the names of the others. */
export function varyingWithin(within: WithinClasses): {
  readonly within: WithinClasses;
  readonly constant: readonly string[];
} {
  const { equations } = within;
  const { predictors, responses, layout, matrix, equilibration, means } = equations;
  const isStill = isConstant(equations);
  const all = Array.from({ length: predictors }, (_, j) => j);
  const constant = all.filter(isStill).map((j) => layout.columns[j + 1]);
  if (constant.length === 0) return { within, constant };
  const varying = all.filter((j) => !isStill(j));
  const kept = [...varying, ...Array.from({ length: responses }, (_, k) => predictors + k)];
  const narrow = ddMatrix(kept.length);
  kept.forEach((i, row) => {
    kept.forEach((j, column) => {
      ddSet(narrow, row * kept.length + column, ddAt(matrix, i * matrix.width + j));
    });
  });
  const narrowMeans = ddArray(kept.length);
  kept.forEach((j, place) => {
    ddSet(narrowMeans, place, ddAt(means, j));
  });
  return {
    constant,
    within: {
      ...within,
      equations: {
        ...equations,
        layout: {
          ...layout,
          columns: [layout.columns[0], ...kept.map((j) => layout.columns[j + 1])],
          references: [layout.references[0], ...kept.map((j) => layout.references[j + 1])],
        },
        predictors: varying.length,
        matrix: narrow,
        equilibration: Float64Array.from(kept, (j) => equilibration[j]),
        means: narrowMeans,
        integer: (i, j) => equations.integer(kept[i], kept[j]),
      },
    },
  };
}
