import { decay } from '../numeric/exponential.ts';
import type { MapWriter } from './map-writer.ts';

/**
 * A kernel k(x, x′) of the distance between two rows in public units, over the bandwidth: how much two rows have in common.
 * k(x, x) is 1.
 */
export interface CovarianceKernel {
  /** Its name in a sentence: `an RBF kernel`. */
  readonly text: string;
  /** Euclidean distance, or the sum of absolute differences. */
  readonly distance: 'euclidean' | 'absolute';
  /** The kernel at a distance in bandwidths. */
  value(distance: number): number;
  /** The same of every entry, for other programs. */
  write<Matrix>(writer: MapWriter<Matrix>, distance: Matrix): Matrix;
  /** The bandwidth without one in the study: two rows of unrelated columns then have a kernel of about e⁻¹. */
  usualBandwidth(columns: number): number;
  /**
   * A frequency of bandwidth 1, from its spectral density (Rahimi & Recht 2007, Theorem 1). `direction` gives the
   * next coordinate of a normal vector.
   */
  frequency(next: () => number, direction: () => number, target: Float64Array): void;
}

export type KernelName = (typeof kernelNames)[number];

/** The names of the kernels in a study. */
export const kernelNames = ['rbf', 'laplace', 'matern-1/2', 'matern-3/2', 'matern-5/2'] as const;

const covarianceKernels: Readonly<Record<KernelName, CovarianceKernel>> = {
  rbf: {
    text: 'an RBF kernel',
    distance: 'euclidean',
    value: (distance) => decay(-(distance * distance) / 2),
    write: ({ call, scale, multiply }, distance) =>
      call('exp', scale(multiply(distance, distance), -0.5)),
    usualBandwidth: Math.sqrt,
    frequency: (_, direction, target) => fill(target, direction),
  },
  laplace: {
    text: 'a Laplace kernel',
    distance: 'absolute',
    value: (distance) => decay(-distance),
    write: ({ call, scale }, distance) => call('exp', scale(distance, -1)),
    usualBandwidth: (columns) => columns,
    frequency: (next, _, target) =>
      fill(target, () => {
        const above = next();
        return above / next();
      }),
  },
  'matern-1/2': matern(1, []),
  'matern-3/2': matern(3, [1]),
  'matern-5/2': matern(5, [1, 1 / 3]),
};

/** The kernel of a name. */
export function covarianceKernel(name: KernelName): CovarianceKernel {
  return covarianceKernels[name];
}

/** Matérn of order `twice`/2: e⁻ˢ(1 + Σ powers[k]·sᵏ⁺¹), s = √`twice`·distance (Rasmussen & Williams 2006, §4.2.1); its frequencies have a t distribution with `twice` degrees. */
function matern(twice: 1 | 3 | 5, powers: readonly number[]): CovarianceKernel {
  return {
    text: `a Matérn kernel of order ${twice}/2`,
    distance: 'euclidean',
    value(distance) {
      const s = Math.sqrt(twice) * distance;
      const last = decay(-s);
      if (last === 0) return 0;
      let [sum, power] = [1, 1];
      for (const factor of powers) {
        power *= s;
        sum += factor * power;
      }
      return sum * last;
    },
    write({ call, scale, add, multiply }, distance) {
      const s = scale(distance, Math.sqrt(twice));
      let sum = call('exp', scale(s, -1));
      let power = sum;
      for (const factor of powers) {
        power = multiply(power, s);
        sum = add(sum, scale(power, factor));
      }
      return sum;
    },
    usualBandwidth: Math.sqrt,
    frequency(next, direction, target) {
      let square = 0;
      for (let k = 0; k < twice; k++) {
        const normal = next();
        square += normal * normal;
      }
      const stretch = Math.sqrt(twice / square);
      fill(target, () => direction() * stretch);
    },
  };
}

function fill(target: Float64Array, next: () => number): void {
  for (let i = 0; i < target.length; i++) target[i] = next();
}
