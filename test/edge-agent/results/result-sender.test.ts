import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import { systemClock } from '../../../edge-agent/host/clock.ts';
import { openResultSender, type SendOutcome } from '../../../edge-agent/results/result-sender.ts';

const name = { edge: 'edge-1', job: jobIdOf('job-a'), chunk: 0, attempt: 1 };
const run = { process: { argv: ['true'], env: {}, cwd: null, timeoutSeconds: null } };

/** Of a chunk whose directory is there; the store refuses everything. */
function send(spec: object, isDone: boolean): Promise<SendOutcome> {
  const refuse = async (): Promise<never> => {
    throw new Error('the store is not asked');
  };
  const sender = openResultSender({
    api: { storeResults: refuse, putResult: refuse, getParameters: refuse },
    directories: { take: () => ({ path: '/nowhere', release: () => {} }) },
    owner: null,
    clock: systemClock,
    signal: new AbortController().signal,
    log: () => {},
  });
  return new Promise((resolve) => {
    sender.send(
      { name, spec: { run, ...spec } as unknown as AgentSpec, isDone, secret: () => '' },
      resolve,
    );
  });
}

test.each([
  ['without outputs', {}, true],
  [
    'that failed, of a job that wants what is done',
    { outputs: { paths: ['x'], on: 'done' } },
    false,
  ],
])('of a chunk %s nothing is sent, and its end counts', async (_, spec, isDone) => {
  expect(await send(spec, isDone)).toBe('safe');
});
