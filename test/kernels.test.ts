import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generatedFiles, kernelStamp } from '../kernels/stamp.ts';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import { canFuse, createKernels, reproducibleKernels } from '../src/numeric/kernels.ts';
import { enduring } from './endurance.ts';

describe('the kernels', () => {
  const committed = (name: string) =>
    readFileSync(new URL(`../src/numeric/${name}`, import.meta.url), 'utf8');

  it.each(generatedFiles)(
    '%s was compiled from the sources in the tree; if not, run npm run kernels',
    (name) => {
      const text = committed(name);
      const code = text.slice(text.indexOf('export'));
      expect(text.slice(0, -code.length)).toBe(kernelStamp(code));
    },
  );

  it.runIf(enduring)('in the tree are, byte for byte, what their sources compile to', async () => {
    const { kernelSources } = await import('../kernels/compile.ts');
    for (const [name, source] of Object.entries(await kernelSources())) {
      expect([name, source === committed(name)]).toEqual([name, true]);
    }
  });

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
