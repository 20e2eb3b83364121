import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { kernelStamp } from './stamp.ts';

const entry = fileURLToPath(new URL('index.as.ts', import.meta.url));
const settings =
  '-O3 --noAssert --runtime stub --importMemory --initialMemory 1 --maximumMemory 65536';

/** The kernels with the given WASM features on. */
async function compile(features: readonly string[]): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-kernels-'));
  try {
    const out = join(folder, 'kernels.wasm');
    const enabled = features.flatMap((feature) => ['--enable', feature]);
    const { error, stderr } = await asc.main([
      entry,
      '--outFile',
      out,
      ...settings.split(' '),
      ...enabled,
    ]);
    if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
    return readFileSync(out);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The text of src/numeric/kernels.wasm.ts: both builds as base64, so that no bundler or fetch is needed. */
export async function kernelSource(): Promise<string> {
  const simd = await compile(['simd']);
  const fused = await compile(['simd', 'relaxed-simd']);
  const code = `export const simdModule = '${simd.toString('base64')}';
export const fusedModule = '${fused.toString('base64')}';
`;
  return kernelStamp(code) + code;
}
