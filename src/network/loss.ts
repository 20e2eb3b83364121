import { exponential } from '../numeric/exponential.ts';
import { naturalLog } from '../random/natural-log.ts';
import type { Answers } from './examples.ts';

/**
 * The loss of the example `row`, whose outputs stand at `at`; writes its gradient by them, times `factor`, to the same place of
 * `gradient`.
 */
export type RowLoss = (
  outputs: Float32Array,
  at: number,
  row: number,
  gradient: Float32Array,
  factor: number,
) => number;

/** Softmax with cross-entropy for classes, half the squared error for numbers. */
export function lossOf(answers: Answers, width: number): RowLoss {
  return answers.kind === 'classes'
    ? crossEntropy(answers.classes, width)
    : squaredError(answers.numbers, width);
}

function crossEntropy(classes: Uint16Array | Uint8Array, width: number): RowLoss {
  if (!classes.every((own) => own < width)) {
    throw new RangeError(`every class must be below the number of outputs: ${width}`);
  }
  const shares = new Float64Array(width);
  return (outputs, at, row, gradient, factor) => {
    const level = softmax(outputs, at, shares);
    const own = classes[row];
    for (let k = 0; k < width; k++) gradient[at + k] = factor * (shares[k] - (k === own ? 1 : 0));
    return level - outputs[at + own];
  };
}

/** Shares below this count as 0: their products would be subnormal numbers, which slow some processors down. */
const LEAST_SHARE = 2 ** -60;

/** Writes the probabilities of the classes; returns log Σ exp of the outputs. */
export function softmax(outputs: Float32Array, at: number, shares: Float64Array): number {
  const most = largest(outputs, at, shares.length);
  let sum = 0;
  for (let k = 0; k < shares.length; k++) {
    shares[k] = exponential(outputs[at + k] - most);
    sum += shares[k];
  }
  for (let k = 0; k < shares.length; k++) {
    shares[k] = shares[k] < LEAST_SHARE ? 0 : shares[k] / sum;
  }
  return most + naturalLog(sum);
}

/** NaN if there is one: a diverged training must not go on. */
function largest(outputs: Float32Array, at: number, width: number): number {
  let most = outputs[at];
  for (let k = 1; k < width; k++) {
    const value = outputs[at + k];
    if (!(value <= most)) most = value;
  }
  return most;
}

function squaredError(numbers: Float32Array, width: number): RowLoss {
  return (outputs, at, row, gradient, factor) => {
    let sum = 0;
    for (let k = 0; k < width; k++) {
      const error = outputs[at + k] - numbers[row * width + k];
      gradient[at + k] = factor * error;
      sum += error * error;
    }
    return sum / 2;
  };
}
