// npm run kernels: compiles the AssemblyScript kernels into src/numeric/kernels.wasm.ts.
import { writeFileSync } from 'node:fs';
import { kernelSource } from './compile.ts';

const source = await kernelSource();
writeFileSync(new URL('../src/numeric/kernels.wasm.ts', import.meta.url), source);
process.stdout.write(`kernels: ${source.length} characters\n`);
