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

test('deep nesting is refused without following it', () => {
  let deep: unknown = {};
  for (let at = 0; at < 10_000; at++) deep = { run: deep };
  const checked = checkBody(jobBodySchema, deep);
  expect(checked.ok ? [] : checked.errors.map((it) => it.message)).toEqual([
    'A body nests at most 16 levels.',
  ]);
});
