import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { type GeneratedFile, kernelStamp } from './stamp.ts';

const settings =
  '-O3 --noAssert --runtime stub --importMemory --initialMemory 1 --maximumMemory 65536';

/** The kernels of an entry file, with the given WASM features on, as base64. */
async function compile(entry: string, features: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-kernels-'));
  try {
    const out = join(folder, 'kernels.wasm');
    const enabled = features.flatMap((feature) => ['--enable', feature]);
    const { error, stderr } = await asc.main([
      fileURLToPath(new URL(entry, import.meta.url)),
      '--outFile',
      out,
      ...settings.split(' '),
      ...enabled,
    ]);
    if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
    return readFileSync(out).toString('base64');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Texts of the generated files: the builds as base64, so that no bundler or fetch is needed. */
export async function kernelSources(): Promise<Record<GeneratedFile, string>> {
  const simd = await compile('index.as.ts', ['simd']);
  const fused = await compile('index.as.ts', ['simd', 'relaxed-simd']);
  const network = await compile('network.as.ts', ['simd']);
  const training = await compile('training.as.ts', ['simd']);
  const all = `export const simdModule = '${simd}';
export const fusedModule = '${fused}';
`;
  const layers = `export const networkModule = '${network}';
`;
  const steps = `export const trainingModule = '${training}';
`;
  return {
    'kernels.wasm.ts': kernelStamp(all) + all,
    'network.wasm.ts': kernelStamp(layers) + layers,
    'training.wasm.ts': kernelStamp(steps) + steps,
  };
}
