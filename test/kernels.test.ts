import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kernelSource } from '../kernels/compile.ts';
import { enableRelaxedSimd } from '../src/node/relaxed-simd.ts';
import { canFuse, createKernels, reproducibleKernels } from '../src/numeric/kernels.ts';

describe('the kernels', () => {
  it('in the tree are those their sources compile to', async () => {
    const committed = readFileSync(
      new URL('../src/numeric/kernels.wasm.ts', import.meta.url),
      'utf8',
    );
    expect((await kernelSource()) === committed).toBe(true);
  }, 120_000);

  it('fuse where the engine can, and never in the reproducible build', () => {
    expect(reproducibleKernels().call.isFused()).toBe(0);
    enableRelaxedSimd();
    expect(canFuse()).toBe(true);
    expect(createKernels().fused).toBe(true);
  });

  it('give memory back at the end of a scope', () => {
    const kernels = createKernels();
    const first = kernels.allocate(100);
    const inner = kernels.scoped(() => kernels.allocate(1000));
    expect(kernels.allocate(8)).toBe(inner);
    expect(inner).toBeGreaterThanOrEqual(first + 100);
  });
});
