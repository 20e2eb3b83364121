import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/model/report.ts';
import { temporaryFolder } from './cli.ts';
import { chosen, enduring } from './endurance.ts';
import { runBuiltSuffice } from './site-process.ts';

const folder = temporaryFolder();
const ROWS = 100_000;
const long = 'a, b\n1,2,""c""\n'.repeat(8);
const levels = [
  'plain',
  `"${long}"`,
  '"with ""quotes"""',
  `"with\nnew\nlines${long}"`,
  `"\n${long}"`,
];

/** About 10 MB, so that two threads share the file; records full of quoted line ends, or one odd record. */
function bigFile(name: string, odd?: { readonly row: number; readonly record: string }): string {
  const lines = ['y,x,g'];
  for (let r = 1; r <= ROWS; r++) {
    const record = `${(r * 7919) % 1009},${((r * 104729) % 99991) / 1000},${levels[r % levels.length]}`;
    lines.push(r === odd?.row ? odd.record : record);
  }
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

describe('several threads over one file', () => {
  it('give the total of one thread, quoted line ends and all', async () => {
    const path = bigFile('quoted.csv');
    const reportOf = async (threads: string): Promise<Report> => {
      const args = ['fit', 'y ~ x + g', path, '--json', '--threads', threads];
      const { code, stdout, stderr } = await runBuiltSuffice(args);
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    };
    const one = await reportOf('1');
    expect(one.n).toBe(ROWS);
    for (const threads of chosen(['2', '5'], 1)) expect(await reportOf(threads)).toEqual(one);
  });

  it('name the row of the file, not of the part', async () => {
    const path = bigFile('odd.csv', { row: 88_000, record: '1,2,plain,more' });
    const args = ['fit', 'y ~ x + g', path, '--threads', '2'];
    const { code, stderr, stdout } = await runBuiltSuffice(args);
    expect(code).toBe(3);
    expect(stderr).toContain('row 88000: found 4 fields, the header has 3');
    expect(stdout).toBe('');
  });

  it.runIf(enduring)('leave nothing behind when a file is refused', async () => {
    const path = bigFile('refused.csv', { row: ROWS - 1, record: '1,secret-7f3a,plain' });
    const saved = join(folder, 'codebook.json');
    const args = ['fit', 'y ~ x', path, '--threads', '2', '--save-codebook', saved];
    const { code, stderr, stdout } = await runBuiltSuffice(args);
    expect(code).toBe(3);
    expect(stderr).toContain('row 99999, column "x"');
    // The owner is shown the text in a view of the file; no message has it.
    expect(stderr).toMatch(/^What does not fit \(shown here only/);
    const messages = stderr.slice(stderr.indexOf('suffice: '));
    expect(messages + stdout).not.toContain('secret-7f3a');
    expect(() => writeFileSync(saved, '', { flag: 'wx' })).not.toThrow();
  });
});
