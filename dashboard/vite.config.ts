import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/**
 * One page, one script, one stylesheet, all from this origin: what the content security policy of
 * the site allows. The browsers listed know `light-dark()` and `color-mix()`, so the stylesheet
 * ships as it is written.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
});
