import { expect, test } from 'vitest';
import { jobBodySchema } from '../../../core/contract/job-body.ts';
import { edit, type JobEdit, patchTowards } from '../../../core/jobs/edit.ts';
import type { JobCells } from '../../../core/jobs/job-cells.ts';
import { inCell, jobId, north, south, storedJob } from './job-fixture.ts';

const cells: JobCells = new Map([
  [north, { isOpen: true, status: null }],
  [south, inCell(false)],
]);

test('an edit changes what it names and nothing else, where the job is open', () => {
  const found = storedJob({ spec: { labels: { a: '1' } } });
  const change = edit(found, cells, { priority: 90, retries: { attempts: 7 } }) as JobEdit;
  const retries = { ...found.job.spec.retries, attempts: 7 };
  expect(change).toEqual({
    kind: 'edit',
    id: jobId,
    seenVersion: 7,
    spec: { ...found.job.spec, priority: 90, retries },
    chunking: found.job.chunking,
    cells: [north],
    ofOpenJob: true,
    fields: ['priority', 'retries'],
    detail: 'Changed: priority, retries.',
  });
});

test('an empty patch is no change', () => {
  expect(edit(storedJob(), cells, {})).toEqual({ kind: 'unchanged' });
});

test('of a job that has ended only the labels change', () => {
  const ended = storedJob({ state: 'failed' });
  expect(edit(ended, cells, { labels: { a: '1' } })).toMatchObject({
    kind: 'edit',
    ofOpenJob: false,
  });
  expect(edit(ended, cells, { priority: 1 })).toMatchObject({
    kind: 'refused',
    problem: { code: 'conflict' },
  });
});

test('labels that would make the spec too large are refused', () => {
  const labels = Object.fromEntries(
    Array.from({ length: 64 }, (_, at) => [`label-${at}`, 'é'.repeat(600)]),
  );
  expect(edit(storedJob(), cells, { labels })).toMatchObject({
    kind: 'refused',
    problem: { errors: [{ pointer: '/labels' }] },
  });
});

const body = (over: object) => jobBodySchema.parse({ chunkPower: 100, chunks: 16, ...over });

test('a body is compared with what is stored, members in any order', () => {
  const run = { process: { argv: ['x'], env: { A: '1', B: '2' } } };
  const stored = storedJob({
    spec: {
      run: {
        process: { ...run.process, env: { B: '2', A: '1' }, cwd: null, timeoutSeconds: null },
      },
    },
  }).job.spec;
  expect(patchTowards(stored, body({ run }))).toEqual({ kind: 'patch', patch: {} });
  expect(patchTowards(stored, body({ run, priority: 3, labels: { a: '1' } }))).toEqual({
    kind: 'patch',
    patch: { priority: 3, labels: { a: '1' } },
  });
});

test('what a job runs cannot change', () => {
  const stored = storedJob().job.spec;
  for (const over of [{ chunks: 17 }, { run: { process: { argv: ['y'] } } }, { queue: 'other' }]) {
    expect(patchTowards(stored, body(over))).toMatchObject({ problem: { code: 'conflict' } });
  }
});
