import type { Bug } from './bugs.ts';

/** Bugs that only edges without MQTT meet. */
export const httpsBugs: readonly Bug[] = [
  {
    name: 'report-is-answered-and-not-stored',
    sentence: 'an edge that reports over HTTPS is answered before anything is stored',
    answersUnstored: true,
  },
];
