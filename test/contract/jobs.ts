import { expect, test } from 'vitest';
import { edit, type JobEdit } from '../../core/jobs/edit.ts';
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
  traceOf,
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
    const [, onEdge] = await stores.jobs.listOfEdge(edges[0]!, null, 2);
    await stores.changes.purge({ kind: 'purge', id: row!.id });
    const rest = await stores.jobs.listPool('default', row!.position, 9);
    expect(rest.map((it) => it.id)).toEqual([ids[0]]);
    const before = await stores.jobs.listOfEdge(edges[0]!, onEdge!.position, 9);
    expect(before.map((it) => it.id)).toEqual([ids[0]]);
  });

  test('the jobs that an edge ran come newest first, whatever they are called', async () => {
    const stores = await makeStores();
    const submitted: [JobId, number][] = [
      [jobIdOf('zz-first'), startMs],
      [idAt(startMs + 1), startMs + 1],
      [jobIdOf('a-third'), startMs + 2],
      [jobIdOf('abcdefghi-fourth'), startMs + 3],
      [idAt(startMs + 4), startMs + 4],
    ];
    for (const [id, submittedAtMs] of submitted) {
      await submit(stores, id, { createdAtMs: submittedAtMs });
      const execution = { ...executionOf(id, edges[0]!), submittedAtMs };
      await commit(stores, north, { executions: [execution] });
    }
    const newest = submitted.map(([id]) => id).toReversed();
    const all = await stores.jobs.listOfEdge(edges[0]!, null, 9);
    expect(all.map(({ id }) => id)).toEqual(newest);
    for (const [at, { position }] of all.entries()) {
      const rest = await stores.jobs.listOfEdge(edges[0]!, position, 2);
      expect(rest.map(({ id }) => id)).toEqual(newest.slice(at + 1, at + 3));
    }
    const [stored] = await stores.jobs.executionsOn(edges[0]!, [jobIdOf('a-third')]);
    expect(stored?.submittedAtMs).toBe(startMs + 2);
    expect(await stores.jobs.listOfEdge(edges[1]!, null, 9)).toEqual([]);
  });

  test('of a chunk its end and its output are kept, whichever comes first', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    expect(await stores.jobs.chunk(job, 3)).toBeNull();
    const output = { key: 'outputs/3', bytes: 9, totalBytes: 700, headBytes: 4 };
    await stores.jobs.keepOutput(job, 3, output);
    expect(await stores.jobs.chunk(job, 3)).toEqual({ chunk: 3, end: null, output });
    const ends = [chunkEnd(job, 3), chunkEnd(job, 12, { failure: 'timeout', state: 'retrying' })];
    await commit(stores, north, { chunkEnds: ends });
    const short = { key: 'outputs/12', bytes: 4 };
    await stores.jobs.keepOutput(job, 12, short);
    const found = await stores.jobs.chunksOf(job, [12, 3, 5]);
    expect([...found].toSorted(([a], [b]) => a - b)).toEqual([
      [3, { chunk: 3, end: ends[0], output }],
      [12, { chunk: 12, end: ends[1], output: { ...short, totalBytes: 4, headBytes: 0 } }],
    ]);
  });

  test('of a chunk standard error is kept beside its output', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const errors = { key: 'outputs/3.stderr', bytes: 9, totalBytes: 700, headBytes: 4 };
    await stores.jobs.keepOutput(job, 3, errors, 'stderr');
    expect(await stores.jobs.chunk(job, 3)).toEqual({ chunk: 3, end: null, output: null, errors });
    const output = { key: 'outputs/3', bytes: 9, totalBytes: 9, headBytes: 0 };
    await stores.jobs.keepOutput(job, 3, output);
    expect(await stores.jobs.chunk(job, 3)).toEqual({ chunk: 3, end: null, output, errors });
  });

  test('an output that is kept whole is that of its attempt, and of no later one', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const output = { key: 'outputs/3.1', bytes: 9, totalBytes: 700, headBytes: 4 };
    const whole = 'a'.repeat(64);
    await stores.jobs.keepOutput(job, 3, { ...output, whole });
    expect((await stores.jobs.chunk(job, 3))?.output).toEqual({ ...output, whole });
    const later = { ...output, key: 'outputs/3.2' };
    await stores.jobs.keepOutput(job, 3, later);
    expect((await stores.jobs.chunk(job, 3))?.output).toEqual(later);
  });

  test('of a chunk the results of the first that was done are kept', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const { jobs } = stores;
    const result = { manifest: 'a'.repeat(64), files: 2, bytes: 9, isDone: false };
    await jobs.keepResult(job, 3, result);
    expect(await jobs.chunk(job, 3)).toEqual({ chunk: 3, end: null, output: null, result });
    const done = { ...result, manifest: 'b'.repeat(64), isDone: true };
    for (const each of [done, result, { ...done, files: 7 }]) await jobs.keepResult(job, 3, each);
    await jobs.keepOutput(job, 3, { key: 'outputs/3', bytes: 4 });
    expect((await jobs.chunk(job, 3))?.result).toEqual(done);
  });

  test('results come by chunk, page by page, past chunks that left none', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const { jobs } = stores;
    const result = { manifest: 'a'.repeat(64), files: 1, bytes: 1, isDone: true };
    for (const chunk of [100, 2, 9]) await jobs.keepResult(job, chunk, result);
    await jobs.keepOutput(job, 5, { key: 'outputs/5', bytes: 4 });
    const found: number[] = [];
    let after: number | null = null;
    for (let pages = 0; pages < 9; pages++) {
      const page = await jobs.results(job, after, 2);
      found.push(...page.items.map(({ chunk }) => chunk));
      after = page.next;
      if (after === null) break;
    }
    expect([found, after]).toEqual([[2, 9, 100], null]);
  });

  test('the timeline comes oldest first, page by page', async () => {
    const stores = await makeStores();
    const { jobs, changes } = stores;
    await submit(stores, job);
    const lines: [number, string][] = [
      [startMs + 5, 'edited'],
      [startMs, 'started'],
      [startMs, 'created'],
    ];
    for (const [atMs, kind] of lines) {
      const found = (await jobs.find(job))!;
      const patch = { labels: { kind } };
      const change = edit(found, await changes.cellsOf(found.job), patch) as JobEdit;
      expect(await changes.commit(change, traceOf(job, atMs, kind))).toBe('changed');
    }
    const events = await jobs.events(job, null, 2);
    expect(events.map((event) => event.kind)).toEqual(['created', 'started']);
    const rest = await jobs.events(job, events[1]!.position, 9);
    const edited = { atMs: startMs + 5, kind: 'edited', by: 'token:ci', detail: 'edited.' };
    expect(rest).toEqual([{ ...edited, position: rest[0]!.position }]);
    expect(await jobs.events(jobIdOf('nobody'), null, 9)).toEqual([]);
  });
};
