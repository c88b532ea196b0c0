import { expect, test } from 'vitest';
import { chunkNumbersLengthMax } from '../../../core/federation/limits.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import { count, emptyRanges, fromChunks, rangeOf, unionAll } from '../../../core/model/ranges.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import {
  bodyOfPart,
  divideIntoParts,
  formatPart,
  parsePart,
  partId,
  stageId,
  whyNotBelow,
} from '../../../edge-agent/federation/part.ts';

const job = jobIdOf('job');
const spec: AgentSpec = {
  ...{ id: 'job', hash: 'h', name: 'render', createdBy: 'token:1' },
  ...{ chunks: 1_000_000, chunkPower: 10, lastChunkPower: 10 },
  run: { process: { argv: ['a', '{chunk}'], env: {}, cwd: null, timeoutSeconds: null } },
  ...{ resources: { cores: 2 }, keepOutput: 'all', offlineSeconds: null },
};
const part = { edge: 'site-b', job, attempt: 1, chunks: fromChunks([3, 4, 20]), tried: 0 };

const stages = { above: 'a', below: 'b' };

test('the id of a part follows from what it is, and from nothing else', () => {
  const id = partId('a', part);
  expect(id).toMatch(/^fed-[0-9a-f]{40}$/);
  expect(partId('a', { ...part, chunks: fromChunks([20, 4, 3]) })).toBe(id);
  const others = [{ edge: 'site-c' }, { attempt: 2 }, { tried: 1 }, { chunks: rangeOf(3, 5) }];
  const ids = [partId('b', part), ...others.map((other) => partId('a', { ...part, ...other }))];
  expect(new Set([id, ...ids]).size).toBe(6);
});

test('a job below knows what its chunks are above, however many deployments lie between', () => {
  const given = { power: 10, pool: 'gpu', stages };
  const first = bodyOfPart(part, spec, given);
  expect(first).toMatchObject({ pool: 'gpu', chunkPower: 10, run: spec.run, keepOutput: 'all' });
  expect(first.chunkOffsets).toEqual({ numbers: '3-4,20', total: 1_000_000, job, path: ['a'] });
  expect(first.labels).toEqual({ 'edgewise/path': 'a' });
  const between = { ...spec, chunks: 3, chunkOffsets: first.chunkOffsets as { numbers: string } };
  const below = { job: jobIdOf('fed-1'), chunks: rangeOf(1, 3) };
  const { chunkOffsets } = bodyOfPart(below, between, {
    ...given,
    stages: { above: 'b', below: 'c' },
  });
  expect(chunkOffsets).toEqual({ numbers: '4,20', total: 1_000_000, job, path: ['a', 'b'] });
});

test('chunks become as few parts as their numbers allow', () => {
  expect(divideIntoParts(spec, [5, 6, 7])).toEqual([rangeOf(5, 8)]);
  const scattered = Array.from({ length: 5_000 }, (_, index) => 100_000 + 2 * index);
  const parts = divideIntoParts(spec, scattered);
  expect(parts.length).toBeLessThan(12);
  expect(unionAll(parts)).toEqual(fromChunks(scattered));
  expect(parts.reduce((sum, one) => sum + count(one), 0)).toBe(5_000);
  for (const chunks of parts) {
    const { numbers } = bodyOfPart({ job, chunks }, spec, { power: 1, pool: 'p', stages })
      .chunkOffsets as {
      numbers: string;
    };
    expect(numbers.length).toBeLessThanOrEqual(chunkNumbersLengthMax);
  }
});

test('what was written down of a part is read again, and what makes no sense is not', () => {
  const noted = {
    ...part,
    open: rangeOf(1, 3),
    leaving: rangeOf(0, 1),
    keepOutput: 'none' as const,
    results: null,
  };
  expect(parsePart(formatPart(noted))).toEqual(noted);
  const all = { ...noted, leaving: emptyRanges };
  expect(formatPart(all)).not.toContain('leaving');
  expect(parsePart(formatPart(all))).toEqual(all);
  const files = { ...noted, results: { on: 'always', reader: 'container', bytesMax: 9 } as const };
  expect(parsePart(formatPart(files))).toEqual(files);
  const wrong = ['', '[]', '{"edge":1}', formatPart(noted).replace('3-4', '4-3')];
  expect(wrong.map(parsePart)).toEqual([null, null, null, null]);
});

test('a job goes neither back to where it came from nor to a fourth deployment', () => {
  const came = (...path: string[]) => ({ ...spec, chunkOffsets: { numbers: '0', path } });
  expect(whyNotBelow(spec, stages)).toBeNull();
  expect(whyNotBelow(spec, { above: 'a', below: 'a' })).toMatch(/^federation-loop/);
  expect(whyNotBelow(came('a'), { above: 'b', below: 'c' })).toBeNull();
  expect(whyNotBelow(came('a'), { above: 'b', below: 'a' })).toMatch(/^federation-loop/);
  expect(whyNotBelow(came('a', 'b'), { above: 'c', below: 'd' })).toMatch(/^federation-too-deep/);
  const spellings = [
    'https://a.test',
    'https://a.test/',
    'https://A.test/v1',
    'https://a.test:443',
  ];
  expect(new Set(spellings.map(stageId)).size).toBe(1);
});
