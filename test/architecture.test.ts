import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { forbiddenKnowledge } from './forbidden-knowledge.ts';

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

/** Folders whose business it is which fusion a study has, and whether it is private. */
const knowing = /^(study|fusion|privacy)\//;

function knowledgeIn(file: string, text: string): string[] {
  return forbiddenKnowledge(text, file).map(
    ({ line, form, text: found }) => `${file}:${line} has ${form}: ${found}`,
  );
}

describe('the name of a fusion and the privacy of a study decide nothing outside study/, fusion/, privacy/', () => {
  it('in src/', () => {
    const found = modules
      .filter(({ file }) => !knowing.test(file))
      .flatMap(({ file, text }) => knowledgeIn(`src/${file}`, text));
    expect(found).toEqual([]);
  });

  it('in web/', () => {
    const web = fileURLToPath(new URL('../web', import.meta.url));
    const found = readdirSync(web, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => knowledgeIn(`web/${file}`, readFileSync(join(web, file), 'utf8')));
    expect(found).toEqual([]);
  });

  it.each([
    ['fusion.kind', 'if (fusion.kind === other) return;'],
    ['fusion.kind', 'const name = study.fusion?.kind;'],
    ['fusion.kind', "return agreed.study.fusion!['kind'];"],
    ['fusion.kind', 'switch (study.fusion\n  .kind) {'],
    ['{ fusion: { kind } }', 'const { fusion: { kind } } = study;'],
    ['{ fusion: { kind } }', 'function f({ fusion: { kind: name, ridge } }: Study) {}'],
    ['{ kind } = fusion', 'const { kind, ...rest } = study.fusion;'],
    ['{ kind } = fusion', 'const {\n  kind,\n  ridge,\n} = fusion;'],
    ['{ kind }: Fusion', 'function f({ kind, ridge }: RidgeFusion): string {}'],
    ['{ kind }: Fusion', "const f = ({ kind }: Study['fusion']) => kind;"],
    ["kind === 'ridge'", "if (terms.kind !== 'glm') return;"],
    ["kind === 'ridge'", "if ('fesc' === kind) return;"],
    ["kind === 'ridge'", "  case 'average':"],
    ['isGlm(fusion)', 'if (isGlm(terms)) return;'],
    ['study.privacy', 'if (study.privacy) return;'],
    ['study.privacy', 'const { epsilon } = agreed.study?.privacy ?? none;'],
    ['study.privacy', "const terms = study['privacy'];"],
    ["'privacy' in study", "if ('privacy' in result.study) return;"],
    ['{ study: { privacy } }', 'function f({ study: { formula, privacy }, layout }: Agreement) {}'],
    ['{ study: { privacy } }', 'const { study: { privacy: terms } } = agreed;'],
    ['{ privacy } = study', 'const { privacy, ...rest } = agreed.study;'],
    ['{ privacy } = study', 'const { formula,\n privacy } = study;'],
    ['{ privacy }: Study', "function f({ privacy }: Pick<Study, 'privacy'>) {}"],
  ])('finds %s in %j', (form, line) => {
    const source = `const before = 1;\n${line}\n`;
    expect(forbiddenKnowledge(source).map((found) => found.form)).toContain(form);
    expect(knowledgeIn('src/site/join.ts', source)[0]).toMatch(/^src\/site\/join\.ts:\d has /);
  });

  it.each([
    "const study: Study = { ...base, fusion: { kind: 'ridge', ridge: 0 } };",
    'if (report.privacy !== undefined) return;',
    'const { privacy } = resolution.report;',
    'function f({ privacy, errors }: Report) {}',
    "function f({ privacy }: Pick<Report, 'privacy'>) {}",
    'if (request.privacy !== undefined) return;',
    'const made = { ...base, study: { ...study, privacy } };',
    'const study = { ...base, ...(privacy === undefined ? {} : { privacy }) };',
    'if (layout.privacy !== undefined) return;',
    'if (agreed.method.noise === undefined) return;',
    'const { method: { noise } } = agreed;',
    "const kind: EstimateFusion['kind'] = flags.fusion;",
    "if (job.kind === 'reduce') return;",
    '// a comment may say fusion.kind and study.privacy',
    '/** So may a longer one:\n * study.privacy */',
  ])('leaves %j alone', (line) => {
    expect(forbiddenKnowledge(`${line}\n`)).toEqual([]);
  });
});
