import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The command, the pages and the experiments: none needs what another one writes. */
const bundles = ['vite.command.config.ts', 'vite.config.ts', 'experiments/vite.config.ts'];

/** Everything that a build is made from. */
const sources = [
  ...['src', 'web', 'experiments', 'build', 'build.mjs', 'package.json', 'package-lock.json'],
  ...['tsconfig.base.json', 'vite.command.config.ts', 'vite.config.ts'],
];

/** What a whole build has: its last files, and the digest of what it was made from. */
const outcomes = ['index.js', 'command/main.js', 'web/index.html', 'experiments'];
const stamp = 'dist/.built';

function digestOf(paths) {
  const hash = createHash('sha256').update(process.version);
  const add = (path, entry) => {
    if (entry?.isDirectory() ?? !/\.\w+$/.test(path)) {
      const inside = readdirSync(path, { withFileTypes: true });
      for (const one of inside.sort((a, b) => (a.name < b.name ? -1 : 1)))
        add(join(path, one.name), one);
    } else hash.update(`${path}\0`).update(readFileSync(path));
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}

function isBuilt(digest) {
  return (
    outcomes.every((path) => existsSync(join('dist', path))) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === digest
  );
}

/** Runs a script of Node to its end. */
async function node(...args) {
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} failed: exit code ${code}`);
}

/** Checks the library's types and writes it to `dist/`, file by file. */
const library = () => node('node_modules/typescript/bin/tsc', '-b', 'src', 'src/node');

const digest = digestOf(sources);
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
