import { defineConfig } from 'vite';

/** How long plugins take, and which lazy modules the worker has anyway, is nothing to whoever runs `npm start`. */
const checks = { pluginTimings: false, ineffectiveDynamicImport: false };

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
    rolldownOptions: { checks },
  },
  worker: { format: 'es', rolldownOptions: { checks } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
