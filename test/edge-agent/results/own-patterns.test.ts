import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { formatRanges, type RangeSet } from '../../../core/model/ranges.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import type { Parameters } from '../../../core/sweeps/parameters.ts';
import { ownPatternsOf } from '../../../edge-agent/results/own-patterns.ts';
import { ResultFault } from '../../../edge-agent/results/result-fault.ts';

const name = { edge: 'edge-1', job: jobIdOf('job-a'), chunk: 7, attempt: 1 };

/** What is asked of the API is in \`asked\`; it knows these parameters. */
function patternsOf(paths: readonly string[], more: object, known?: Parameters) {
  const asked: string[] = [];
  const getParameters = async (_secret: string, _job: string, chunks: RangeSet) => {
    asked.push(formatRanges(chunks));
    return new Map(known === undefined ? [] : [[7, known]]);
  };
  const spec = { chunks: 9, outputs: { paths, on: 'done', maxMb: 1 }, ...more };
  const own = ownPatternsOf(name, spec as unknown as AgentSpec, () => '', { getParameters });
  return { own, asked };
}

test('without parameters only number and job are names', async () => {
  const { own, asked } = patternsOf(['{chunk}/*.csv', '{job}-{lr}', 'plain'], {});
  expect(await own).toEqual(['7/*.csv', 'job-a-{lr}', 'plain']);
  expect(asked).toEqual([]);
});

test('a part of another job sees the number and the job that it has there', async () => {
  const chunkOffsets = { numbers: '100-108', job: 'far' };
  expect(await patternsOf(['{job}/{chunk}'], { chunkOffsets }).own).toEqual(['far/107']);
});

test('parameters are asked for where a name of theirs is there', async () => {
  const known = new Map([['lr', 0.1]]);
  const named = patternsOf(['{lr}/{{x}}', '*'], { sweep: true }, known);
  expect(await named.own).toEqual(['0.1/{x}', '*']);
  expect(named.asked).toEqual(['7']);
  const plain = patternsOf(['{chunk}/{{x}}'], { sweep: true });
  expect(await plain.own).toEqual(['7/{x}']);
  expect(plain.asked).toEqual([]);
});

test('those of a signed job are its own', async () => {
  const params = { items: Array.from({ length: 9 }, (_, seed) => ({ seed })) };
  const { own, asked } = patternsOf(['{seed}'], { sweep: true, params });
  expect([await own, asked]).toEqual([['7'], []]);
});

test('what the API does not say yet is no fault of the chunk', async () => {
  const { own } = patternsOf(['{lr}'], { sweep: true });
  await expect(own).rejects.not.toBeInstanceOf(ResultFault);
});

test.each(['..', '/etc', 'a/../b', ''])('a value makes no way out: %j', async (lr) => {
  const { own } = patternsOf(['{lr}'], { sweep: true }, new Map([['lr', lr]]));
  await expect(own).rejects.toBeInstanceOf(ResultFault);
});
