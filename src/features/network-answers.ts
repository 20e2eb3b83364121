import { DataError } from '../data-error.ts';
import type { Answers, Loss } from '../network/examples.ts';
import type { Design } from './design.ts';
import type { PublicUnit } from './public-unit.ts';

/** What the outputs of a network stand for: a score for every level of one category, or the responses in their public units. */
export interface NetworkAnswers {
  readonly loss: Loss;
  /** Number of outputs. */
  readonly outputs: number;
  /** For each output its unit; that of a score is 1. */
  readonly units: readonly PublicUnit[];
  /** What the network should say of evaluated rows; `values` are the columns of the design. */
  read(values: readonly Float64Array[], rows: number): Answers;
}

/** The outputs that suit the left side of a design; refuses a category beside other responses. */
export function networkAnswers(design: Design): NetworkAnswers {
  const { classes, responses } = design;
  const own = design.columns.slice(-responses);
  const answered = (values: readonly Float64Array[]) => values.slice(-responses);
  if (classes.length === 0) {
    const units = own.map(({ publicUnit }) => publicUnit);
    return {
      loss: 'numbers',
      outputs: responses,
      units,
      read: (values, rows) => ({
        kind: 'numbers',
        numbers: numbersOf(answered(values), units, rows),
      }),
    };
  }
  const [{ label, levels, columns }, ...others] = classes;
  if (others.length > 0 || columns.length !== responses) {
    throw new DataError(
      `a network learns one category or numbers, and the formula has ${label} beside other responses`,
      {},
      'leave the category alone on the left side, or leave it out',
    );
  }
  return {
    loss: 'classes',
    outputs: levels.length,
    units: levels.map(() => ({ center: 0, scale: 1 })),
    read: (values, rows) => ({ kind: 'classes', classes: classesOf(answered(values), rows) }),
  };
}

function numbersOf(
  columns: readonly Float64Array[],
  units: readonly PublicUnit[],
  rows: number,
): Float32Array {
  const numbers = new Float32Array(rows * columns.length);
  columns.forEach((values, k) => {
    const { center, scale } = units[k];
    for (let r = 0; r < rows; r++) numbers[r * columns.length + k] = (values[r] - center) / scale;
  });
  return numbers;
}

/** The level of every row: the indicator that is 1, or of two levels the indicator of the second. */
function classesOf(indicators: readonly Float64Array[], rows: number): Uint16Array {
  if (indicators.length === 1) return Uint16Array.from(indicators[0].subarray(0, rows));
  return Uint16Array.from({ length: rows }, (_, r) =>
    indicators.findIndex((values) => values[r] === 1),
  );
}
