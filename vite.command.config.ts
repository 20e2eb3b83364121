import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { asScripts } from './build/scripts.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const source = (name: string) => resolve(root, 'src', `${name}.ts`);

/** The modules that an entrance loads before it runs: imports of types and `import()` do not count. */
function loadedBy(entrance: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(entrance)) return found;
  found.add(entrance);
  const text = readFileSync(entrance, 'utf8');
  for (const [, path] of text.matchAll(/^(?:import|export)(?! type)[^;]*? from '(\.[^']+)'/gms)) {
    loadedBy(resolve(dirname(entrance), path!), found);
  }
  return found;
}

const ofStart = loadedBy(source('cli/run'), loadedBy(source('node/compute/native-hash')));
const ofThreads = loadedBy(source('node/compute/worker'));
const ofFit = loadedBy(source('cli/fit'));
const ofSite = [
  ...['cli/contribute', 'coordinator/site-name', 'node/site/site-folder', 'site/site-store'],
  ...['site/prepare-contribution', 'site/study-text', 'node/site/site-screen'],
].reduce((found, name) => loadedBy(source(name), found), new Set<string>());
const entrances = new Set(
  ['cli/main', 'node/compute/worker', 'node/files/compiled-script'].map(source),
);

/** Modules that load together, each group in one file: every file takes time to load. */
const groups = [
  { name: 'kernels', test: (id: string) => id.includes('src/numeric/kernels') },
  {
    name: 'shared',
    test: (id: string) =>
      (ofStart.has(id) && ofThreads.has(id)) || id.includes('node_modules/@noble/hashes'),
  },
  {
    name: 'start',
    test: (id: string) => ofStart.has(id) || id.includes('node_modules/commander'),
  },
  { name: 'zod', test: (id: string) => id.includes('node_modules/zod') },
  { name: 'thread', test: (id: string) => ofThreads.has(id) },
  { name: 'fit', test: (id: string) => ofFit.has(id) },
  {
    name: 'site',
    test: (id: string) => ofSite.has(id) || id.includes('node_modules/@noble/curves'),
  },
].map(({ name, test }, k) => ({
  name,
  priority: 9 - k,
  test: (id: string) => !entrances.has(id) && test(id),
}));

/** Groups that are large and that many commands load. A chunk without modules only has names for others. */
const scripts = new Set(['shared', 'start', 'thread', 'fit', 'zod', 'site']);
const isScript = ({ name, moduleIds }: Rolldown.OutputChunk) =>
  scripts.has(name) && moduleIds.length > 0;

/** Node starts with CommonJS a tenth faster than with modules. */
const commonJs: Plugin = {
  name: 'common-js',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' });
  },
};

/** Commander loads what it needs to run a command as another program, which none of ours is. */
const noPrograms: Plugin = {
  name: 'no-programs',
  transform: (code, id) =>
    id.includes('node_modules/commander')
      ? code.replace("require('node:child_process')", '{}')
      : undefined,
};

/** Builds the command and its threads into `dist/command`: a few files start a third faster than hundreds. */
export default defineConfig({
  root,
  publicDir: false,
  plugins: [asScripts('compiled-script.js', isScript), commonJs, noPrograms],
  ssr: {
    noExternal: [
      // Packages that every command needs are built in: finding them takes as long as reading them.
      ...['commander', '@noble/hashes', 'zod'],
      // Packages of modules alone, which CommonJS cannot load before Node 20.19.
      ...['@clack/prompts', '@noble/curves', 'hyparquet', 'hyparquet-compressors'],
    ],
  },
  build: {
    outDir: 'dist/command',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    ssr: true,
    reportCompressedSize: false,
    rolldownOptions: {
      // `version` is a command and what other modules ask.
      checks: { ineffectiveDynamicImport: false },
      input: {
        main: source('cli/main'),
        worker: source('node/compute/worker'),
        'compiled-script': source('node/files/compiled-script'),
        'conclude-worker': source('node/server/conclude-worker'),
        'check-worker': source('node/server/check-worker'),
      },
      // Flat: a thread's script is found beside the module that starts it.
      output: {
        format: 'cjs',
        strict: true,
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        codeSplitting: { groups },
        // Comments and blanks take time to read; names stay, for messages about bugs.
        minify: { codegen: true, compress: false, mangle: false },
      },
    },
  },
});
