import { jobRows } from '../../../adapters/dynamodb/schema.ts';
import type { Write } from '../../../adapters/dynamodb/table.ts';
import type { JobCreation } from '../../../core/jobs/submit.ts';
import { isFinal } from '../../../core/model/job.ts';
import { emptyRanges, rangeOf, union } from '../../../core/model/ranges.ts';
import type { JobChange } from '../../../core/ports/jobs.ts';
import type { Bug } from './bugs.ts';

/** Bugs in what users decide: between the shipped decision and what is stored of it. */
export const userBugs: readonly Bug[] = [
  {
    name: 'submit-leaves-a-cell-out',
    sentence: 'a part of a new job is in no cell',
    creates: (creation) =>
      withIntents(creation, (intents) => intents.slice(0, Math.max(1, intents.length - 1))),
  },
  {
    name: 'submit-overlaps',
    sentence: 'two cells get the same chunk of a new job',
    creates: (creation) =>
      withIntents(creation, (intents) =>
        intents.map(([cell, { intent, ranges }]) => [
          cell,
          { intent, ranges: union(ranges, rangeOf(0, 1)) },
        ]),
      ),
  },
  {
    name: 'submit-does-not-hold',
    sentence: 'the cells of a new job do not know that it waits for others',
    creates: (creation) =>
      withIntents(creation, (intents) =>
        intents.map(([cell, { intent, ranges }]) => [
          cell,
          { intent: { ...intent, blockedByDependencies: false }, ranges },
        ]),
      ),
  },
  {
    name: 'submit-forgets-parents',
    sentence: 'a job that ends does not know who waits for it',
    creates: (creation) => ({ ...creation, openParents: [] }),
  },
  {
    name: 'edit-is-not-copied',
    sentence: 'passes go on with the priority and the retries of before',
    changes: (change) => (change.kind === 'edit' ? { ...change, cells: [] } : change),
  },
  {
    name: 'edit-without-version-check',
    sentence: 'of two edits at once the second undoes the first',
    changes: (change, { version }) =>
      change.kind === 'edit' ? { ...change, seenVersion: version } : change,
  },
  {
    name: 'cancel-leaves-a-cell-out',
    sentence: 'a cell is not asked to end its part of a cancelled job',
    changes: (change) =>
      change.kind === 'cancel' ? { ...change, cells: change.cells.slice(1) } : change,
  },
  {
    name: 'unwanted-chunks-leave-a-cell-out',
    sentence: 'a cell does not learn which of its chunks are not wanted any more',
    changes: (change) =>
      change.kind === 'cancel-ranges' ? { ...change, cells: change.cells.slice(1) } : change,
  },
  {
    name: 'unwanted-chunks-are-held',
    sentence: 'a pass leaves edges the chunks that are not wanted any more',
    load: (cell) => ({
      ...cell,
      jobs: new Map(
        [...cell.jobs].map(([id, job]) => {
          const { cancelledRanges: _, ...intent } = job.intent;
          return [id, { ...job, intent }];
        }),
      ),
    }),
  },
  {
    name: 'cancel-after-the-end',
    sentence: 'a job that has ended is cancelled all the same',
    sees: ({ job, status }) => ({
      job,
      status: isFinal(status.state) ? { ...status, state: 'running' } : status,
    }),
    asks: withoutEndCheck,
  },
  {
    name: 'cancel-races-the-end',
    sentence: 'a job that ends while its cancellation is decided is cancelled all the same',
    asks: withoutEndCheck,
  },
  {
    name: 'retry-without-epoch',
    sentence: 'cells do not learn that their dead chunks shall run again',
    changes: (change) =>
      change.kind === 'retry'
        ? {
            ...withReopened(change, (intent, slice) => ({
              intent: { ...intent, retryEpoch: slice.retryEpoch },
              slice,
            })),
            raised: [],
          }
        : change,
  },
  {
    name: 'retry-leaves-a-cell-out',
    sentence: 'the dead chunks of one cell are not brought back',
    changes: (change) => {
      if (change.kind !== 'retry') return change;
      const [, ...others] = change.reopened;
      return change.raised.length > 0
        ? { ...change, raised: change.raised.slice(1) }
        : { ...change, reopened: new Map(others) };
    },
  },
  {
    name: 'retry-forgets-what-was-done',
    sentence: 'a job that begins again has done nothing yet',
    changes: (change) =>
      change.kind === 'retry'
        ? withReopened(change, (intent, slice) => ({
            intent,
            slice: { ...slice, done: emptyRanges },
          }))
        : change,
  },
  {
    name: 'retry-does-not-overtake',
    sentence: 'a pass that is ending the job does not notice that it begins again',
    changes: (change) => (change.kind === 'retry' ? { ...change, overtaken: [] } : change),
  },
  {
    name: 'retry-is-forgotten-by-the-fold',
    sentence: 'a count of before ends the job that begins again',
    changes: (change) =>
      change.kind === 'retry' ? { ...change, status: { ...change.status, retrying: [] } } : change,
  },
];

/** A user's change of a job is stored whatever became of the job since it was read. */
function withoutEndCheck(write: Write): Write {
  if (write.kind !== 'update' || write.key.sk !== jobRows.status) return write;
  if (write.change.set?.byCell !== false) return write;
  const { condition: _, ...unconditioned } = write;
  return unconditioned;
}

type Intents =
  JobCreation['intents'] extends ReadonlyMap<infer C, infer A> ? (readonly [C, A])[] : never;

function withIntents(creation: JobCreation, change: (intents: Intents) => Intents): JobCreation {
  return { ...creation, intents: new Map(change([...creation.intents])) };
}

type Retry = Extract<JobChange, { kind: 'retry' }>;
type Reopened = Retry['reopened'] extends ReadonlyMap<unknown, infer R> ? R : never;

function withReopened(
  change: Retry,
  again: (intent: Reopened['intent'], slice: Reopened['slice']) => Reopened,
): Retry {
  const reopened = [...change.reopened].map(
    ([cell, { intent, slice }]) => [cell, again(intent, slice)] as const,
  );
  return { ...change, reopened: new Map(reopened) };
}
