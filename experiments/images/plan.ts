/** What the experiments on images can be asked for. */
export interface ImagePlan {
  /** Seed of the partitions. */
  readonly seed: number;
  /** Side that CIFAR-10's images are resized to for the backbone. */
  readonly pixels: number;
  readonly quick: boolean;
}

export const defaultImagePlan: ImagePlan = { seed: 3, pixels: 96, quick: false };

/** Images for training in a quick run. */
export const QUICK_IMAGES = 10_000;

export function checkImagePlan({ pixels, seed }: ImagePlan): void {
  if (!(pixels >= 32 && pixels <= 256)) {
    throw new RangeError(`pixels must be from 32 to 256: ${pixels}`);
  }
  if (!(seed < 2 ** 32)) throw new RangeError(`seed must be below 4294967296: ${seed}`);
}
