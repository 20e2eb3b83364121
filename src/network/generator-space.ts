import type { Kernels } from '../numeric/kernels.ts';

/** Values of a batch in kernel memory, and the gradient by them: bytes. */
export interface BatchValues {
  readonly values: number;
  readonly gradient: number;
}

/** Where the layers of a generator work. */
export interface GeneratorSpace {
  readonly kernels: Kernels;
  /** Examples of a batch. */
  readonly batch: number;
  /** Bytes of all weights, and of the gradient by them. */
  readonly weights: BatchValues;
}

/** A layer of a generator in kernel memory. */
export interface RunningLayer {
  readonly made: BatchValues;
  forward(): void;
  /** From the gradient by what was made in the last pass to those by the inputs and the weights. */
  backward(): void;
}

/** Room for a batch of `count` numbers each; vectors may reach three rows of `pitch` numbers beyond. */
export function batchValues(
  { kernels, batch }: Pick<GeneratorSpace, 'kernels' | 'batch'>,
  count: number,
  pitch: number,
): BatchValues {
  const bytes = 4 * batch * count + 12 * pitch + 64;
  return { values: kernels.allocate(bytes), gradient: kernels.allocate(bytes) };
}
