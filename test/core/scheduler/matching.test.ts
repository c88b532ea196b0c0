import { expect, test } from 'vitest';
import type { Expression, ExpressionOp } from '../../../core/model/job.ts';
import { mismatchOf } from '../../../core/scheduler/matching.ts';
import { makeEdge, makeSpec } from '../cell-fixture.ts';

const edge = makeEdge('edge-1', {
  labels: { site: 'north', rack: '7' },
  flat: { arch: 'arm64', 'os.version': '5.15.0-91', cores: 8, 'executors.process': '1', tpm: true },
});

function asks(expressions: Expression[], run = { process: null }): ReturnType<typeof mismatchOf> {
  const spec = makeSpec({ requires: { labels: {}, expressions, edges: [] }, run: run as never });
  return mismatchOf(edge, spec);
}

test('expressions address labels and facts', () => {
  const holds: [string, ExpressionOp, Expression['value']?][] = [
    ['arch', '=', 'arm64'],
    ['facts.arch', '=', 'arm64'],
    ['labels.site', '=', 'north'],
    ['site', 'in', ['north', 'south']],
    ['site', 'notIn', ['east']],
    ['gpu', 'notExists'],
    ['gpu', '!=', 'a100'],
    ['gpu', 'notIn', ['a100']],
    ['os.version', '>=', '5.10'],
    ['facts.os.version', '<', '6'],
    ['cores', '>=', 8],
    ['cores', '>', 4],
    ['cores', '=', 8],
    ['rack', '<=', 7],
    ['tpm', '=', true],
    ['executors.process', 'exists'],
  ];
  for (const [key, op, value] of holds) {
    const expression = value === undefined ? { key, op } : { key, op, value };
    expect(asks([expression]), `${key} ${op} ${value}`).toBeNull();
  }
  const fails: [string, ExpressionOp, Expression['value']?][] = [
    ['arch', '=', 'x86_64'],
    ['arch', '!=', 'arm64'],
    ['gpu', 'exists'],
    ['gpu', '>', 1],
    ['gpu', 'in', ['a100']],
    ['os.version', '>', '5.15.1'],
    ['cores', '<', 8],
    ['arch', '<', '1'],
    ['arch', '<=', 'zzz'],
    ['labels.arch', 'exists'],
    ['facts.site', 'exists'],
  ];
  for (const [key, op, value] of fails) {
    const expression = value === undefined ? { key, op } : { key, op, value };
    expect(asks([expression])?.reason, `${key} ${op}`).toBe('expression-does-not-match');
  }
});

test('labels of users override labels of the edge', () => {
  const requires = { labels: { site: 'north' }, expressions: [], edges: [] };
  const spec = makeSpec({ requires });
  const moved = { ...edge, facts: { ...edge.facts!, flat: {} } };
  expect(mismatchOf(moved, spec)).toBeNull();
  const config = { ...edge.config, labels: { site: 'south' } };
  expect(mismatchOf({ ...moved, config }, spec)?.reason).toBe('labels-do-not-match');
});

test('named edges are the only ones', () => {
  const of = (edges: string[]) =>
    mismatchOf(
      edge,
      makeSpec({
        requires: { labels: {}, expressions: [], edges },
        run: { process: null } as never,
      }),
    );
  expect(of(['edge-1', 'edge-2'])).toBeNull();
  expect(of(['edge-2'])?.reason).toBe('labels-do-not-match');
});

test('an edge runs only what its executors can; one that has said nothing yet only simulates', () => {
  expect(asks([], { container: null } as never)?.detail).toBe('has no container executor');
  const silent = { ...edge, facts: null };
  expect(mismatchOf(silent, makeSpec())).toBeNull();
  expect(mismatchOf(silent, makeSpec({ run: { process: null } as never }))?.reason).toBe(
    'expression-does-not-match',
  );
  const unlisted = { ...edge, facts: { ...edge.facts!, flat: {} } };
  expect(mismatchOf(unlisted, makeSpec({ run: { slurm: null } as never }))).toBeNull();
});

test('a job with inputs goes to edges whose agents know what those are', () => {
  const run = { process: null } as never;
  const spec = makeSpec({ run, inputs: [{ path: 'a', sha256: 'a'.repeat(64) }] });
  const detail = 'its agent does not fetch files';
  expect(mismatchOf(edge, spec)).toEqual({ reason: 'expression-does-not-match', detail });
  const able = makeEdge('edge-2', { flat: { cacheBytes: 0, 'executors.process': '1' } });
  expect(mismatchOf(able, spec)).toBeNull();
});

