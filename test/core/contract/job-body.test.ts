import { expect, test } from 'vitest';
import { fillJob, jobBodySchema } from '../../../core/contract/job-body.ts';
import { checkBody, pointerOf } from '../../../core/contract/validation.ts';

const pool = { largestEdgePower: null, policy: 'spread' } as const;

function filled(body: unknown, defaults = pool as Parameters<typeof fillJob>[1]) {
  const checked = checkBody(jobBodySchema, body);
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  return fillJob(checked.value, defaults);
}

test('the spec is what was sent plus defaults, in one order whatever was sent', () => {
  const sent = { labels: { b: '2', a: '1' }, power: 403 };
  const { spec, chunking } = filled(sent);
  expect(spec).toMatchObject({ ...sent, chunks: 4, chunkPower: null });
  expect(chunking).toEqual({ chunks: 4, chunkPower: 100, lastChunkPower: 103 });
  expect(Object.keys(spec)).toEqual(Object.keys(filled({}).spec));
});

test('sending a spec back as a body gives the same spec', () => {
  const { spec } = filled({ power: 403, run: { process: { argv: ['x'] } }, labels: { a: 'b' } });
  expect(filled(spec).spec).toEqual(spec);
});

test('a part of another job has as many chunks as it has numbers', () => {
  const chunkOffsets = { numbers: '0-99,140', total: 1_000 };
  const { spec, chunking } = filled({ chunkOffsets, chunkPower: 10 });
  expect([spec.chunkOffsets, spec.chunks, chunking.chunks]).toEqual([chunkOffsets, 101, 101]);
  expect(filled(spec).spec).toEqual(spec);
  expect(filled({ chunkOffsets: { numbers: '7' }, power: 9 }).chunking.chunkPower).toBe(9);
});

const manyNumbers = Array.from({ length: 5_000 }, (_, i) => 2 * i).join();
const itsNumbers = '/chunkOffsets/numbers';

test.each([
  ['no numbers', { chunkOffsets: { numbers: '' } }, itsNumbers],
  ['numbers that fall', { chunkOffsets: { numbers: '5,3' } }, itsNumbers],
  ['a number twice', { chunkOffsets: { numbers: '1-3,2' } }, itsNumbers],
  ['a number that no chunk has', { chunkOffsets: { numbers: '0-10000000' } }, itsNumbers],
  ['more than a document of work can name', { chunkOffsets: { numbers: manyNumbers } }, itsNumbers],
  ['no total', { chunkOffsets: { numbers: '1', total: 0 } }, '/chunkOffsets/total'],
  ['another number of chunks', { chunkOffsets: { numbers: '0-9' }, chunks: 9 }, '/chunks'],
  ['less power than numbers', { chunkOffsets: { numbers: '0-9' }, power: 9 }, '/chunks'],
  [
    'another number of parameters',
    { chunkOffsets: { numbers: '0-9' }, params: { matrix: { a: [1, 2] } } },
    '/chunks',
  ],
  [
    'instances',
    { chunkOffsets: { numbers: '0' }, kind: 'service', run: { simulate: {} } },
    '/chunkOffsets',
  ],
])('no part of another job: %s', (_name, body, pointer) => {
  const checked = checkBody(jobBodySchema, body);
  expect(checked.ok ? [] : checked.errors.map((error) => error.pointer)).toEqual([pointer]);
});

test('a pool decides what a job leaves open: its largest edge, its policy', () => {
  const { spec, chunking } = filled({ power: 1_000 }, { largestEdgePower: 100, policy: 'pack' });
  expect([chunking.chunks, spec.placement.policy]).toEqual([10, 'pack']);
  expect(filled({ placement: { policy: 'fastest' } }).spec.placement.policy).toBe('fastest');
});

test('each thing that is wrong is said with its place', () => {
  const checked = checkBody(jobBodySchema, {
    'a/b~c': 1,
    power: 1.5,
    run: { process: { argv: [] } },
    requires: { expressions: [{ key: 'x', op: 'in', value: 'y' }] },
  });
  expect(checked.ok ? [] : checked.errors).toEqual(
    expect.arrayContaining([
      { pointer: '/a~1b~0c', message: 'There is no field "a/b~c" here.' },
      { pointer: '/power', message: 'This must be a whole number.' },
      { pointer: '/run/process/argv', message: 'This must not be empty.' },
    ]),
  );
  expect(pointerOf(['a/b', 0, '~'])).toBe('/a~1b/0/~0');
});

test.each(['>', '>=', '<', '<='])('what is no version has no place %s another', (op) => {
  const asking = (value: unknown) =>
    checkBody(jobBodySchema, { requires: { expressions: [{ key: 'os.version', op, value }] } });
  for (const value of ['abc', '', true, -1]) {
    const checked = asking(value);
    const [error] = checked.ok ? [] : checked.errors;
    expect(error, String(value)).toEqual({
      pointer: '/requires/expressions/0/value',
      message: `"${op}" compares numbers and versions, like 4 or 5.10; this is neither.`,
    });
  }
  for (const value of ['5.10', 'v2', 4, '1.0-rc1']) expect(asking(value).ok).toBe(true);
});

test('deep nesting is refused without following it', () => {
  let deep: unknown = {};
  for (let at = 0; at < 10_000; at++) deep = { run: deep };
  const checked = checkBody(jobBodySchema, deep);
  expect(checked.ok ? [] : checked.errors.map((it) => it.message)).toEqual([
    'A body nests at most 16 levels.',
  ]);
});
