import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { jobBodySchema } from '../../core/contract/job-body.ts';
import { checkBody } from '../../core/contract/validation.ts';
import { chunkJob, powerOf } from '../../core/model/job.ts';
import { jobIdOf } from '../../core/model/names.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import { makeCell, makeEdges, makeJob, startMs, withIntent } from '../core/cell-fixture.ts';
import { held, rest, withReport } from '../core/stage.ts';
import { readSample } from '../read-sample.ts';

/** What earlier schedulers promised, and what was wrong with them, where no other test shows it. */

test.each([
  [500, [125, 125, 125, 125]],
  [403, [100, 100, 100, 103]],
  [301, [75, 75, 75, 76]],
  [7, [1, 1, 1, 4]],
  [5, [1, 1, 1, 2]],
  [3, [3]],
])('a job of %i power alone is cut into %j', (power, chunks) => {
  const chunking = chunkJob(
    { power, chunkPower: null, chunks: null },
    { chunks: 4, largestEdgePower: 250 },
  );
  const powers = chunks.map((_, chunk) => powerOf(chunking, rangeOf(chunk, chunk + 1)));
  expect([chunking.chunks, powers]).toEqual([chunks.length, chunks]);
});

test('a power that no edge could hold a quarter of is cut finer, and none of it is lost', () => {
  for (const power of [1_001, 5_003, 999_999_937]) {
    const chunking = chunkJob(
      { power, chunkPower: null, chunks: null },
      { chunks: 4, largestEdgePower: 250 },
    );
    expect(chunking.lastChunkPower).toBeLessThanOrEqual(250);
    expect(powerOf(chunking, rangeOf(0, chunking.chunks))).toBe(power);
  }
});

test('what is cancelled is stopped where it runs, and nobody else hears of it', () => {
  const jobs = [makeJob('job-a', { chunks: 2, chunkPower: 200 }), makeJob('job-b', { chunks: 4 })];
  const { cell } = rest(makeCell({ edges: makeEdges(6), jobs }), startMs);
  const holders = Object.keys(held(cell, 'job-a')).sort();
  expect(holders).toHaveLength(2);
  const plan = reconcile(withIntent(cell, 'job-a', { cancelled: true }), startMs);
  expect([...plan.shadows].sort()).toEqual(holders);
});

test('jobs that come one after the other go to edges in turn, not always to the first', () => {
  let cell = makeCell({ edges: makeEdges(4) });
  const holders: string[] = [];
  for (let at = 0; at < 8; at++) {
    const job = makeJob(`job-${at}`, { chunks: 1 });
    cell = rest({ ...cell, jobs: new Map(cell.jobs).set(job.id, job) }, startMs).cell;
    holders.push(...Object.keys(held(cell, job.id)));
  }
  expect(new Set(holders.slice(0, 4)).size).toBe(4);
  expect(new Set(holders.slice(4)).size).toBe(4);
});

test('four edges that end a job in the same moment leave it at 100 percent, in any order', () => {
  const job = jobIdOf('job-a');
  const all = rest(makeCell({ edges: makeEdges(4), jobs: [makeJob(job)] }), startMs).cell;
  for (const order of ['0123', '3210', '2031', '1302']) {
    let cell = all;
    for (const edge of order) {
      const done = held(all, job)[`edge-${edge}`]!;
      cell = withReport(cell, `edge-${edge}`, { [job]: { done } }, startMs);
    }
    const { plans } = rest(cell, startMs);
    const last = plans.flatMap((plan) => plan.jobStatuses.get(job) ?? []).at(-1)!;
    expect([last.counts.done, last.donePower, last.endedAtMs]).toEqual([4, 400, startMs]);
  }
});

test('a list of commands becomes one job each', () => {
  const { tasks } = parse(readSample('go-schedule/tasks.yaml')) as {
    tasks: { cmd: string; params: string[] }[];
  };
  const bodies = tasks.map(({ cmd, params }) => ({ run: { process: { argv: [cmd, ...params] } } }));
  expect(bodies).toHaveLength(2);
  for (const body of bodies) {
    expect(checkBody(jobBodySchema, body)).toMatchObject({
      ok: true,
      value: { run: { process: { argv: ['sleep', '30'] } } },
    });
  }
});

test('a workload of one container becomes a job with as many chunks as it has replicas', () => {
  const workload = JSON.parse(readSample('rik/workload-1.json'));
  const [{ image }] = workload.spec.containers;
  const body = {
    name: workload.name,
    chunks: workload.replicas,
    run: { container: { image } },
  };
  expect(checkBody(jobBodySchema, body)).toMatchObject({
    ok: true,
    value: { name: 'alpine', chunks: 1, run: { container: { image: 'alpine:latest' } } },
  });
});
