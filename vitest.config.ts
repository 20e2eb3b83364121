import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest time limit in a file, in seconds: a test or a hook that takes long says so by its limit. */
function longestLimit({ moduleId }: TestSpecification): number {
  const limits = readFileSync(moduleId, 'utf8').matchAll(/(?:\}, |timeout: )(\d+)_000\b/g);
  return Math.max(0, ...[...limits].map(([, seconds]) => Number(seconds)));
}

/**
 * The longest files come first, so that none of them is left to run alone at the end. Vitest sorts by the durations that
 * it kept of an earlier run; where it has not run all files, as in a fresh clone, it sorts by size, and limits go before.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    if (sorted.every((file) => this.hasRun(file))) return sorted;
    const limits = new Map(sorted.map((file) => [file, longestLimit(file)]));
    return sorted.sort((a, b) => limits.get(b)! - limits.get(a)!);
  }

  private hasRun({ project, moduleId }: TestSpecification): boolean {
    const key = `${project.name}:${relative(this.ctx.config.root, moduleId)}`;
    return this.ctx.cache.getFileTestResults(key) !== undefined;
  }
}

/** Files that replace a module of the library (`vi.mock`): they need modules of their own. */
const REPLACING = ['test/private-neighbours.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/postgres-server.ts'],
    // What is usual (5, 10 and 1 s) is too short on two busy cores.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // What was transformed once is not again in the next run.
    experimental: { fsModuleCache: true },
    // What the build has made is loaded as it is.
    server: { deps: { external: [/\/dist\//] } },
    pool: 'forks',
    // Many tests wait for processes, browsers and clocks: two more than the two cores of a small machine keep these
    // busy. Projects with different numbers of workers would run one after the other.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        // Loading the library anew for each of two hundred files would be a tenth of the check.
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: REPLACING,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: REPLACING, isolate: true } },
    ],
  },
});
