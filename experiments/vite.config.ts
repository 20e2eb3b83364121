import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const library = resolve(root, 'src');

/** The library's modules are not bundled again: the experiments use the shipped ones, one folder up. */
const shippedLibrary: Plugin = {
  name: 'shipped-library',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.')) return null;
    const file = resolve(dirname(importer), source);
    if (!file.startsWith(`${library}/`)) return null;
    return { id: `../${relative(library, file).replace(/\.ts$/, '.js')}`, external: true };
  },
};

/** Builds the experiments that `suffice paper` runs into `dist/experiments`. */
export default defineConfig({
  root,
  publicDir: false,
  plugins: [shippedLibrary],
  build: {
    outDir: 'dist/experiments',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    ssr: true,
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        papers: resolve(root, 'experiments/papers.ts'),
        'fisher-thread': resolve(root, 'experiments/fisher/thread.ts'),
      },
      output: { entryFileNames: '[name].js' },
    },
  },
});
