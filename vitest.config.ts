import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

/**
 * Four projects, from quick to long. `fast` is pure or in memory and the gate of every commit;
 * `parts` starts programs, networks or databases, or is slow by nature, one part of the product at
 * a time; `flow` boots the real local cloud and real processes; `browser` drives a page. A test
 * says in its name to which it belongs: `*.slow.test.ts` is of `parts`, folders are of the last
 * two.
 */
const tests = ['test/**/*.test.ts', 'local/test/**/*.test.ts'];
const parts = ['test/**/*.slow.test.ts', 'local/test/**/*.slow.test.ts'];
/** What only stands where a script has made it. */
const elsewhere = ['test/browser/**', 'test/ministack/**', 'test/packages/**'];
const flows = ['test/flow/**/*.test.ts', 'local/test/flow/**/*.test.ts'];

/** Whatever the host has or lacks, it has this. */
const crowded = {
  globalSetup: ['test/crowded-host/set-up.ts'],
  setupFiles: ['test/crowded-host/move-in.ts'],
};

const long = { testTimeout: 120_000, hookTimeout: 120_000 };
/** A deployment takes half a minute, and minutes on a busy machine; the step has an end as well. */
const deployed = { testTimeout: 460_000, hookTimeout: 460_000 };

/**
 * What computes keeps a core; one is left for what is beside it, where there are more than two.
 * Projects with another number are another group: a run may ask for tests of several, and vitest
 * refuses a group whose projects differ.
 */
const maxWorkers = Math.max(2, availableParallelism() - 1);
/** Two thirds of what these do is waiting for a program. */
const partsMax = maxWorkers + 1;
/** Each flow is a dozen processes on ports and in a directory of its own, and waits as much. */
const flowsMax = 3;

/** What stands on an emulator that `npm run test:ministack` has started, one file at a time. */
const onMiniStack =
  process.env.EDGEWISE_MINISTACK === undefined
    ? []
    : [
        {
          test: {
            name: 'ministack',
            include: ['test/ministack/**/*.test.ts', ...flows],
            fileParallelism: false,
            ...deployed,
          },
        },
      ];

/** Packages that `npm run test:packages` has made, installed into a Debian root of their own. */
const onPackages =
  process.env.EDGEWISE_PACKAGES === undefined
    ? []
    : [{ test: { name: 'packages', include: ['test/packages/**/*.test.ts'], ...deployed } }];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'fast',
          include: tests,
          exclude: [...parts, ...flows, ...elsewhere],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // Nothing here changes what is global, and most of the time went into loading modules
          // again.
          isolate: false,
          // Node runs TypeScript by itself, as every command of this repository does; what stands in
          // for modules, which needs more than that, is used by no test.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          maxWorkers,
          ...crowded,
        },
      },
      {
        test: {
          name: 'parts',
          include: parts,
          maxWorkers: partsMax,
          sequence: { groupOrder: 1 },
          ...long,
          ...crowded,
        },
      },
      {
        test: {
          name: 'flow',
          include: flows,
          maxWorkers: flowsMax,
          sequence: { groupOrder: 2 },
          ...long,
          ...crowded,
        },
      },
      ...onMiniStack,
      ...onPackages,
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          fileParallelism: false,
          ...long,
        },
      },
    ],
  },
});
