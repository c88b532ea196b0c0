import { beforeEach, expect, test } from 'vitest';
import { livePartBytesMax, liveWishMs } from '../../../../core/live/limits.ts';
import { parseLiveWishes } from '../../../../core/live/live-wishes.ts';
import { edgeNameOf } from '../../../../core/model/names.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { enrolEdge, makeToken, submitJob, type WorkingEdge } from '../working-edge.ts';

let api: ApiStage;
let edge: WorkingEdge;
let job: string;

beforeEach(async () => {
  api = createApiStage(createMemoryStores());
  edge = await enrolEdge(api, 'edge-1');
  job = await submitJob(api, { chunks: 2, retries: { attempts: 1 } });
  await running();
});

const running = () => edge.report({ w: { [job]: { a: '0-1' } } });
const pathOf = (chunk = 0) => `/v1/jobs/${job}/chunks/${chunk}/output`;

async function send(query: string, text: string | Buffer, chunk = 0) {
  const headers = { 'content-type': 'application/octet-stream' };
  const request = { token: edge.secret, raw: Buffer.from(text), headers };
  return (await api.request('PUT', `${pathOf(chunk)}?${query}`, request)).status;
}

async function read(query: string, chunk = 0) {
  const { status, headers, bytes } = await api.request('GET', `${pathOf(chunk)}?${query}`);
  const next = Number(headers['edgewise-next-offset']);
  return [status, bytes.toString(), next, headers['edgewise-complete'] === 'true'];
}

const wishes = async () => {
  const document = await api.services.shadows.readWork(edgeNameOf('edge-1'));
  return parseLiveWishes(document?.l);
};

test('who looks at a chunk that runs makes its edge send, once for all who look', async () => {
  const before = Date.now();
  await Promise.all(Array.from({ length: 20 }, () => read('waitSeconds=0&offset=0')));
  expect(await wishes()).toEqual([]);
  await Promise.all(Array.from({ length: 20 }, () => read('waitSeconds=1&offset=0')));
  const [wish, ...others] = await wishes();
  expect([wish?.job, wish?.chunk, others]).toEqual([job, 0, []]);
  expect(wish!.untilMs).toBeGreaterThanOrEqual(before + liveWishMs);
  const { version } = await api.stores.live.wishes(edgeNameOf('edge-1'));
  expect(version).toBe(1);
});

test('what the edge sends is read in its order, from wherever one is', async () => {
  expect(await send('attempt=1&offset=0&more=true', 'one\n')).toBe(204);
  expect(await send('attempt=1&offset=4', 'zwei\n')).toBe(204);
  expect(await read('offset=0')).toEqual([200, 'one\nzwei\n', 9, false]);
  expect(await read('offset=5')).toEqual([200, 'wei\n', 9, false]);
  expect(await read('offset=9')).toEqual([200, '', 9, false]);
  const waiting = read('offset=9&waitSeconds=20');
  expect(await send('attempt=1&offset=9', Buffer.alloc(livePartBytesMax, 'x'))).toBe(204);
  const [status, text, next] = await waiting;
  expect([status, String(text).length, next]).toEqual([
    200,
    livePartBytesMax,
    9 + livePartBytesMax,
  ]);
});

test('who does not follow gets what is there', async () => {
  await send('attempt=1&offset=0', 'so far\n');
  expect(await read('')).toEqual([200, 'so far\n', 7, false]);
});

test('a chunk that has ended ends its readers, with the last of it', async () => {
  await send('attempt=1&offset=0', 'begin ');
  const reading = read('offset=6&waitSeconds=20');
  await send('attempt=1&offset=6&last=true', 'end');
  expect(await reading).toEqual([200, 'end', 9, false]);
  const last = read('offset=9&waitSeconds=20');
  await edge.report({ w: { [job]: { d: '0', a: '1' } } });
  expect(await last).toEqual([200, '', 9, true]);
  expect(await read('offset=0')).toEqual([200, 'begin end', 9, true]);
});

test('after that it is what the job keeps, and offsets count the whole', async () => {
  await edge.report({ w: { [job]: { x: { 1: 3 }, a: '0' } } });
  expect((await read('offset=0', 1))[0]).toBe(404);
  expect(await send('attempt=1&total=1000', 'the tail', 1)).toBe(204);
  expect(await read('', 1)).toEqual([200, 'the tail', 1000, true]);
  expect(await read('offset=0', 1)).toEqual([200, 'the tail', 1000, true]);
  expect(await read('offset=996', 1)).toEqual([200, 'tail', 1000, true]);
  expect(await read('offset=1000', 1)).toEqual([200, '', 1000, true]);
});

test('a later attempt begins anew, and says which it is', async () => {
  await send('attempt=1&offset=0&last=true', 'first try\n');
  await send('attempt=2&offset=0', 'second\n');
  const answer = await api.request('GET', `${pathOf()}?offset=10&attempt=1`);
  expect([answer.text, answer.headers['edgewise-attempt']]).toEqual(['second\n', '2']);
});

test('others of the pool alone may look, and only its edge may send', async () => {
  const other = await enrolEdge(api, 'edge-2', 'south');
  const headers = { 'content-type': 'application/octet-stream' };
  const path = `${pathOf()}?attempt=1&offset=0`;
  const foreign = await api.request('PUT', path, { token: other.secret, raw: 'x', headers });
  expect(foreign.status).toBe(404);
  const token = await makeToken(api, { pool: 'south' });
  expect((await api.request('GET', pathOf(), { token })).status).toBe(404);
});

test.each(['offset=-1', 'offset=x', 'waitSeconds=26', 'waitSeconds=1.5', 'attempt=0', 'wait=1'])(
  '%s is refused',
  async (query) => {
    const { status, json } = await api.request('GET', `${pathOf()}?${query}`);
    expect([status, json.code]).toEqual([400, 'invalid-request']);
  },
);

test('a part that is too long is refused', async () => {
  expect(await send('attempt=1&offset=0', Buffer.alloc(livePartBytesMax + 1))).toBe(413);
});

test('numbers of instances on each edge are not bounded by how many there are', async () => {
  const run = { process: { argv: ['x'] } };
  job = await submitJob(api, { kind: 'everywhere', run, chunkPower: 1 });
  // Known, though it was not given to this edge; beyond those of a batch it would be 404.
  expect(await send('attempt=1&offset=0', 'x', 7)).toBe(403);
});
