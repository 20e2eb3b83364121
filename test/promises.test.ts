import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const threats = read('docs/threat-model.md');

/** The part of the threat model under a heading. */
function section(heading: string): string {
  const [, text = ''] = threats.split(`\n## ${heading}\n`);
  return text.split('\n## ')[0];
}

/** First words of each promise, as they are printed in bold. */
const promises = [read('SECURITY.md'), section('Proved')].flatMap((text) =>
  [...text.matchAll(/^(?:- |\d+\. )\*\*(.+?)\.?\*\*/gm)].map(([, words]) => words),
);

const rows = [
  ...section('The tests that hold these promises').matchAll(/^\| ([^|]+?) +\| (`.+?) *\|$/gm),
].map(([, promise, tests]) => ({
  promise,
  tests: [...tests.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
}));

describe('SECURITY.md and the threat model', () => {
  it('promise nothing without a test, and the table has no other row', () => {
    expect(promises.length).toBeGreaterThan(20);
    expect(rows.map(({ promise }) => promise).sort()).toEqual([...promises].sort());
  });

  it.each(rows)('$promise: each of its tests is there', ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    const missing = tests.filter(
      (name) => !existsSync(new URL(`./${name}.test.ts`, import.meta.url)),
    );
    expect(missing).toEqual([]);
  });

  it('name no test or folder of tests that is not there', () => {
    const named = [...`${read('SECURITY.md')}\n${threats}`.matchAll(/`(test\/[\w./-]+)`/g)];
    expect(named.length).toBeGreaterThan(5);
    const missing = named.filter(([, path]) => !existsSync(new URL(`../${path}`, import.meta.url)));
    expect(missing.map(([, path]) => path)).toEqual([]);
  });
});
