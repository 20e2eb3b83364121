import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('..', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');
const example = readFileSync(new URL('examples/three-sites.ts', root), 'utf8');

describe('README', () => {
  it('shows the example as it is', () => {
    expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
  });

  it('has an example that runs and fits all three sites', () => {
    const output = execFileSync('npx', ['tsx', 'examples/three-sites.ts'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(output).toContain('8 rows from 3 sites');
    expect(output).toContain('treatmentnew');
  });

  it('links only to files that exist', () => {
    for (const [, path] of readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      expect(() => readFileSync(new URL(path, root))).not.toThrow();
    }
  });
});
