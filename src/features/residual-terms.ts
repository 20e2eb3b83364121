import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import { resolutionSchema } from '../study/resolution-schema.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { Feature, ResolutionName } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import { LARGEST_DIMENSION, seedSchema } from './map-limits.ts';

declare module '../study/study.ts' {
  interface Features {
    readonly residual: ResidualFeature;
  }
}

/**
 * Layers that are added one a contact: the columns X, and `dimension` hidden columns F = max(0, XR + b) with R and b from the
 * seed. The published coefficients of X and F give the next X, as many columns as before.
 */
export interface ResidualFeature {
  readonly kind: 'residual';
  /** The map that makes the first X; the formula's columns in their public units unless given. */
  readonly of?: BaseFeature;
  /** Number of hidden columns. */
  readonly dimension: number;
  /** A 32-bit whole number. */
  readonly seed: number;
  /** Contacts planned in all; 1 unless given. */
  readonly contacts?: number;
  /** One for each contact that is done. */
  readonly layers?: readonly ResidualLayer[];
  /** The resolution that the last layer is from; a coordinator that has it compares the two. */
  readonly from?: ResolutionName;
}

/** A map that others can be built on. */
export type BaseFeature = Exclude<Feature, { readonly kind: 'residual' }>;

/** X + clip([1, F]·hidden)·output is the next X. Both factors are row-major float64, little-endian, in base64. */
export interface ResidualLayer {
  /** (1 + dimension) × rank. */
  readonly hidden: string;
  /** rank × columns of X. */
  readonly output: string;
  /** The error of the fit that it is from, by GCV, as a share of the variance. */
  readonly score?: number;
}

export const MOST_CONTACTS = 10;

function shape(z: Zod, of: zod.ZodType<BaseFeature>) {
  const base64 = z
    .string()
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64')
    .refine((text) => text.length % 4 === 0, 'must be base64');
  return z.strictObject({
    kind: z.literal('residual'),
    of: of.optional(),
    dimension: z.int().min(1).max(LARGEST_DIMENSION),
    seed: seedSchema(z),
    contacts: z.int().min(1).max(MOST_CONTACTS).optional(),
    layers: z
      .array(
        z.strictObject({ hidden: base64, output: base64, score: z.number().min(0).optional() }),
      )
      .min(1)
      .max(MOST_CONTACTS - 1)
      .optional(),
    from: resolutionSchema(z).optional(),
  });
}
assertSameJson<zod.infer<ReturnType<typeof shape>>, ResidualFeature>('same');

/** The JSON of its terms; `of` is that of the maps it can be built on. */
export function residualSchema(z: Zod, of: zod.ZodType<BaseFeature>): zod.ZodObject {
  return shape(z, of);
}

/** The factors of a layer as numbers. */
export interface LayerFactors {
  readonly rank: number;
  readonly hidden: Float64Array;
  readonly output: Float64Array;
}

/** The factors of every layer; refuses those that do not fit `columns` columns X. */
export function layerFactors(terms: ResidualFeature, columns: number): LayerFactors[] {
  const { layers = [], dimension, from } = terms;
  if (layers.length === 0 && from !== undefined) {
    throw new DataError(
      'the study names a resolution ("from") and no layers from it',
      {},
      'give both, or neither',
    );
  }
  return layers.map((layer, t) => {
    const hidden = numbersOf(layer.hidden);
    const output = numbersOf(layer.output);
    const rank = output.length / columns;
    const fits = isRank(rank, columns) && hidden.length === (1 + dimension) * rank;
    if (fits && [hidden, output].every((factor) => factor.every(Number.isFinite))) {
      return { rank, hidden, output };
    }
    throw new DataError(
      `layer ${t + 1} of the study does not fit ${columns} columns and ${dimension} hidden ones`,
      {},
      'make the next contact anew from the model of the one before',
    );
  });
}

/** More steps than columns of X would be sums of others. */
function isRank(rank: number, columns: number): boolean {
  return Number.isInteger(rank) && rank > 0 && rank <= columns;
}

/** Numbers as base64 of float64, little-endian. */
export function numbersText(numbers: Float64Array): string {
  const bytes = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((value, k) => {
    bytes.setFloat64(8 * k, value, true);
  });
  return toBase64(new Uint8Array(bytes.buffer));
}

/** What `numbersText` wrote; empty for another text. */
function numbersOf(text: string): Float64Array {
  const bytes = fromBase64(text);
  if (bytes.length % 8 !== 0) return new Float64Array(0);
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 8 }, (_, k) => view.getFloat64(8 * k, true));
}
