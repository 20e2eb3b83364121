import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const command = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));

describe('suffice bench --json', () => {
  it('names a path that it measured, and gives positive figures', () => {
    const text = execFileSync(process.execPath, [command, 'bench', '--json'], { encoding: 'utf8' });
    const result = JSON.parse(text);
    expect(result.schema).toBe('suffice/bench@1');
    const paths: string[] = result.speeds.map((speed: { path: string }) => speed.path);
    expect(paths).toContain(result.path);
    // A library that is slower than the kernels is measured, too, but not used.
    if (result.blas !== null) expect(paths).toContain('blas');
    expect(result['blas.why']).toMatch(/none|libblas|openblas|mkl|Accelerate/);
    for (const { path, ...figures } of result.speeds) {
      for (const [name, figure] of Object.entries(figures)) {
        expect(figure, `${path} ${name}`).toBeGreaterThan(0);
      }
    }
  });
});
