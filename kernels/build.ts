// npm run kernels: compiles the AssemblyScript kernels into src/numeric/*.wasm.ts.
import { writeFileSync } from 'node:fs';
import { kernelSources } from './compile.ts';

for (const [name, source] of Object.entries(await kernelSources())) {
  writeFileSync(new URL(`../src/numeric/${name}`, import.meta.url), source);
  process.stdout.write(`${name}: ${source.length} characters\n`);
}
