import { expect, test } from 'vitest';
import { readProblem } from '../../../cli/client/problem.ts';
import { asEdge } from '../../../cli/edge/edge-secret.ts';
import { exitCode } from '../../../cli/exit-code.ts';
import { Failure } from '../../../cli/failure.ts';

const failing = (status: number) => async () => {
  const problem = readProblem(status, null);
  throw new Failure(exitCode.notAuthorised, 'This token may not do this.', 'a scope', problem);
};

test('a user who speaks as an edge learns whose secret it takes', async () => {
  await expect(asEdge('edge-1', failing(403))).rejects.toMatchObject({
    code: exitCode.notAuthorised,
    message: 'Only edge-1 itself may do this.',
    remedy: expect.stringContaining('secret'),
  });
});

test('anything else is passed on as it is', async () => {
  await expect(asEdge('edge-1', failing(401))).rejects.toThrow('This token may not do this.');
  expect(await asEdge('edge-1', async () => 1)).toBe(1);
});
