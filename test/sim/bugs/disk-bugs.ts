import { type Bug, within } from './bugs.ts';

/** Bugs in what the agent does while its disk is full. */
export const diskBugs: readonly Bug[] = [
  {
    name: 'full-disk-forgets',
    sentence: 'what the journal could not write is not written later either',
    journal: (journal) => ({
      ...within(journal),
      append: (...records) => {
        if (journal.state() === 'ok') journal.append(...records);
      },
    }),
  },
  {
    name: 'starts-with-a-full-disk',
    sentence: 'chunks are started whose ends cannot be written down',
    journal: (journal) => ({ ...within(journal), state: () => 'ok' }),
  },
  {
    name: 'half-a-line-stays',
    sentence: 'what a full disk took of a line stays in the journal before the next one',
    disk: (files) => ({ ...files, truncate: () => {} }),
  },
  {
    name: 'full-disk-is-not-synced',
    sentence: 'once the disk was full, what is written is reported without being synced',
    journal: (journal) => {
      let wasFull = false;
      return {
        ...within(journal),
        sync: () => {
          const isOk = journal.state() === 'ok';
          wasFull ||= !isOk;
          return wasFull ? Promise.resolve(isOk) : journal.sync();
        },
      };
    },
  },
];
