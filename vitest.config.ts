import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take the longest, by name. */
const longest = [
  'coordinator-crash',
  'extension',
  'accessibility',
  'bad-input',
  'analyst',
  'site-crash',
  'join-page-refused',
  'join-page-refusals',
  'join-page-again',
  'result-page',
  'create-page',
  'several-coordinators',
  'join',
  'offline',
  'disclosure-join',
  'inference-study',
];

/** The longest come first, so that none of them is left to run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found < 0 ? longest.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/postgres-server.ts'],
    testTimeout: 60_000,
    pool: 'forks',
    // Many tests wait for processes and clocks: one more than the cores of a small machine keeps these busy.
    maxWorkers: 3,
    // Loading the library anew for each of two hundred files would be a tenth of the check.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
