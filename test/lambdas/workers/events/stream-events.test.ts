import type { DynamoDBRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { encodeMap } from '../../../../adapters/dynamodb/attribute-values.ts';
import { workKey } from '../../../../adapters/dynamodb/keys.ts';
import { encodeIdentity } from '../../../../adapters/dynamodb/rows/rows-identity.ts';
import { encodeStatus, mayBeNews } from '../../../../adapters/dynamodb/rows/rows-job.ts';
import { encodeWorkRow } from '../../../../adapters/dynamodb/rows/rows-work.ts';
import type { Row } from '../../../../adapters/dynamodb/table.ts';
import { noEdgeWork } from '../../../../core/model/cell.ts';
import { type JobStatus, newJobStatus } from '../../../../core/model/job-status.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../../../core/model/names.ts';
import { endsToSend, eventsOfStream } from '../../../../lambdas/workers/events/stream-events.ts';

const cell = cellIdOf('north.0');
const edge = edgeNameOf('edge-1');
const status = newJobStatus({
  ...{ job: jobIdOf('job-1'), name: null, pool: 'north', queue: 'fast', labels: {} },
  chunking: { chunks: 1, chunkPower: 1, lastChunkPower: 1 },
  ...{ cells: [cell], dependsOn: [], createdAtMs: 1_000, maxFailedChunks: null },
});

/** As the stream has it: `null` for what was not there. */
function change(before: Row | null, after: Row | null): DynamoDBRecord {
  const eventName = before === null ? 'INSERT' : after === null ? 'REMOVE' : 'MODIFY';
  const { pk, sk } = (after ?? before)!;
  const images = {
    ...(before === null ? {} : { OldImage: encodeMap(before) }),
    ...(after === null ? {} : { NewImage: encodeMap(after) }),
  };
  const dynamodb = { Keys: encodeMap({ pk, sk }), ...images };
  return JSON.parse(JSON.stringify({ eventName, dynamodb }));
}

const kindsOf = (...records: DynamoDBRecord[]) =>
  eventsOfStream(records).map((event) => `${event.job ?? event.edge} ${event.kind} ${event.pool}`);

test('a job says each state that it came to, in their order', () => {
  const submitted = encodeStatus(status);
  const running = encodeStatus({ ...status, state: 'running' });
  const counted = encodeStatus({ ...status, state: 'running', version: 3 });
  const done = encodeStatus({ ...status, state: 'done', endedAtMs: 3_000 });
  const all = [
    change(null, submitted),
    change(submitted, running),
    change(running, counted),
    change(counted, done),
    change(done, null),
  ];
  expect(kindsOf(...all)).toEqual([
    'job-1 job.submitted north',
    'job-1 job.started north',
    'job-1 job.done north',
  ]);
});

test('an end is for who a job names, where it names somebody', () => {
  for (const notifies of [true, undefined] as const) {
    const named: JobStatus = notifies ? { ...status, notifies } : status;
    const [running, done] = (['running', 'done'] as const).map((state) =>
      encodeStatus({ ...named, state, endedAtMs: state === 'done' ? 3_000 : null }),
    ) as [Row, Row];
    const sent = endsToSend([change(null, running), change(running, done), change(done, null)]);
    expect(sent.map(({ kind }) => kind)).toEqual(notifies ? ['job.done'] : []);
  }
});

test('what happens within a job has the time at which it was written', () => {
  const before = encodeStatus({ ...status, state: 'running', version: 3 });
  const counts = { ...status.counts, dead: 1 };
  const after = encodeStatus({ ...status, state: 'running', counts, version: 4 });
  const record = change(before, after);
  Object.assign(record.dynamodb!, { ApproximateCreationDateTime: 1_700_000_000 });
  const [event] = eventsOfStream([record]);
  expect(event).toMatchObject({ id: 'job-1.chunk.dead.4', atMs: 1_700_000_000_000 });
  expect(mayBeNews({ ...status, counts }, 'pending')).toBe(true);
  expect(mayBeNews(status, 'pending')).toBe(false);
  expect(mayBeNews(status, 'scheduled')).toBe(true);
  expect(mayBeNews({ ...status, service: { wanted: 1, ready: 1, restarts: 0 } }, 'pending')).toBe(
    true,
  );
});

test('an edge says that it was enrolled, lost, and back', () => {
  const identity = {
    ...{ edge, cell, keyHash: null, certificateId: null, certificate: null },
    ...{ previousCertificateId: null, renewedAtMs: null, credentials: [] },
    ...{ enrolledAtMs: 1_000, removingSinceMs: null },
  };
  const row = encodeIdentity(identity);
  expect(kindsOf(change(null, row), change(row, { ...row, keyHash: 'k' }))).toEqual([
    'edge-1 edge.registered north',
  ]);
  const held = encodeWorkRow(cell, edge, { ...noEdgeWork, writtenAtMs: 2_000 });
  const lost = encodeWorkRow(cell, edge, { ...noEdgeWork, lostAtMs: 3_000 });
  const back = encodeWorkRow(cell, edge, { ...noEdgeWork, writtenAtMs: 4_000 });
  expect(kindsOf(change(held, lost), change(lost, lost), change(lost, back))).toEqual([
    'edge-1 edge.lost north',
    'edge-1 edge.returned north',
  ]);
});

test('what cannot be read, and rows of others, say nothing', () => {
  const row = encodeStatus(status);
  const damaged = { ...row, state: 7 };
  expect(kindsOf(change(null, damaged), change(damaged, row), change(row, damaged))).toEqual([]);
  const other = { ...workKey(cell, edge), sk: 'META' };
  expect(kindsOf(change(null, other), { eventName: 'MODIFY' })).toEqual([]);
});
