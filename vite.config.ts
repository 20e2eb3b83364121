import { defineConfig } from 'vite';

/** How long plugins take, and which lazy modules the worker has anyway, is nothing to whoever runs `npm start`. */
const checks = { pluginTimings: false, ineffectiveDynamicImport: false };

/** What all pages share comes as one file: a request costs more than the few kilobytes that a page has no use for. */
const frame = {
  name: 'frame',
  test: /node_modules\/preact\/|web\/(app|tab|ui)\/|src\/(text\/|defined|protocol\/study-part)/,
};
/** What the worker and its later parts share, likewise: sums, maps and methods. */
const library = {
  name: 'library',
  test: /src\/(numeric|study|features|statistic|fusion|federate|data-error)/,
  minShareCount: 2,
};

/** Builds the pages from `web/` into `dist/web`, which the coordinator serves. */
export default defineConfig({
  root: 'web',
  base: './',
  publicDir: false,
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
    reportCompressedSize: false,
    rolldownOptions: { checks, output: { codeSplitting: { groups: [frame] } } },
  },
  worker: {
    format: 'es',
    rolldownOptions: { checks, output: { codeSplitting: { groups: [library] } } },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
