import { expect, test } from 'vitest';
import { makeFlux } from '../../../edge-agent/executors/flux.ts';
import { queuedIn } from '../../../edge-agent/executors/queued-jobs.ts';
import { makeSlurm } from '../../../edge-agent/executors/slurm.ts';
import type { RunCommand } from '../../../edge-agent/host/command.ts';

const answering =
  (code: number | null, output: string): RunCommand =>
  async () => ({ code, output });

test.each([
  ['slurm', makeSlurm],
  ['flux', makeFlux],
] as const)('jobs that wait in %s are counted, whoever submitted them', async (_, make) => {
  const asked = (code: number | null, output: string) =>
    make(answering(code, output), '/').queued();
  expect(await asked(0, '12_0\n12_1\n\n13\n')).toBe(3);
  expect(await asked(0, '')).toBe(0);
  expect(await asked(1, 'it is away\n')).toBeNull();
});

test('an edge without a batch system has no queue, and one that is away tells nothing', async () => {
  const queue = (jobs: number | null) => ({ queued: async () => jobs });
  expect(await queuedIn(new Map([['process', {}]]))).toBeNull();
  expect(
    await queuedIn(
      new Map([
        ['slurm', queue(3)],
        ['flux', queue(4)],
      ]),
    ),
  ).toBe(7);
  expect(
    await queuedIn(
      new Map([
        ['slurm', queue(3)],
        ['flux', queue(null)],
      ]),
    ),
  ).toBeNull();
});
