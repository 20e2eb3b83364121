const SIDE = 28;
const WINDOW = 7;
/** Constants of SSIM for values from 0 to 1 (Wang et al. 2004). */
const C1 = 0.01 * 0.01;
const C2 = 0.03 * 0.03;

/** How alike images are, pixels from 0 to 1. */
export interface Similarity {
  /** Mean squared error of a pixel. */
  readonly error: number;
  /** Peak signal to noise in decibels, of that error. */
  readonly psnr: number;
  /** Mean structural similarity, windows of 7 × 7: 1 for the same image. */
  readonly ssim: number;
}

/** The similarity of images with others: means over all pairs. */
export function meanSimilarity(
  images: readonly Float32Array[],
  others: readonly Float32Array[],
): Similarity {
  let error = 0;
  let ssim = 0;
  for (const image of images) {
    for (const other of others) {
      error += squaredError(image, other);
      ssim += structural(image, other);
    }
  }
  const pairs = images.length * others.length;
  const mean = error / pairs;
  return { error: mean, psnr: -10 * Math.log10(mean), ssim: ssim / pairs };
}

function squaredError(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k]! - b[k]!) * (a[k]! - b[k]!);
  return sum / a.length;
}

/** SSIM with uniform windows and covariances over n − 1, as scikit-image has it. */
export function structural(a: Float32Array, b: Float32Array): number {
  const count = WINDOW * WINDOW;
  const last = SIDE - WINDOW;
  let total = 0;
  for (let top = 0; top <= last; top++) {
    for (let left = 0; left <= last; left++) {
      let [sa, sb, saa, sbb, sab] = [0, 0, 0, 0, 0];
      for (let y = top; y < top + WINDOW; y++) {
        for (let k = y * SIDE + left; k < y * SIDE + left + WINDOW; k++) {
          const [x, z] = [a[k]!, b[k]!];
          sa += x;
          sb += z;
          saa += x * x;
          sbb += z * z;
          sab += x * z;
        }
      }
      const [ma, mb] = [sa / count, sb / count];
      const va = (saa - sa * ma) / (count - 1);
      const vb = (sbb - sb * mb) / (count - 1);
      const vab = (sab - sa * mb) / (count - 1);
      total += ((2 * ma * mb + C1) * (2 * vab + C2)) / ((ma * ma + mb * mb + C1) * (va + vb + C2));
    }
  }
  return total / ((last + 1) * (last + 1));
}