test('a job whose results have names in their paths goes where those are replaced', () => {
  const run = { process: null } as never;
  const outputs = { paths: ['out-{chunk}.csv'], on: 'done', maxMb: 1 } as const;
  const flat = { sendsFiles: true, 'executors.process': '1' };
  const older = makeEdge('edge-2', { flat });
  expect(mismatchOf(older, makeSpec({ run, outputs }))?.detail).toBe(
    'its agent does not replace names in paths',
  );
  expect(mismatchOf(older, makeSpec({ run, outputs: { ...outputs, paths: ['*'] } }))).toBeNull();
  const able = makeEdge('edge-3', { flat: { ...flat, fillsPaths: true } });
  expect(mismatchOf(able, makeSpec({ run, outputs }))).toBeNull();
});

test('a job whose inputs have names goes where those are replaced', () => {
  const run = { process: null } as never;
  const flat = { cacheBytes: 0, parameters: true, 'executors.process': '1' };
  const [older, able] = [{}, { fillsInputs: true }].map((more, at) =>
    makeEdge(`edge-${at + 2}`, { flat: { ...flat, ...more } }),
  );
  const plain = { path: 'tile', sha256: 'a'.repeat(64) };
  const named = [
    { ...plain, path: 'tile-{chunk}' },
    { ...plain, sha256: '{tile}' },
  ];
  expect(mismatchOf(older!, makeSpec({ run, inputs: [plain] }))).toBeNull();
  for (const input of named) {
    const spec = makeSpec({ run, inputs: [input] });
    expect(mismatchOf(older!, spec)?.detail).toBe('its agent does not replace names in inputs');
    expect(mismatchOf(able!, spec)).toBeNull();
  }
});

test('a job with an archive goes to edges whose agents unpack it', () => {
  const run = { process: null } as never;
  const inputs = [{ path: 'a', sha256: 'a'.repeat(64), unpack: 'tar.gz' }] as const;
  const flat = { cacheBytes: 0, 'executors.process': '1' };
  const older = makeEdge('edge-2', { flat });
  expect(mismatchOf(older, makeSpec({ run, inputs }))?.detail).toBe(
    'its agent does not unpack archives',
  );
  const able = makeEdge('edge-3', { flat: { ...flat, unpacks: true } });
  expect(mismatchOf(able, makeSpec({ run, inputs }))).toBeNull();
});

test('a part of another job goes to edges whose agents give chunks the numbers they have there', () => {
  const run = { process: null } as never;
  const spec = makeSpec({ run, chunkOffsets: { numbers: '7' } });
  expect(mismatchOf(edge, spec)?.detail).toBe('its agent does not know other numbers of chunks');
  const able = makeEdge('edge-2', { flat: { chunkOffsets: true, 'executors.process': '1' } });
  expect(mismatchOf(able, spec)).toBeNull();
});

test('a job may ask for an edge that has something free', () => {
  const asks = (value: number) => {
    const expressions = [{ key: 'load.memoryFreeMb', op: '>=' as const, value }];
    return makeSpec({ requires: { edges: [], labels: {}, expressions } } as never);
  };
  const busy = makeEdge('edge-2', { flat: { 'load.memoryFreeMb': 600 } });
  expect(mismatchOf(busy, asks(500))).toBeNull();
  expect(mismatchOf(busy, asks(700))).not.toBeNull();
  expect(mismatchOf(edge, asks(1))).not.toBeNull();
});

test('a pod goes to edges whose agent has pods, and nowhere else', () => {
  const pods = {
    requires: { labels: {}, expressions: [], edges: [] },
    run: { pod: null } as never,
  };
  const withFacts = (flat: Record<string, string>) => makeEdge('edge-1', { flat });
  const spec = makeSpec(pods);
  expect(mismatchOf(withFacts({ 'executors.container': '28.5' }), spec)).toEqual({
    reason: 'expression-does-not-match',
    detail: 'has no pod executor',
  });
  const both = { 'executors.container': '28.5', 'executors.pod': '28.5' };
  expect(mismatchOf(withFacts(both), spec)).toBeNull();
});
