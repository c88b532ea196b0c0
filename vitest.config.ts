import { defineConfig } from 'vitest/config';

/**
 * Three projects, so that the fast gate and the long run share one set of files:
 * `fast` is pure or in memory, `flow` boots the real local cloud and real processes, `browser` drives a page.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: ['test/flow/**', 'test/browser/**', 'test/night/**'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'flow',
          include: ['test/flow/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
