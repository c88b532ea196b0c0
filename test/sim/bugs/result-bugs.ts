import type { Bug } from './bugs.ts';

/** Bugs in what the agent does between the end of a chunk and the safety of what it left. */
export const resultBugs: readonly Bug[] = [
  {
    name: 'done-before-results-are-safe',
    sentence: 'a chunk counts as done before what it left is stored',
    results: (sender) => ({
      drop: sender.drop,
      send: (wanted, ended) => {
        sender.send(wanted, () => {});
        ended('safe');
      },
    }),
  },
];
