import { expect, test } from 'vitest';
import { cancel } from '../../core/jobs/cancel.ts';
import type { JobCreation } from '../../core/jobs/submit.ts';
import type { CellJob } from '../../core/model/cell.ts';
import { jobIdOf } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import { groupOf } from '../../core/shelf/groups.ts';
import {
  arrivalOf,
  type ShelfChange,
  type ShelfGroup,
  type ShelvedJob,
} from '../../core/shelf/shelf.ts';
import { startMs } from '../core/cell-fixture.ts';
import {
  auditOf,
  cellStatus,
  commit,
  makeCreation,
  north,
  planOver,
  traceOf,
} from './stored-fixture.ts';
import type { Stores } from './stored-ports.ts';
import type { Contract } from './stores.ts';

const names = ['job-1', 'job-2', 'job-3'].map(jobIdOf);

/** Jobs that need the same, one after the other, in one cell. */
async function submitAll(stores: Stores): Promise<JobCreation[]> {
  await stores.pools.ensureCell('default', 0, startMs);
  const creations = names.map((name, at) => {
    const made = makeCreation(name, { createdAtMs: startMs + at });
    const { intent } = made.intents.get(north)!;
    const submittedAtMs = startMs + at;
    const alone = { ...intent, submittedAtMs, foldedByCell: true };
    const ranges = rangeOf(0, intent.chunking.chunks);
    return {
      ...made,
      intents: new Map([[north, { intent: alone, ranges }]]),
      job: { ...made.job, cells: [north] },
      status: { ...made.status, cells: [north], foldedByCell: true },
    };
  });
  for (const creation of creations) {
    expect(await stores.changes.create(creation, null, auditOf(creation.job.id))).toBe('created');
  }
  return creations;
}

/** Puts all but the first onto the shelf, as a pass would. */
async function shelve(stores: Stores, creations: readonly JobCreation[]): Promise<string> {
  const cell = (await stores.cells.load(north))!;
  const [first, ...others] = names.map((name) => cell.jobs.get(name)!);
  const group = groupOf(first!.intent);
  const shelved = others.map((job): [typeof job.id, ShelvedJob<CellJob>] => {
    const seen = { reportedReasons: ['no-free-power'], countedAs: 'pending' as const };
    const slice = { ...job.slice, ...seen, lastEventAtMs: startMs };
    return [job.id, { group, job: { ...job, slice, hasNoSliceRow: true } }];
  });
  const ids = shelved.map(([id]) => id);
  const jobStatuses = new Map(ids.map((id) => [id, cellStatus(id, { foldedByCell: true })]));
  const folds: Plan['folds'] = new Map(
    creations.slice(1).map(({ job, status }) => {
      const next = { ...status, state: 'pending', countedAs: 'pending' } as const;
      const progress = { chunks: 0, jobs: 0 };
      return [job.id, { seen: null, next, events: [], eventsIn: 'began', progress }];
    }),
  );
  const groups = new Map([[group, groupOfTwo(arrivalOf(others[0]!))]]);
  const shelf = { ...nothing, groups, shelved: new Map(shelved) };
  await commit(stores, north, { jobStatuses, folds, shelf });
  return group;
}

const nothing: ShelfChange<CellJob> = {
  groups: new Map(),
  shelved: new Map(),
  taken: new Map(),
  settled: new Set(),
};

function groupOfTwo(first: ShelfGroup['first']): ShelfGroup {
  return { queue: 'default', priority: 50, jobs: 2, chunks: 16, power: 1_600, first };
}

async function shelved(stores: Stores) {
  const creations = await submitAll(stores);
  return { creations, group: await shelve(stores, creations) };
}

