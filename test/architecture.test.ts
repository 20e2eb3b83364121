import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forbiddenKnowledge } from './forbidden-knowledge.ts';
import { cyclesIn, importsBetween, modulesIn } from './module-graph.ts';

const project = new URL('..', import.meta.url);

/**
 * The rooms of the project, from the lowest up: a module imports only from its own room or an earlier one. A file stands in the
 * room with the longest name that its path begins with. `docs/architecture.md` draws the same list.
 */
const rooms = [
  'src/defined.ts',
  'src/algebra.ts',
  'src/option.ts',
  'src/failure.ts',
  'src/data-error.ts',
  'src/usage-error.ts',
  'src/text',
  'src/random',
  'src/cipher',
  'src/numeric',
  'src/study',
  'src/table',
  'src/images',
  'src/network',
  'src/features',
  'src/statistic',
  'src/privacy',
  'src/aggregation',
  'src/solve',
  'src/disclosure',
  'src/attack',
  'src/model',
  'src/between-sites',
  'src/fusion',
  'src/analysis',
  'src/federate.ts',
  'src/conclude.ts',
  'src/costs',
  'src/rows',
  'src/sql',
  'src/export/svg',
  'src/export',
  'src/protocol',
  'src/masks',
  'src/vertical',
  'src/site',
  'src/coordinator',
  'src/coordinator/http',
  'src/helper',
  'src/helper/http',
  'src/index.ts',
  'src/node/files',
  'src/node/store',
  'src/node/database',
  'src/node/compute',
  'src/node/site',
  'src/node/server',
  'src/node/operate',
  'src/node/run',
  'src/node/index.ts',
  'src/cli',
  'experiments/paper-result.ts',
  'experiments/text',
  'experiments/data',
  'experiments/baselines',
  'experiments/privacy',
  'experiments/ridge',
  'experiments/fesc',
  'experiments/images',
  'experiments/fisher',
  'experiments/page',
  'experiments/typical-seconds.ts',
  'experiments/papers.ts',
  'web/page-failure.ts',
  'web/tab',
  'web/worker',
  'web/ui',
  'web/charts',
  'web/app',
  'web/pages/create',
  'web/pages/join',
  'web/pages/lab',
  'web/pages/predict',
  'web/pages/result',
  'web/pages/study',
  'web/pages/start',
  'web/pages',
  'web/main.tsx',
];
const mostLines = 350;

const withoutComments = (text: string) => text.replace(/\/\*.*?\*\//gs, '');

const modules = modulesIn('src', 'experiments', 'web').filter(
  ({ file }) => file !== 'experiments/vite.config.ts',
);
const library = modules.filter(({ file }) => file.startsWith('src/'));

/** The place of a file's room in the list; −1 where it has none. */
function roomOf(file: string): number {
  const own = rooms.filter((room) => file === room || file.startsWith(`${room}/`));
  return rooms.indexOf(own.sort((a, b) => b.length - a.length)[0]);
}

describe('the rooms', () => {
  it('hold every module', () => {
    expect(modules.map(({ file }) => file).filter((file) => roomOf(file) < 0)).toEqual([]);
  });

  it('hold something each', () => {
    const used = new Set(modules.map(({ file }) => roomOf(file)));
    expect(rooms.filter((_, k) => !used.has(k))).toEqual([]);
  });

  it('have no import that points up', () => {
    const edges = modules.flatMap(({ file, inner }) =>
      inner
        .filter((target) => /\.tsx?$/.test(target))
        .filter((target) => roomOf(target) < 0 || roomOf(target) > roomOf(file))
        .map((target) => `${file} → ${target}`),
    );
    expect(edges).toEqual([]);
    expect(modules.flatMap(({ inner }) => inner).length).toBeGreaterThan(4000);
  });

  it('have no circle of imports, not even of types alone', () => {
    expect(cyclesIn(importsBetween(modules, (file) => file))).toEqual([]);
  });

  it('are the ones that the documents draw', () => {
    const text = readFileSync(new URL('docs/architecture.md', project), 'utf8');
    const drawn = text.match(/```rooms\n(.*?)```/s)?.[1] ?? '';
    const names = Array.from(drawn.matchAll(/^(\S+)/gm), ([, name]) => name.replace(/\/$/, ''));
    expect(names).toEqual(rooms);
  });
});

describe('circles of imports', () => {
  const edges = (text: string) =>
    new Map(text.split(' ').map((edge) => [edge[0], [...edge.slice(1)]] as const));

  it.each([
    ['ab bc ca', [['a', 'b', 'c']]],
    [
      'ab ba cd dc',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['abc bd cd d', []],
    ['ab bcd cb d', [['b', 'c']]],
  ])('are found in %s', (text, cycles) => {
    expect(cyclesIn(edges(text)).sort()).toEqual(cycles);
  });
});

describe('src/', () => {
  it('has only TypeScript', () => {
    const others = readdirSync(new URL('src', project), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
      .map(({ name }) => name);
    expect([...new Set(others)]).toEqual(['tsconfig.json']);
  });

  it('knows of Node only in node/ and cli/', () => {
    const leaks = library
      .filter(({ file }) => !/^src\/(node|cli)\//.test(file))
      .flatMap(({ file, packages, text }) => [
        ...packages.filter((name) => name.startsWith('node:')).map((name) => `${file} → ${name}`),
        ...(/\b(process|Buffer|__dirname|require)\b\s*[.(]/.test(withoutComments(text))
          ? [`${file}: a Node global`]
          : []),
      ]);
    expect(leaks).toEqual([]);
  });

  it('knows of the process, in cli/, only in main.ts', () => {
    const knowing = library.filter(
      ({ file, text }) =>
        file.startsWith('src/cli/') && /\bprocess\s*[.[]|node:process/.test(withoutComments(text)),
    );
    expect(knowing.map(({ file }) => file)).toEqual(['src/cli/main.ts']);
  });

  it('has index files only at the public entrances', () => {
    const indices = library.map(({ file }) => file).filter((file) => /(^|\/)index\.ts$/.test(file));
    expect(indices).toEqual(['src/index.ts', 'src/node/index.ts']);
  });
});

describe('every module', () => {
  it(`has at most ${mostLines} lines`, () => {
    const long = modules
      .map(({ file, text }) => ({ file, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > mostLines);
    expect(long).toEqual([]);
  });

  it('has the name of an idea', () => {
    const nameless = /(^|[/.-])(utils?|commons?|helpers|types?|base|core)(?=[/.-]|$)/;
    expect(modules.map(({ file }) => file).filter((file) => nameless.test(file))).toEqual([]);
  });
});

/** Folders whose business it is which fusion a study has, and whether it is private. */
const knowing = /^src\/(study|fusion|privacy)\//;

function knowledgeIn(file: string, text: string): string[] {
  return forbiddenKnowledge(text, file).map(
    ({ line, form, text: found }) => `${file}:${line} has ${form}: ${found}`,
  );
}

describe('the name of a fusion and the privacy of a study decide nothing outside study/, fusion/, privacy/', () => {
  it('in src/', () => {
    const found = library
      .filter(({ file }) => !knowing.test(file))
      .flatMap(({ file, text }) => knowledgeIn(file, text));
    expect(found).toEqual([]);
  });

  it('in web/', () => {
    const found = modules
      .filter(({ file }) => file.startsWith('web/'))
      .flatMap(({ file, text }) => knowledgeIn(file, text));
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
