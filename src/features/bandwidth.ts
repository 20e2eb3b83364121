import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import type { Zod } from '../study/zod.ts';
import { covarianceKernel, type KernelName, kernelNames } from './covariance-kernels.ts';

/** The kernel of a map, and its bandwidth in public units. */
export interface KernelTerms {
  readonly kernel: KernelName;
  /** Above 0; by the kernel's rule if absent. */
  readonly bandwidth?: number;
}

/** The bandwidth of a kernel over a number of columns: as given, or by the kernel's rule. */
export function bandwidthOf({ kernel, bandwidth }: KernelTerms, columns: number): number {
  return bandwidth ?? covarianceKernel(kernel).usualBandwidth(columns);
}

/** As short text: `bandwidth 2`. */
export function bandwidthText(bandwidth: number | undefined): string {
  return bandwidth === undefined ? 'usual bandwidth' : `bandwidth ${bandwidth}`;
}

/** The schema of a bandwidth. */
export function bandwidthSchema(z: Zod): zod.ZodNumber {
  return z.number().gt(0);
}

/** Reads a bandwidth above 0 of an option; undefined if it is none. */
export function readBandwidth(text: string): number | undefined {
  const value = Number(text);
  return text !== '' && value > 0 && Number.isFinite(value) ? value : undefined;
}

/** Reads the name of a kernel; undefined if it is none. */
export function readKernel(text: string): KernelName | undefined {
  return kernelNames.find((name) => name === text);
}

/** Refuses a bandwidth so small that a map of these columns has no reliable values. */
export function refuseNarrow(noun: string, bandwidth: number): never {
  throw new DataError(
    `a bandwidth of ${bandwidth} is too small for the ranges of the columns: a ${noun} of them would be noise`,
    {},
    'choose a larger bandwidth or another seed, or narrow the ranges in the codebook',
  );
}

/** Refuses a bandwidth so large that all rows look alike. */
export function refuseBroad(bandwidth: number): never {
  throw new DataError(
    `a bandwidth of ${bandwidth} is too large for the ranges of the columns: all rows would look alike`,
    {},
    'choose a smaller bandwidth',
  );
}
