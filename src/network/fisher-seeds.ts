import { namedWords } from '../random/named-words.ts';
import type { Loss } from './examples.ts';
import { softmax } from './loss.ts';

/** One label drawn from the model's own distribution for every row, instead of the expectation over all. */
export interface DrawnLabels {
  readonly seed: number;
}

/** Gradients by the outputs whose outer products sum to the Fisher information of the outputs of a row. */
export interface FisherSeeds {
  readonly count: number;
  /** Writes seed s of a row to `target[s·width …]`, from its outputs at `at`. Rows come in their order. */
  fill(outputs: Float32Array, at: number, target: Float32Array): void;
}

/** The seeds of a loss: of all labels by their probabilities, or of one drawn label. */
export function fisherSeeds(loss: Loss, width: number, labels?: DrawnLabels): FisherSeeds {
  if (loss === 'numbers') return labels === undefined ? units(width) : drawnSigns(width, labels);
  return labels === undefined ? factored(width) : drawnClass(width, labels);
}

/**
 * Columns of the lower triangular L with LLᵀ = diag(q) − qqᵀ, the covariance of the label. With the tail sums Rⱼ = Σ_{k≥j} q_k:
 * Lⱼⱼ = √(qⱼ Rⱼ₊₁ / Rⱼ) and Lᵢⱼ = −qᵢ √(qⱼ / (Rⱼ Rⱼ₊₁)). One seed fewer than classes, and no difference of close numbers.
 */
function factored(width: number): FisherSeeds {
  const shares = new Float64Array(width);
  const tails = new Float64Array(width + 1);
  const count = Math.max(1, width - 1);
  return {
    count,
    fill(outputs, at, target) {
      softmax(outputs, at, shares);
      for (let k = width - 1; k >= 0; k--) tails[k] = tails[k + 1] + shares[k];
      for (let j = 0; j < count; j++) {
        const [tail, rest] = [tails[j], tails[j + 1]];
        const column = j * width;
        target.fill(0, column, column + width);
        if (!(rest > 0 && shares[j] > 0)) continue;
        target[column + j] = Math.sqrt((shares[j] * rest) / tail);
        const factor = Math.sqrt(shares[j] / tail / rest);
        for (let k = j + 1; k < width; k++) target[column + k] = -shares[k] * factor;
      }
    },
  };
}

/** For a squared error every output counts by itself, with variance 1. */
function units(width: number): FisherSeeds {
  return {
    count: width,
    fill(_outputs, _at, target) {
      target.fill(0, 0, width * width);
      for (let k = 0; k < width; k++) target[k * width + k] = 1;
    },
  };
}

function drawnClass(width: number, { seed }: DrawnLabels): FisherSeeds {
  const words = namedWords(`suffice network labels ${seed}`);
  const shares = new Float64Array(width);
  return {
    count: 1,
    fill(outputs, at, target) {
      softmax(outputs, at, shares);
      let left = words() / 2 ** 32;
      let label = 0;
      while (label < width - 1 && left >= shares[label]) left -= shares[label++];
      let others = 0;
      for (let k = 0; k < width; k++) {
        target[k] = -shares[k];
        if (k !== label) others += shares[k];
      }
      target[label] = others;
    },
  };
}

/** Signs have the covariance of standard normals. */
function drawnSigns(width: number, { seed }: DrawnLabels): FisherSeeds {
  const words = namedWords(`suffice network labels ${seed}`);
  return {
    count: 1,
    fill(_outputs, _at, target) {
      for (let k = 0; k < width; k++) target[k] = words() < 2 ** 31 ? 1 : -1;
    },
  };
}
