import { execFileSync } from 'node:child_process';
import { totalmem } from 'node:os';
import { basename, dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { enduring } from './test/endurance.ts';
import { PATIENCE_MS } from './test/patience.ts';

const { isBuilt } = await import(new URL('build/built.mjs', import.meta.url).href);
const library = fileURLToPath(new URL('src', import.meta.url));
const dist = fileURLToPath(new URL('dist', import.meta.url));

/** The files that took longest on two quiet cores when this was last measured, the longest first. */
const LONGEST = `
  database-pushdown page secure-page vertical-page serve accessibility private-neighbours analyst backup-command
  disk create-page database-refusals store sql-sums command-smoke client page-secrets history-rules
  hostile-database browser join-page-refusals network-study coordinator-crash secure-blame source-laws
  several-coordinators tree-process result-page result-exploration fusion-laws vertical-study browser-reading
  study-page glm-terms glm-converged many-contributions image-source-laws secure-crash vertical-points-page
  predict-page aggregation-laws join attack-label join-page tree coordinator-several join-page-again
  inference-cli blinded-ledger coordinator-life site-crash landed-store hostile-models charts rounds
  database-export demo attack page-budget onnx
`
  .trim()
  .split(/\s+/)
  .map((name) => `${name}.test.ts`);

/**
 * The longest files come first, so that none of them is left to run alone at the end. Vitest sorts by the durations that
 * it kept of an earlier run; where it has not run all files, as in a fresh clone, it sorts by size, and the list goes before.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    if (sorted.every((file) => this.hasRun(file))) return sorted;
    return sorted.sort((a, b) => place(a) - place(b));
  }

  private hasRun({ project, moduleId }: TestSpecification): boolean {
    const key = `${project.name}:${relative(this.ctx.config.root, moduleId)}`;
    return this.ctx.cache.getFileTestResults(key) !== undefined;
  }
}

function place({ moduleId }: TestSpecification): number {
  const k = LONGEST.indexOf(basename(moduleId));
  return k < 0 ? LONGEST.length : k;
}

/** A coordinator of a test solves where it is, as from the sources: a thread for each takes half a second to start. */
const WITHOUT_THREAD = [
  'node/server/serve',
  'node/server/conclude-thread',
  'node/server/check-thread',
  'node/files/package-files',
];

/**
 * The library as it was just built: Node loads its files faster than Vite makes them of the sources. Where the build is
 * not that of the sources, tests are of the sources.
 */
const builtLibrary: Plugin = {
  name: 'built-library',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.')) return null;
    const file = resolve(dirname(importer), source);
    if (!file.startsWith(`${library}/`)) return null;
    const name = relative(library, file).replace(/\.ts$/, '');
    if (WITHOUT_THREAD.includes(name)) return null;
    return resolve(dist, `${name}.js`);
  },
};

const plugins = isBuilt() ? [builtLibrary] : [];

/**
 * V8 as it suits workers that run much code a few times: it optimizes later, collects with no threads beside, which would
 * wait for the cores of the other workers, and lets the heap grow before it walks through all of it. Versions of Node
 * differ in the names they know.
 */
const knownToV8 = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
const SHORT_LIVED = [
  '--interrupt-budget=1000000',
  '--single-threaded-gc',
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
  `--initial-heap-size=${Math.min(1000, Math.floor(totalmem() / 2 ** 23))}`,
].filter((flag) => knownToV8.includes(`${flag.split('=')[0]} `));

/** Long queries are parsed by recursion, in `npm run endure` on every engine: deeper than a stack of one megabyte. */
const DEEP = enduring ? ['--stack-size=3900'] : [];

/** Files that replace a module of the library (`test/kept-noise.ts`): they need modules of their own. */
const REPLACING = ['test/private-neighbours.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/postgres-server.ts', 'test/chromium.ts'],
    setupFiles: ['test/native-crypto.ts', 'test/random-cases.ts', 'test/same-numbers.ts'],
    // No test proves speed: the limits are only for what hangs, on however slow a machine.
    testTimeout: PATIENCE_MS * (enduring ? 30 : 5),
    hookTimeout: PATIENCE_MS * 5,
    expect: { poll: { timeout: PATIENCE_MS } },
    // What was transformed once is not again in the next run.
    experimental: { fsModuleCache: true },
    // What the build has made is loaded as it is.
    server: { deps: { external: [/\/dist\//] } },
    pool: 'forks',
    execArgv: [...SHORT_LIVED, ...DEEP],
    // Many tests wait for processes, browsers and clocks: one more than the two cores of a small machine keeps these
    // busy. Projects with different numbers of workers would run one after the other.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        plugins,
        // Loading the library anew for each of two hundred files would be a tenth of the check.
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...REPLACING, ...(enduring ? [] : ['**/*.endure.test.ts'])],
          isolate: false,
        },
      },
      {
        extends: true,
        plugins,
        test: { name: 'alone', include: REPLACING, isolate: true },
      },
    ],
  },
});
