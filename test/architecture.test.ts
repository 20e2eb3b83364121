import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../src', import.meta.url));

/** The written order of docs: a module imports only from its own layer or an earlier one. */
const layers = [
  'algebra.ts',
  'option.ts',
  'failure.ts',
  'data-error.ts',
  'random',
  'numeric',
  'study',
  'table',
  'features',
  'statistic',
  'privacy',
  'aggregation',
  'solve',
  'disclosure',
  'attack',
  'model',
  'across',
  'fusion',
  'analysis',
  'federate.ts',
  'conclude.ts',
  'rows',
  'export',
  'protocol',
  'site',
  'coordinator',
  'index.ts',
  'node',
];
const settings = ['tsconfig.json', 'node/tsconfig.json'];
const generated = 'numeric/kernels.wasm.ts';
const mostLines = 350;

const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(source.length + 1))
  .filter((file) => !settings.includes(file))
  .sort();

interface Module {
  readonly file: string;
  readonly text: string;
  /** The modules it imports, as paths in src/. */
  readonly inner: readonly string[];
  readonly packages: readonly string[];
}

const modules: readonly Module[] = files.map((file) => {
  const text = readFileSync(join(source, file), 'utf8');
  const names = Array.from(
    text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^'\n]+)'/g),
    ([, name]) => name,
  );
  return {
    file,
    text: file === generated ? '' : text,
    inner: names
      .filter((name) => name.startsWith('.'))
      .map((name) => normalize(join(dirname(file), name))),
    packages: names.filter((name) => !name.startsWith('.')),
  };
});

const layerOf = (file: string) => layers.indexOf(file.split('/')[0]);

describe('src/', () => {
  it('has only the layers that are written down, and only TypeScript in them', () => {
    expect(files.filter((file) => layerOf(file) < 0 || !file.endsWith('.ts'))).toEqual([]);
  });

  it('has no import that points up', () => {
    const edges = modules.flatMap(({ file, inner }) =>
      inner
        .filter((target) => layerOf(target) < 0 || layerOf(target) > layerOf(file))
        .map((target) => `${file} → ${target}`),
    );
    expect(edges).toEqual([]);
    expect(modules.flatMap(({ inner }) => inner).length).toBeGreaterThan(files.length);
  });

  it('knows of the command line only in node/cli/', () => {
    const edges = modules
      .filter(({ file }) => !file.startsWith('node/cli/'))
      .flatMap(({ file, inner }) =>
        inner
          .filter((target) => target.startsWith('node/cli/'))
          .map((target) => `${file} → ${target}`),
      );
    expect(edges).toEqual([]);
  });

  it('knows of Node only in node/', () => {
    const leaks = modules
      .filter(({ file }) => !file.startsWith('node/'))
      .flatMap(({ file, packages, text }) => [
        ...packages.filter((name) => name.startsWith('node:')).map((name) => `${file} → ${name}`),
        ...(/\b(process|Buffer|__dirname|require)\b\s*[.(]/.test(text)
          ? [`${file}: a Node global`]
          : []),
      ]);
    expect(leaks).toEqual([]);
  });

  it(`has no file over ${mostLines} lines`, () => {
    const long = modules
      .map(({ file, text }) => ({ file, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > mostLines);
    expect(long).toEqual([]);
  });

  it('has a name for every idea', () => {
    const nameless = /(^|[/.-])(utils?|commons?|helpers?|types?|base|core)(?=[/.-]|$)/;
    expect(files.filter((file) => nameless.test(file))).toEqual([]);
  });

  it('has index files only at the public entrances', () => {
    const indices = files.filter((file) => /(^|\/)index\.ts$/.test(file));
    expect(['index.ts', 'node/index.ts']).toEqual(expect.arrayContaining(indices));
  });
});
