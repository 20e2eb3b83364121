import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));
const source = (name: string) => resolve(root, 'src', `${name}.ts`);

/** Modules that load together, each group in one file: every file takes time to load. */
const groups = [
  {
    name: 'text',
    priority: 2,
    test: /src\/(text\/|defined|failure|option|data-error|usage-error)/,
  },
  { name: 'kernels', priority: 2, test: /src\/numeric\/kernels/ },
  // Without the schema, which brings zod: a fit checks no file from elsewhere.
  {
    name: 'resolve',
    test: /src\/(solve|between-sites|model)\/(?!report-schema)/,
    minShareCount: 2,
  },
];

/** Builds the command and its threads into `dist/command`: a few files start a third faster than hundreds. */
export default defineConfig({
  root,
  publicDir: false,
  build: {
    outDir: 'dist/command',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    ssr: true,
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        main: source('cli/main'),
        worker: source('node/compute/worker'),
        'fold-worker': source('node/compute/fold-worker'),
        'conclude-worker': source('node/server/conclude-worker'),
      },
      // Flat: a thread's script is found beside the module that starts it.
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        codeSplitting: { groups },
      },
    },
  },
});
