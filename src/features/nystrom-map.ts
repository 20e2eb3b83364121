import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type * as zod from 'zod';
import { defined } from '../defined.ts';
import { rowProjector } from '../numeric/project-rows.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { Zod } from '../study/zod.ts';
import {
  bandwidthOf,
  bandwidthSchema,
  bandwidthText,
  readBandwidth,
  readKernel,
  refuseBroad,
  refuseNarrow,
} from './bandwidth.ts';
import { covarianceKernel, type KernelName, kernelNames } from './covariance-kernels.ts';
import type { Design, DesignColumn } from './design.ts';
import type { FeatureMap } from './feature-map.ts';
import { inverseFactor } from './inverse-factor.ts';
import { kernelDistance, writeDistances } from './kernel-distance.ts';
import { type MadeColumns, mapDesign, type RowMapper } from './map-design.ts';
import { seedSchema } from './map-limits.ts';
import { mappedReference } from './mapped-reference.ts';
import { type LandmarkRow, landmarkCount, landmarkRows } from './nystrom-landmarks.ts';
import { readChoices } from './option-choices.ts';

declare module '../study/study.ts' {
  interface Features {
    readonly nystrom: NystromFeature;
  }
}

/**
 * Kernels of a row with public landmarks, made orthogonal. A ridge over them is kernel ridge regression among functions of
 * these landmarks (Williams & Seeger 2001).
 */
export interface NystromFeature {
  readonly kind: 'nystrom';
  /** Rows in the user's units that anyone may know, or how many to draw from the codebook. */
  readonly landmarks: number | readonly LandmarkRow[];
  readonly kernel: KernelName;
  /** In public units; by the kernel's rule unless given. */
  readonly bandwidth?: number;
  /** Of drawn landmarks: a 32-bit whole number, 1 unless given. */
  readonly seed?: number;
}

const NYSTROM = 'nystrom';
const MOST_LANDMARKS = 1000;

function schema(z: Zod) {
  return z.strictObject({
    kind: z.literal(NYSTROM),
    landmarks: z.union([
      z.int().min(1).max(MOST_LANDMARKS),
      z
        .array(z.record(z.string(), z.union([z.number(), z.string()])))
        .min(1)
        .max(MOST_LANDMARKS),
    ]),
    kernel: z.enum(kernelNames),
    bandwidth: bandwidthSchema(z).optional(),
    seed: seedSchema(z).optional(),
  });
}
assertSameJson<zod.infer<ReturnType<typeof schema>>, NystromFeature>('same');

/** Added to the diagonal of the landmarks' kernels, so that landmarks close to each other do no harm. */
const JITTER = 2 ** -26;
/** What rounding may add to the length 1 of a row. */
const SLACK = 1e-6;

/** Columns `nystrom1` … `nystromM`: L⁻¹k(x), where LLᵀ is the matrix of the landmarks' kernels. A row's length is 1 at most. */
export const nystromMap: FeatureMap<NystromFeature> = {
  kind: NYSTROM,
  noun: 'Nyström map',
  verb: 'map',
  made: { one: 'Nyström feature', many: 'Nyström features' },
  width: landmarkCount,
  text: (terms) =>
    `${landmarkCount(terms)} Nyström features for ${covarianceKernel(terms.kernel).text}`,
  choices(terms) {
    const { landmarks, kernel, bandwidth, seed = 1 } = terms;
    const origin = typeof landmarks === 'number' ? `drawn with seed ${seed}` : given(landmarks);
    return `${kernel} kernel, ${bandwidthText(bandwidth)}, ${landmarkCount(terms)} landmarks ${origin}`;
  },
  note: () => 'fit it with a ridge chosen by gcv: without a penalty its coefficients are noise',
  bound: () => 1 + SLACK,
  apply: (design, terms) =>
    mapDesign(design, nystromMap, terms, (columns) => made(design, columns, terms)),
  schema,
  opaque: true,
  option: {
    form: '<M[,name=…]>',
    description:
      'send sums of kernels with this many landmarks drawn from the codebook: a ridge over them is close to kernel ridge regression (kernel=rbf, bandwidth by a public rule, seed=1)',
    rule: `a number of landmarks from 1 to ${MOST_LANDMARKS}, then kernel=${kernelNames.join('|')}, bandwidth=B, seed=S`,
    examples: ['100', '100,kernel=matern-3/2,bandwidth=2'],
    read(value) {
      const read = readChoices(value, ['kernel', 'bandwidth']);
      if (read === undefined) return undefined;
      const { size: landmarks, seed, choices } = read;
      const kernel = readKernel(choices.get('kernel') ?? 'rbf');
      const given = choices.get('bandwidth');
      const bandwidth = given === undefined ? undefined : readBandwidth(given);
      const isKnown = given === undefined || bandwidth !== undefined;
      if (!isKnown || kernel === undefined) return undefined;
      if (landmarks < 1 || landmarks > MOST_LANDMARKS) return undefined;
      return { kind: NYSTROM, landmarks, kernel, ...defined({ bandwidth }), seed };
    },
  },
};