/** What every store of cells promises of jobs that a pass does not read. */
export const shelvesContract: Contract = (makeStores) => {
  test('a cell is loaded without them, with the next of those that run short', async () => {
    const stores = await makeStores();
    const { group } = await shelved(stores);
    const cell = (await stores.cells.load(north))!;
    expect([...cell.jobs.keys()]).toEqual([names[0]]);
    expect(cell.shelf?.groups.get(group)?.jobs).toBe(2);
    const next = cell.shelf?.next.get(group) ?? [];
    expect(next.map(({ id }) => id)).toEqual(names.slice(1));
    expect(next[0]?.slice.reportedReasons).toEqual(['no-free-power']);
    expect(next[0]?.intent.submittedAtMs).toBe(startMs + 1);
  });

  test('one of them is loaded for whoever asks for it', async () => {
    const stores = await makeStores();
    await shelved(stores);
    const cell = (await stores.cells.load(north, names[2]))!;
    expect([...cell.jobs.keys()]).toEqual([names[0], names[2]]);
    expect((await stores.cells.load(north, jobIdOf('another')))?.jobs.size).toBe(1);
  });

  test('those that a plan takes are in the cell, and are taken once', async () => {
    const stores = await makeStores();
    const { group } = await shelved(stores);
    const cell = (await stores.cells.load(north))!;
    const jobs = cell.shelf!.next.get(group)!;
    const taken = new Map(jobs.map((job) => [job.id, { group, job }]));
    const shelf = { ...nothing, groups: new Map([[group, null]]), taken };
    expect(await stores.cells.commit(planOver(cell.meta, { shelf }))).toBe('committed');
    const after = (await stores.cells.load(north))!;
    expect([[...after.jobs.keys()].sort(), after.shelf]).toEqual([names, undefined]);
    expect(after.jobs.get(names[1]!)).toEqual(jobs[0]);
    expect(await stores.cells.commit(planOver(after.meta, { shelf }))).toBe('conflict');
  });

  test('whoever decides about one finds it in the cell, with where it came from', async () => {
    const stores = await makeStores();
    const { group } = await shelved(stores);
    const before = (await stores.cells.load(north))!;
    const found = (await stores.jobs.find(names[2]!))!;
    const cells = await stores.changes.cellsOf(found.job);
    expect(cells.get(north)?.isOpen).toBe(true);
    const change = cancel(found, cells, startMs);
    if (change.kind !== 'cancel') throw new Error('it could not be cancelled');
    expect(await stores.changes.commit(change, traceOf(names[2]!))).toBe('changed');
    const cell = (await stores.cells.load(north))!;
    const job = cell.jobs.get(names[2]!)!;
    expect([job.intent.cancelled, job.recalledFrom]).toEqual([true, group]);
    expect(cell.shelf?.next.get(group)?.map(({ id }) => id)).toEqual([names[1]]);
    const taken = new Map([[job.id, { group, job: before.shelf!.next.get(group)![1]! }]]);
    const late = planOver(cell.meta, { shelf: { ...nothing, taken } });
    expect(await stores.cells.commit(late)).toBe('conflict');
    const settled = { ...nothing, settled: new Set([job.id]) };
    expect(await stores.cells.commit(planOver(cell.meta, { shelf: settled }))).toBe('committed');
    const after = (await stores.cells.load(north))!;
    expect(after.jobs.get(job.id)).toMatchObject({ intent: { cancelled: true } });
    expect(after.jobs.get(job.id)?.recalledFrom).toBeUndefined();
  });

  test('a job that its user changed meanwhile stays where it is', async () => {
    const stores = await makeStores();
    const creations = await submitAll(stores);
    const found = (await stores.jobs.find(names[1]!))!;
    const change = cancel(found, await stores.changes.cellsOf(found.job), startMs);
    if (change.kind !== 'cancel') throw new Error('it could not be cancelled');
    expect(await stores.changes.commit(change, traceOf(names[1]!))).toBe('changed');
    await expect(shelve(stores, creations)).rejects.toThrow();
    expect((await stores.cells.load(north))?.jobs.size).toBe(3);
  });
};
