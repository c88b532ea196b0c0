import { beforeEach, expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import type { Executor } from '../../../edge-agent/executors/executor.ts';
import { makeSimulate } from '../../../edge-agent/executors/simulate.ts';
import { type HandClock, makeHandClock } from '../hand-clock.ts';

let clock: HandClock;
let ends: string[];
let executor: Executor;

beforeEach(() => {
  clock = makeHandClock();
  ends = [];
  const notes = new Map<string, string>();
  const ended = ({ name, end }: Parameters<Parameters<typeof makeSimulate>[0]['ended']>[0]) =>
    ends.push(`${name.chunk} ${end.kind}`);
  executor = makeSimulate(
    {
      clock,
      ended,
      notes: {
        all: () => notes,
        put: (key, value) => notes.set(key, value),
        remove: (key) => notes.delete(key),
      },
    },
    { drawPower: false },
  );
});

function start(simulate: object, more: object = {}): void {
  const spec = { run: { simulate }, ...more } as unknown as AgentSpec;
  const name = { edge: 'edge-1', job: jobIdOf('job-1'), chunk: 0, attempt: 1 };
  executor.start([{ ...name, power: 10, spec }]);
}

const instance = { restart: { policy: 'never' } };

test.each([
  ['a chunk, after its seconds', { seconds: 0.5 }, {}, 500],
  ['a chunk, after its work by its power', { wattSeconds: 5 }, {}, 500],
  ['an instance that has an end, like a chunk', { seconds: 0.5 }, instance, 500],
  ['an instance that has work, like a chunk', { wattSeconds: 5 }, instance, 500],
])('%s, is done', async (_, simulate, more, waitMs) => {
  start(simulate, more);
  expect(clock.nextWaitMs()).toBe(waitMs);
  await clock.wind();
  expect(ends).toEqual(['0 done']);
});

test('an instance without an end runs until it is stopped', () => {
  start({}, instance);
  expect(clock.nextWaitMs()).toBeNull();
  executor.stop({ edge: 'edge-1', job: jobIdOf('job-1'), chunk: 0, attempt: 1 });
  expect(ends).toEqual(['0 stopped']);
});
