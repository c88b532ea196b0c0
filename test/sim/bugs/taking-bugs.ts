import type { Bug } from './bugs.ts';

/** Of edges that take their work by themselves. */
export const takingBugs: readonly Bug[] = [
  {
    name: 'accepted-twice',
    sentence: 'an edge takes work although somebody else committed since its cell was read',
    taking: {
      commit: (plan, stored) => ({ ...plan, seenVersion: stored.meta.version }),
    },
  },
  {
    name: 'accepted-beyond-room',
    sentence: 'an edge that takes what fits gets all of it',
    taking: { takesAll: true },
  },
  {
    name: 'accept-ignores-shared-statuses',
    sentence: 'an edge that takes work does not hear that a status has other authors by now',
    taking: { ignoresShared: true },
  },
];
