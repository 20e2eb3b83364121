import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { build } from 'vite';

/** Checks the library's types and writes it to `dist/`, file by file. */
async function library() {
  const args = ['node_modules/typescript/bin/tsc', '-b', 'src', 'src/node'];
  const compiler = spawn(process.execPath, args, { stdio: 'inherit' });
  const [code] = await once(compiler, 'exit');
  if (code !== 0) throw new Error(`the library does not compile: exit code ${code}`);
}

/** The command, the pages and the experiments: none needs what another one writes. */
const bundles = ['vite.command.config.ts', 'vite.config.ts', 'experiments/vite.config.ts'];

const failed = (
  await Promise.allSettled([
    library(),
    ...bundles.map((configFile) => build({ configFile, logLevel: 'warn' })),
  ])
).filter(({ status }) => status === 'rejected');
for (const { reason } of failed) console.error(reason.message);
process.exitCode = failed.length > 0 ? 1 : 0;
