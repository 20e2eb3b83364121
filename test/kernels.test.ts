import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kernelStamp } from '../kernels/stamp.ts';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import { canFuse, createKernels, reproducibleKernels } from '../src/numeric/kernels.ts';
import { enduring } from './endurance.ts';

describe('the kernels', () => {
  const committed = readFileSync(
    new URL('../src/numeric/kernels.wasm.ts', import.meta.url),
    'utf8',
  );

  it('in the tree were compiled from the sources in the tree; if not, run npm run kernels', () => {
    const code = committed.slice(committed.indexOf('export'));
    expect(committed.slice(0, -code.length)).toBe(kernelStamp(code));
  });

  it.runIf(enduring)(
    'in the tree are, byte for byte, what their sources compile to',
    async () => {
      const { kernelSource } = await import('../kernels/compile.ts');
      expect((await kernelSource()) === committed).toBe(true);
    },
    120_000,
  );

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
