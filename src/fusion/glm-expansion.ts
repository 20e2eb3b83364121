import { DataError } from '../data-error.ts';
import { type DdArray, ddArray, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import { type DoubleDouble, dd, ddAdd, ddScale } from '../numeric/double-double.ts';
import { crossProducts } from '../solve/normal-equations.ts';
import { entriesOf, wordsOf } from '../statistic/layout.ts';
import {
  fractionBitsOf,
  type LinearLayout,
  linearShape,
  packedIndex,
} from '../statistic/linear-layout.ts';
import { setRingEntry } from '../statistic/ring.ts';
import { findSegment } from '../statistic/segments.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import { dot, factorKept, independentColumns } from './glm-factor.ts';
import type { Family } from './glm-family.ts';
import { type Multiplier, ringInformation } from './glm-gram.ts';
import { type GlmRows, informationWeights, linearPredictor, scoreResiduals } from './glm-rows.ts';

/** A log-likelihood to second order about one β, summed block by block. */
export interface Expansion {
  add(rows: GlmRows): void;
  /** `beyond` is written where the layout has a place for it. */
  total(beyond?: Beyond): LinearStatistic;
}

/** What a site knows beyond the second order at its own optimum. */
export interface Beyond {
  /** Columns of the site that are not combinations of others. */
  readonly directions: number;
  /** ½ Σ W′ xᵀH⁻¹x x, with W′ = dW/dη: what the expansion is expected to leave out of the score. */
  readonly remainder: Float64Array;
  /** 1 where the site's own rows keep a coefficient finite, else 0. */
  readonly bounded: Float64Array;
}

/**
 * With H the information and g the score at β, ℓ(b) ≈ ℓ₊ − ½(b − β₊)ᵀH(b − β₊), where β₊ = β + H⁻¹g and
 * ℓ₊ = ℓ + ½gᵀH⁻¹g. The statistic holds H, Hβ₊ = Hβ + g, β₊ᵀHβ₊, n, ℓ₊ and Σ y: a Gram matrix of
 * (u, η) under the weights Var(y), whose residual after adding sites is Σ (β₊ₖ − b)ᵀHₖ(β₊ₖ − b).
 */
export function expansion(
  layout: LinearLayout,
  family: Family,
  beta: Float64Array,
  multiplier: Multiplier,
): Expansion {
  const width = beta.length;
  const gram = ringInformation(multiplier, layout);
  const square = (layout.weightScale ?? 1) ** 2;
  const squaredScores = layout.scores === true ? ringInformation(multiplier, layout) : undefined;
  const score = new Float64Array(width);
  const bases = new Map<number, number>();
  let count = 0;
  let logLik = 0;
  let saturated = 0;
  let base = 0;
  let responseSum = 0;
  let weightSum = 0;
  let counted = 0;
  let alone = 0;
  const baseOf = (y: number) => {
    const known = bases.get(y) ?? family.logBase(y);
    if (bases.size < 10_000) bases.set(y, known);
    return known;
  };
  return {
    add(block) {
      const { rows, columns, response, weights, offset } = block;
      const eta = linearPredictor(block, beta);
      const residual = scoreResiduals(family, block, eta);
      gram.add(block, informationWeights(family, block, eta));
      squaredScores?.add(
        block,
        residual.map((s) => (s * s) / square),
      );
      columns.forEach((values, j) => {
        score[j] += dot(values, residual, rows);
      });
      for (let r = 0; r < rows; r++) {
        const y = response[r];
        const weight = weights?.[r] ?? 1;
        logLik += weight * (family.logKernel(y, eta[r]) + baseOf(y));
        base += weight * baseOf(y);
        saturated += weight * family.saturated(y);
        responseSum += weight * y;
        weightSum += weight;
        if (weights !== undefined) counted += family.counted(y, eta[r], weight);
        if (offset !== undefined) alone += weight * (family.logKernel(y, offset[r]) + baseOf(y));
      }
      count += rows;
    },
    total(beyond) {
      const unit = likelihoodUnit(layout);
      const values = new Uint32Array(entriesOf(layout) * wordsOf(layout));
      placeInformation(values, gram.total(), layout);
      const statistic = { layout, values };
      const g = score.map((value) => value / square);
      const { moments, squared, gain } = complete(statistic, beta, g);
      const put = entryWriter(statistic);
      for (let i = 0; i < width; i++) put(packedIndex(width + 1, i, width), moments(i));
      put(packedIndex(width + 1, width, width), squared);
      const write = (name: string, ...numbers: readonly number[]) => {
        const found = findSegment(linearShape(layout), name);
        numbers.forEach((value, k) => {
          if (found !== undefined) put(found.start + k, dd(value));
        });
      };
      write('rows', count);
      write('log-likelihood', (logLik + (gain * square) / 2) / unit);
      write('sum of the response', responseSum / square);
      write('saturated log-likelihood', saturated / unit);
      write('part of the response alone', base / unit);
      write('sum of the weights', weightSum / square);
      write('log-likelihood of whole weights', counted / unit);
      write('log-likelihood of the offset alone', alone / unit);
      if (beyond !== undefined) {
        write('directions', beyond.directions);
        write('expected remainder', ...beyond.remainder.map((value) => value / square));
        write('sites that bound it', ...beyond.bounded);
      }
      if (squaredScores !== undefined) placeScores(values, squaredScores.total(), layout);
      return statistic;
    },
  };
}

/** Hβ + g, (β + H⁻¹g)ᵀH(β + H⁻¹g) and gᵀH⁻¹g from the H that a statistic holds. */
function complete(
  statistic: LinearStatistic,
  beta: Float64Array,
  g: Float64Array,
): { moments(i: number): DoubleDouble; squared: DoubleDouble; gain: number } {
  const { layout } = statistic;
  const width = beta.length;
  const matrix = crossProducts(statistic);
  const padded = ddArray(width + 1);
  beta.forEach((b, j) => {
    ddSet(padded, j, dd(b));
  });
  const image: DdArray = ddArray(width + 1);
  for (let i = 0; i < width; i++) {
    ddSet(image, i, ddDot(matrix, i * (width + 1), padded, 0, width));
  }
  const information = new Float64Array(width * width);
  for (let i = 0; i < width; i++) {
    information.set(matrix.hi.subarray(i * (width + 1), i * (width + 1) + width), i * width);
  }
  const candidates = Array.from({ length: width }, (_, j) => j).slice(layout.intercept ? 0 : 1);
  const kept = independentColumns(information, width, candidates);
  const gain = dot(g, factorKept(information, width, kept).solve(g), width);
  const cross = 2 * dot(beta, g, width);
  return {
    moments: (i) => ddAdd({ hi: image.hi[i], lo: image.lo[i] }, dd(g[i])),
    squared: ddAdd(ddDot(padded, 0, image, 0, width), dd(cross + gain)),
    gain,
  };
}

/** Copies a triangle over the constant and the predictors into one that also has the response, last. */
function placeInformation(values: Uint32Array, packed: Uint32Array, layout: LinearLayout): void {
  const words = wordsOf(layout);
  const width = layout.columns.length;
  for (let i = 0, from = 0; i < width - 1; i++) {
    const length = (width - 1 - i) * words;
    values.set(packed.subarray(from, from + length), packedIndex(width, i, i) * words);
    from += length;
  }
}

/** What likelihoods are divided by in a statistic: 1, or the square of the scale of weights. */
export function likelihoodUnit({ priorWeights, weightScale }: LinearLayout): number {
  return priorWeights === true ? (weightScale ?? 1) ** 2 : 1;
}

/** Copies the squares of the scores to their place. */
function placeScores(values: Uint32Array, packed: Uint32Array, layout: LinearLayout): void {
  const { start } = findSegment(linearShape(layout), 'squares of the scores')!;
  values.set(packed, start * wordsOf(layout));
}

/** Rounds a number once to the statistic's grid; refuses numbers whose sum over many sites might not fit the ring. */
function entryWriter({
  layout,
  values,
}: LinearStatistic): (entry: number, value: DoubleDouble) => void {
  const words = wordsOf(layout);
  const bits = fractionBitsOf(layout);
  const largest = 2 ** (32 * words - bits - 9);
  return (entry, value) => {
    if (!(Math.abs(value.hi) < largest)) {
      throw new DataError(
        'the regression has numbers too large to send',
        {},
        'start from coefficients of a fit to these data, or use exact arithmetic',
      );
    }
    const { hi, lo } = ddScale(value, 2 ** bits);
    setRingEntry(values, words, entry, BigInt(Math.round(hi)) + BigInt(Math.round(lo)));
  };
}
