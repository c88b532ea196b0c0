import type { Cell } from '../../../core/model/cell.ts';
import type { Bug } from './bugs.ts';

/** Of passes that are run by whoever brings something to a cell, and not by the stream. */
export const shortBugs: readonly Bug[] = [
  {
    name: 'short-pass-at-any-version',
    sentence: 'a job is placed although somebody else committed since its cell was read',
    short: {
      commit: (plan, stored) => ({ ...plan, seenVersion: stored.meta.version }),
    },
  },
  {
    name: 'short-pass-writes-first',
    sentence: 'the documents of edges are written before the job is committed',
    short: { writesFirst: true },
  },
  {
    name: 'short-pass-without-quotas',
    sentence: 'a job that is placed at once does not look at the quota of its queue',
    short: { load: (cell): Cell => ({ ...cell, queues: new Map() }) },
  },
  {
    name: 'half-a-batch',
    sentence: 'of a batch of jobs the first half is stored',
    createsMany: (jobs) => jobs.slice(0, Math.ceil(jobs.length / 2)),
  },
  {
    name: 'rest-of-a-batch-forgotten',
    sentence: 'what a request could not store of a batch is stored by nobody',
    row: (row) => (row.pk.startsWith('BATCH#') ? { ...row, atMs: 9e14 } : row),
  },
  {
    name: 'report-marked-without-a-pass',
    sentence: 'a report that no pass has seen is marked as one, and wakes none',
    row: (row) => (row.sk.startsWith('REPORT#') ? { ...row, passed: true } : row),
  },
  {
    name: 'marked-without-a-pass',
    sentence: 'a job that no pass has seen is marked as one, and wakes none',
    row: (row) => (row.sk.startsWith('ASK#') ? { ...row, passed: true } : row),
  },
];
