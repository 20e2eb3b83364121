import { longDecimal, preparePowers } from '../src/numeric/decimal.ts';
import { createKernels, type Kernels } from '../src/numeric/kernels.ts';

/** How many characters of a text are a number, and which. */
export interface Scan {
  readonly length: number;
  readonly value: number;
}

/** The kernel `scanNumber` over JavaScript strings of up to 4000 characters. */
export function numberScanner(): (text: string, mark?: '.' | ',') => Scan {
  const kernels: Kernels = createKernels({
    imports: {
      longDecimal: (from, length) =>
        longDecimal(new Uint8Array(kernels.memory.buffer, from, length)),
    },
  });
  preparePowers(kernels);
  const at = kernels.allocate(4096);
  const out = kernels.allocate(8);
  const encoder = new TextEncoder();
  const space = new Uint8Array(kernels.memory.buffer, at, 4096);
  const value = kernels.f64(out, 1);
  return (text, mark = '.') => {
    const { written } = encoder.encodeInto(text, space);
    space.fill(0, written, written + 16);
    const length = kernels.call.scanNumber!(at, mark.charCodeAt(0), out) - at;
    return { length, value: value[0]! };
  };
}
