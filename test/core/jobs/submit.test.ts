import { expect, test } from 'vitest';
import type { Refusal } from '../../../core/jobs/decision.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import {
  emptyRanges,
  equal,
  intersect,
  isEmpty,
  rangeOf,
  union,
} from '../../../core/model/ranges.ts';
import {
  admin,
  creation,
  makeMeta,
  makeSurroundings,
  north,
  south,
  storedJob,
  submitted,
} from './job-fixture.ts';

const problemOf = (decision: object) => (decision as Refusal).problem;

test('every chunk is in exactly one cell, and each cell knows what is wanted of it', () => {
  const { intents, job } = creation({ chunks: 16 });
  expect([...intents.keys()].sort()).toEqual([north, south]);
  expect(job.cells).toEqual([...intents.keys()]);
  let all = emptyRanges;
  for (const { intent, ranges } of intents.values()) {
    expect(isEmpty(intersect(all, ranges))).toBe(true);
    all = union(all, ranges);
    expect(intent).toMatchObject({
      cancelled: false,
      retryEpoch: 0,
      blockedByDependencies: false,
      chunking: job.chunking,
    });
  }
  expect(equal(all, rangeOf(0, 16))).toBe(true);
});

test('a job that names edges goes to their cells only', () => {
  const { intents } = creation(
    { requires: { edges: ['edge-1'] } },
    { namedCells: new Set([south]) },
  );
  expect([...intents.keys()]).toEqual([south]);
});

test('a pool without cells gets its first one', () => {
  expect([...creation({}, { metas: [] }).intents.keys()]).toEqual([north]);
});

test('power is cut so that each chunk fits the largest edge', () => {
  const around = { largestEdgePower: 50, metas: [makeMeta(north, { largestEdgePower: 50 })] };
  const { job } = creation({ power: 400, chunkPower: null, chunks: null }, around);
  expect(job.chunking).toEqual({ chunks: 8, chunkPower: 50, lastChunkPower: 50 });
});

test('the hash is of what an agent gets, not of what a user may edit', () => {
  const first = creation({ priority: 1 }).job.specHash;
  expect(creation({ priority: 99 }).job.specHash).toBe(first);
  expect(creation({ run: { process: { argv: ['x'] } } }).job.specHash).not.toBe(first);
});

test('a job is held for those of its parents that are open', () => {
  const [open, done] = ['open', 'done'].map((id) => jobIdOf(id));
  const parents = [
    { ...storedJob(), job: { ...storedJob().job, id: open! } },
    { ...storedJob({ state: 'done' }), job: { ...storedJob().job, id: done! } },
  ];
  const { intents, status, openParents } = creation({ dependsOn: [open, done] }, { parents });
  expect(openParents).toEqual([open]);
  expect(status).toMatchObject({
    blockedByDependencies: true,
    state: 'waiting',
    dependsOn: [open],
  });
  expect([...intents.values()].map(({ intent }) => intent.blockedByDependencies)).toEqual([
    true,
    true,
  ]);
});

test('a parent that ended badly, or that the caller may not see, refuses the job', () => {
  const failed = storedJob({ state: 'failed' });
  const dependsOn = [failed.job.id];
  expect(problemOf(submitted({ dependsOn }, { parents: [failed] })).code).toBe('unsatisfiable');
  expect(problemOf(submitted({ dependsOn })).errors?.[0]?.pointer).toBe('/dependsOn/0');
  const blind = { ...admin, pool: 'elsewhere' };
  const parents = [storedJob()];
  expect(problemOf(submitted({ dependsOn }, { parents }, blind)).code).toBe('invalid-request');
});

test('a spec that is too large is refused with its size', () => {
  const env = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`V${at}`, 'é'.repeat(2_000)]),
  );
  const decision = submitted({ run: { process: { argv: ['x'], env } } }, makeSurroundings());
  expect(problemOf(decision).message).toContain('at most 65536 bytes; this one has 8');
});

test('a name is free when all services of it have ended, and the last one is remembered', () => {
  const body = { kind: 'service', name: 'web', run: { simulate: {} }, uniqueName: true };
  const over = [storedJob({ state: 'cancelled' }), storedJob({ state: 'done' })];
  const last = jobIdOf('web-1');
  expect(creation(body, { named: { jobs: over, last } }).onlyOne).toEqual({ after: last });
  expect(creation({ ...body, uniqueName: false }).onlyOne).toBeUndefined();
  const jobs = [...over, storedJob({ state: 'waiting' })];
  const refused = submitted(body, { named: { jobs, last } });
  expect(refused).toMatchObject({ kind: 'refused', problem: { code: 'name-taken' } });
});
