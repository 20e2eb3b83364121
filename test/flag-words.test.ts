import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { flagWords, inFlagWords } from '../src/node/cli/flag-words.ts';

const source = fileURLToPath(new URL('../src', import.meta.url));
const portable = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('node'))
  .map((file) => ({ file, text: readFileSync(join(source, file), 'utf8') }));
const all = portable.map(({ text }) => text).join('');

describe('remedies', () => {
  it.each(flagWords)('say “%s” somewhere, which a command line says with its flag', (words) => {
    expect(all).toContain(words);
  });

  it('name no flag where a page could show them', () => {
    const layers = /^(table|rows|site|statistic|disclosure|solve|model)\//;
    const stories = ['site/audit-story.ts'];
    const flagged = portable
      .filter(({ file }) => layers.test(file) && !stories.includes(file))
      .filter(({ text }) => /['`][^'`\n]*[ (]--[a-z]/.test(text.replace(/\/\*\*.*?\*\//gs, '')))
      .map(({ file }) => file);
    expect(flagged).toEqual([]);
  });

  it('come with the flag at a command line, and as they are where there is none', () => {
    expect(inFlagWords('Say that its encoding is latin1, or save the file as UTF-8.')).toBe(
      'Say --encoding latin1, or save the file as UTF-8.',
    );
    expect(inFlagWords('rename the column')).toBe('rename the column');
  });
});
