import { type PredictingModel, predictRows } from '../../rows/predict.ts';
import { nodeHost } from '../compute/host.ts';

/** Rows of a file by their class, then by the class predicted. */
export interface ClassTable {
  readonly levels: readonly string[];
  readonly counts: readonly (readonly number[])[];
  readonly rows: number;
  readonly right: number;
}

/** Exact counts over the rows of a public file, for a model of classes; counts to give away come from `countFile`. */
export async function heldOutClasses(
  model: PredictingModel,
  path: string,
  label: string,
): Promise<ClassTable> {
  let counts: number[][] = [];
  const predicted = await predictRows(
    { model, file: { path }, extrapolate: false },
    nodeHost,
    (predictions, names, levels, [actual]) => {
      const at = names.indexOf('.class');
      if (counts.length === 0) counts = levels[at]!.map(() => levels[at]!.map(() => 0));
      predictions[at].forEach((level, row) => {
        counts[actual[row]][level]++;
      });
    },
    { beside: [label] },
  );
  const levels = predicted.levels[predicted.names.indexOf('.class')]!;
  return {
    levels,
    counts,
    rows: predicted.rows,
    right: counts.reduce((sum, row, k) => sum + row[k], 0),
  };
}
