import { expect, test } from 'vitest';
import { edgeNameOf, type JobId, jobIdOf, makeJobId } from '../../core/model/names.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import { startMs } from '../core/cell-fixture.ts';
import {
  cellStatus,
  chunkEnd,
  commit,
  executionOf,
  north,
  south,
  submit,
} from './stored-fixture.ts';
import type { Contract } from './stores.ts';

const job = jobIdOf('job-1');
const edges = ['edge-0', 'edge-1', 'edge-10'].map(edgeNameOf);

/** An id as it is made for who chooses none. */
const idAt = (atMs: number) => makeJobId(atMs, new Uint8Array(9).fill(atMs % 36));

/** What every store promises of reading jobs. */
export const jobsContract: Contract = (makeStores) => {
  test('a job is read as it was created', async () => {
    const stores = await makeStores();
    expect([await stores.jobs.find(job), await stores.jobs.findSpec(job)]).toEqual([null, null]);
    const made = await submit(stores, job, { labels: { team: 'a' } });
    const { job: stored, status } = made;
    expect(await stores.jobs.find(job)).toEqual({ job: stored, status });
    expect(await stores.jobs.findSpec(job)).toEqual(stored);
    const found = await stores.jobs.findMany([jobIdOf('nobody'), job]);
    expect(found).toEqual([{ job: stored, status }]);
  });

  test('executions come by edge, page by page, and of an edge by job', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const executions = edges.map((edge) => executionOf(job, edge));
    await commit(stores, north, { executions });
    expect(await stores.jobs.executions(job, null, 9)).toEqual(executions);
    expect(await stores.jobs.executions(job, null, 1)).toEqual(executions.slice(0, 1));
    expect(await stores.jobs.executions(job, 'edge-1', 9)).toEqual(executions.slice(2));
    const on = await stores.jobs.executionsOn(edges[1]!, [job, jobIdOf('nobody')]);
    expect(on).toEqual([executions[1]]);
    const later = executionOf(job, edges[1]!, { done: rangeOf(0, 4), endedAtMs: startMs + 5 });
    await commit(stores, north, { executions: [later] });
    expect(await stores.jobs.executionsOn(edges[1]!, [job])).toEqual([later]);
  });

  test('what each cell counted last is read of all of them', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const statuses = [cellStatus(job), cellStatus(job, { done: rangeOf(8, 10) })];
    await commit(stores, north, { jobStatuses: new Map([[job, statuses[0]!]]) });
    await commit(stores, south, { jobStatuses: new Map([[job, statuses[1]!]]) });
    const found = await stores.jobs.cellStatuses(job);
    expect(found.toSorted((a, b) => a.donePower - b.donePower)).toEqual(statuses);
  });

  test('the jobs of a pool come newest first, whoever chose their ids', async () => {
    const stores = await makeStores();
    const wanted: JobId[] = [];
    for (let at = 0; at < 12; at++) {
      const createdAtMs = startMs + at * 1_000;
      const id = at % 3 === 0 ? jobIdOf(`chosen-${99 - at}`) : idAt(createdAtMs);
      await submit(stores, id, { createdAtMs, labels: { at: String(at) } });
      wanted.unshift(id);
    }
    await submit(stores, jobIdOf('elsewhere'), { pool: 'other' });
    const found: JobId[] = [];
    for (let position: string | null = null; found.length < wanted.length; ) {
      const page = await stores.jobs.listPool('default', position, 5);
      expect(page.length).toBeGreaterThan(0);
      found.push(...page.map((row) => row.id));
      position = page.at(-1)!.position;
    }
    expect(found).toEqual(wanted);
    const [newest] = await stores.jobs.listPool('default', null, 1);
    const filters = { state: 'pending', queue: 'default', labels: { at: '11' } };
    expect(newest).toMatchObject({ id: wanted[0], ...filters });
  });

  test('a list goes on behind a job that was purged in the meantime', async () => {
    const stores = await makeStores();
    const ids = [0, 1, 2].map((at) => idAt(startMs + at));
    for (const [at, id] of ids.entries()) {
      await submit(stores, id, { createdAtMs: startMs + at });
      await commit(stores, north, { executions: [executionOf(id, edges[0]!)] });
    }
    const [row] = (await stores.jobs.listPool('default', null, 2)).slice(1);
    await stores.changes.purge({ kind: 'purge', id: row!.id });
    const rest = await stores.jobs.listPool('default', row!.position, 9);
    expect(rest.map((it) => it.id)).toEqual([ids[0]]);
    expect(await stores.jobs.listOfEdge(edges[0]!, ids[1]!, 9)).toEqual([ids[0]]);
  });

  test('the jobs that an edge ran come last id first, page by page', async () => {
    const stores = await makeStores();
    const ids = [3, 1, 2].map((at) => idAt(startMs + at));
    for (const id of ids) {
      await submit(stores, id);
      await commit(stores, north, { executions: [executionOf(id, edges[0]!)] });
    }
    const sorted = ids.toSorted().toReversed();
    expect(await stores.jobs.listOfEdge(edges[0]!, null, 2)).toEqual(sorted.slice(0, 2));
    expect(await stores.jobs.listOfEdge(edges[0]!, sorted[1]!, 9)).toEqual(sorted.slice(2));
    expect(await stores.jobs.listOfEdge(edges[1]!, null, 9)).toEqual([]);
  });

  test('of a chunk its end and its output are kept, whichever comes first', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    expect(await stores.jobs.chunk(job, 3)).toBeNull();
    const output = { key: 'outputs/3', bytes: 9 };
    await stores.jobs.keepOutput(job, 3, output.key, output.bytes);
    expect(await stores.jobs.chunk(job, 3)).toEqual({ chunk: 3, end: null, output });
    const ends = [chunkEnd(job, 3), chunkEnd(job, 12, { failure: 'timeout', state: 'retrying' })];
    await commit(stores, north, { chunkEnds: ends });
    await stores.jobs.keepOutput(job, 12, 'outputs/12', 4);
    const found = await stores.jobs.chunksOf(job, [12, 3, 5]);
    expect([...found].toSorted(([a], [b]) => a - b)).toEqual([
      [3, { chunk: 3, end: ends[0], output }],
      [12, { chunk: 12, end: ends[1], output: { key: 'outputs/12', bytes: 4 } }],
    ]);
  });

  test('the timeline comes oldest first, and an event told twice is one', async () => {
    const { jobs, changes } = await makeStores();
    const addEvent = (atMs: number, kind: string) =>
      changes.addEvent(job, { atMs, kind, by: 'token:ci', detail: `${kind}.` });
    await addEvent(startMs + 5, 'edited');
    for (let time = 1; time <= 2; time++) await addEvent(startMs, 'started');
    await addEvent(startMs, 'created');
    const events = await jobs.events(job, null, 2);
    expect(events.map((event) => event.kind)).toEqual(['created', 'started']);
    const rest = await jobs.events(job, events[1]!.position, 9);
    const edited = { atMs: startMs + 5, kind: 'edited', by: 'token:ci', detail: 'edited.' };
    expect(rest).toEqual([{ ...edited, position: rest[0]!.position }]);
    expect(await jobs.events(jobIdOf('nobody'), null, 9)).toEqual([]);
  });
};
