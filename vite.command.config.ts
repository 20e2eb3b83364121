import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));
const source = (name: string) => resolve(root, 'src/node', `${name}.ts`);

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
        worker: source('worker'),
        'conclude-worker': source('conclude-worker'),
      },
      // Flat: modules find the package's folder by where they are.
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
