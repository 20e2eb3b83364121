import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fitExamples } from '../src/cli/fit-flags.ts';
import { runSuffice, suffice } from './cli.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const commandLines = [...fitExamples.matchAll(/^ {2}suffice (.+)$/gm)].map(([, line]) => line);

/** Arguments as a shell gives them: quotes gone, `*` replaced by the files that fit. */
function argumentsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].flatMap(([, quoted, word]) => {
    if (quoted !== undefined) return [quoted];
    if (!word.endsWith('/*.csv')) return [word];
    const folder = word.slice(0, -'/*.csv'.length);
    const files = readdirSync(join(root, folder)).filter((file) => file.endsWith('.csv'));
    return files.sort().map((file) => join(folder, file));
  });
}

describe('suffice fit --help', () => {
  it('has its flags in groups, and three examples', async () => {
    const { code, stdout } = await suffice('fit', '--help');
    expect(code).toBe(0);
    const headings = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
    expect(headings.filter((heading) => !heading.startsWith('Examples'))).toEqual([
      'Arguments',
      'Model',
      'Data',
      'More answers',
      'Privacy',
      'Output',
      'Options',
    ]);
    expect(stdout).toContain(fitExamples.trimStart());
    expect(commandLines).toHaveLength(3);
  });

  it.each(commandLines)('suffice %s', async (line) => {
    const { code, stdout, stderr } = await runSuffice(argumentsOf(line), { folder: root });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/\d+ rows from 3 sites/);
  });
});
