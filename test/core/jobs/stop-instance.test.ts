import { expect, test } from 'vitest';
import type { JobCells } from '../../../core/jobs/job-cells.ts';
import { removeInstance, stopInstance } from '../../../core/jobs/stop-instance.ts';
import { restartService, type ServiceRestart } from '../../../core/jobs/update-service.ts';
import { parseRanges } from '../../../core/model/ranges.ts';
import type { JobWithStatus } from '../../../core/model/stored-job.ts';
import { withoutNumber } from '../../../core/services/instance-numbers.ts';
import { startMs } from '../cell-fixture.ts';
import { creation, inCell, jobId, makeMeta, north, storedJob } from './job-fixture.ts';

const program = { process: { argv: ['httpd'] } };

function stored(body: object): JobWithStatus {
  const { job, status } = creation(body, { metas: [makeMeta(north)] });
  return { job: { ...job, version: 7 }, status };
}

const web = stored({ kind: 'service', chunks: 3, chunkPower: undefined, run: program });
const seats = { ...inCell(true).status!, ranges: parseRanges('0,4')! };

function around(cells: JobCells = new Map([[north, inCell(true)]])) {
  return { cells, kept: [], by: 'token:ci', nowMs: startMs, hash: (text: string) => text };
}

test('one that is stopped starts again, and not where it ran', () => {
  const change = stopInstance(web, 1, around());
  expect(change).toMatchObject({
    kind: 'restart',
    id: jobId,
    seenVersion: 7,
    restarts: 1,
    rollout: { generation: 1, restart: { epoch: 1, chunks: parseRanges('1'), elsewhere: true } },
    detail: 'Instance 1 is stopped and starts again.',
  });
});

test('of two that are stopped before anybody looked both are, and each only once', () => {
  const first = stopInstance(web, 1, around()) as ServiceRestart;
  const { restart } = first.rollout;
  const job = { ...web.job, version: 8, restarts: 1, lastRestart: restart! };
  const second = stopInstance({ ...web, job }, 2, around()) as ServiceRestart;
  expect(second.rollout.restart).toEqual({
    epoch: 2,
    chunks: parseRanges('2'),
    elsewhere: true,
    before: [{ epoch: 1, chunks: parseRanges('1'), elsewhere: true }],
  });
  const again = { ...job, restarts: 2, lastRestart: second.rollout.restart! };
  const third = restartService({ ...web, job: again }, '0-1', around()) as ServiceRestart;
  expect(third.rollout.restart).toEqual({
    epoch: 3,
    chunks: parseRanges('0-1'),
    before: [{ epoch: 2, chunks: parseRanges('2'), elsewhere: true }],
  });
});

test('one that is taken out leaves the others their numbers', () => {
  const change = removeInstance(web, 1, around().cells);
  expect(change).toMatchObject({
    kind: 'edit',
    seenVersion: 7,
    spec: { chunks: 2 },
    chunking: { chunks: 2, gaps: [1] },
    cells: [north],
    detail: 'Instance 1 is not wanted any more.',
  });
});

const gone = { ...web, job: { ...web.job, chunking: withoutNumber(web.job.chunking, 1) } };
const everywhere = stored({
  kind: 'everywhere',
  chunks: undefined,
  chunkPower: undefined,
  run: program,
});

test.each<[string, JobWithStatus, number, string]>([
  ['a number that there is not', web, 3, 'not-found'],
  ['a number that was taken out', gone, 1, 'not-found'],
  ['a chunk of a job with an end', storedJob(), 0, 'conflict'],
  [
    'an instance of a service that has ended',
    { ...web, status: { ...web.status, state: 'cancelled' } },
    0,
    'conflict',
  ],
  [
    'an instance of a service that is being deleted',
    { ...web, job: { ...web.job, cancelledAtMs: startMs } },
    0,
    'conflict',
  ],
  ['a number that no edge has', everywhere, 1, 'not-found'],
])('%s can be neither stopped nor taken out', (_, found, chunk, code) => {
  const cells: JobCells = new Map([[north, { isOpen: true, status: seats }]]);
  const refused = { kind: 'refused', problem: { code } };
  expect(stopInstance(found, chunk, around(cells))).toMatchObject(refused);
  expect(removeInstance(found, chunk, cells)).toMatchObject(refused);
});

test('of one that runs everywhere an instance is stopped and not taken out', () => {
  const cells: JobCells = new Map([[north, { isOpen: true, status: seats }]]);
  expect(stopInstance(everywhere, 4, around(cells)).kind).toBe('restart');
  expect(removeInstance(everywhere, 4, cells)).toMatchObject({ problem: { code: 'conflict' } });
});

test('a restart of instances that there are not is refused, and says which there are', () => {
  const few = { ...web, job: { ...web.job, chunking: withoutNumber(web.job.chunking, 1) } };
  expect(restartService(few, '0,2', around()).kind).toBe('restart');
  for (const [found, chunks, numbers] of [
    [web, '7', '0-2'],
    [web, '2-3', '0-2'],
    [few, '0-2', '0,2'],
  ] as const) {
    expect(restartService(found, chunks, around())).toMatchObject({
      kind: 'refused',
      problem: {
        code: 'invalid-request',
        errors: [{ pointer: '/chunks', message: `The service has instances ${numbers}.` }],
      },
    });
  }
});