/** Rows of a study by their digest: a ledger keeps this text. */
function given(landmarks: readonly LandmarkRow[]): string {
  return `given, SHA-256 ${bytesToHex(sha256(utf8ToBytes(canonicalJson(landmarks)))).slice(0, 16)}`;
}

function made(
  design: Design,
  columns: readonly DesignColumn[],
  terms: NystromFeature,
): MadeColumns {
  const { length } = columns;
  const count = landmarkCount(terms);
  const kernel = covarianceKernel(terms.kernel);
  const bandwidth = bandwidthOf(terms, length);
  const rows = landmarkRows(design, columns, terms);
  const distance = kernelDistance(kernel);
  refuseBandwidth(rows, (a, b) => distance(a, b) / bandwidth, terms, bandwidth);
  const factor = () => {
    const gram = rows.map((a, i) =>
      Float64Array.from(rows, (b, j) => {
        return kernel.value(distance(a, b) / bandwidth) + (i === j ? JITTER : 0);
      }),
    );
    return inverseFactor(gram);
  };
  const interval = { low: -1 - SLACK, high: 1 + SLACK };
  return {
    term: NYSTROM,
    columns: Array.from({ length: count }, (_, j) => ({
      name: `${NYSTROM}${j + 1}`,
      reference: mappedReference(interval, design.intercept),
      publicUnit: { center: 0, scale: 1 / Math.sqrt(count) },
      interval,
    })),
    mapper(): RowMapper {
      const combine = rowProjector(factor(), count, count);
      const row = new Float64Array(length);
      return (given, size, target) => {
        const kernels = rows.map(() => new Float64Array(size));
        for (let r = 0; r < size; r++) {
          for (let i = 0; i < length; i++) {
            row[i] = (given[i].values[r] - given[i].center) / given[i].scale;
          }
          for (let j = 0; j < count; j++) {
            kernels[j][r] = kernel.value(distance(row, rows[j]) / bandwidth);
          }
        }
        const asColumns = kernels.map((values) => ({ values, center: 0, scale: 1 }));
        combine(asColumns, size, target);
      };
    },
    write(writer) {
      const distances = writeDistances(writer, kernel, rows);
      return writer.affine(kernel.write(writer, writer.scale(distances, 1 / bandwidth)), factor());
    },
  };
}

function refuseBandwidth(
  rows: readonly Float64Array[],
  distance: (a: Float64Array, b: Float64Array) => number,
  { kernel }: NystromFeature,
  bandwidth: number,
): void {
  let [nearest, farthest] = [Number.POSITIVE_INFINITY, 0];
  rows.forEach((row, i) => {
    for (let j = 0; j < i; j++) {
      const apart = distance(row, rows[j]);
      nearest = Math.min(nearest, apart);
      farthest = Math.max(farthest, apart);
    }
  });
  if (rows.length === 1) return;
  if (covarianceKernel(kernel).value(nearest) < 2 ** -52) refuseNarrow(nystromMap.noun, bandwidth);
  if (farthest < 2 ** -20) refuseBroad(bandwidth);
}
