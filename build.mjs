import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { isBuilt, sourceDigest, stamp } from './build/built.mjs';

/** The command, the pages and the experiments: none needs what another one writes. */
const bundles = ['vite.command.config.ts', 'vite.config.ts', 'experiments/vite.config.ts'];

/** Runs a script of Node to its end. */
async function node(...args) {
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} failed: exit code ${code}`);
}

/** Checks the library's types and writes it to `dist/`, file by file. */
const library = () => node('node_modules/typescript/bin/tsc', '-b', 'src', 'src/node');

const digest = sourceDigest();
if (!isBuilt(digest)) {
  rmSync(stamp, { force: true });
  const { build } = await import('vite');
  const parts = [
    library(),
    ...bundles.map((configFile) => build({ configFile, logLevel: 'warn' })),
  ];
  const failed = (await Promise.allSettled(parts)).filter(({ status }) => status === 'rejected');
  for (const { reason } of failed) console.error(reason.message);
  if (failed.length === 0) {
    await node('build/compile.mjs');
    writeFileSync(stamp, digest);
  }
  process.exitCode = failed.length > 0 ? 1 : 0;
}
