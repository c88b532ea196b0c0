import {
  ConflictException,
  InvalidRequestException,
  IoTDataPlaneClient,
  RequestEntityTooLargeException,
  ThrottlingException,
  UpdateThingShadowCommand,
} from '@aws-sdk/client-iot-data-plane';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { createWorkShadows } from '../../../adapters/iot/work-shadows.ts';
import { shadowAttemptsMax } from '../../../core/limits.ts';
import type { EdgeName } from '../../../core/names.ts';
import type { WorkJson } from '../../../core/wire/work.ts';

const edge = 'edge-1' as EdgeName;
const work: WorkJson = { e: 7, n: 3, w: { gone: null } };
const details = { message: 'no', $metadata: {} };

function stage() {
  const client = new IoTDataPlaneClient({ region: 'us-east-1' });
  const mock = mockClient(client as never);
  const calls = () => mock.commandCalls(UpdateThingShadowCommand as never);
  return { mock, calls, shadows: createWorkShadows(client) };
}

test('writes the whole document as desired, without a version', async () => {
  const { mock, calls, shadows } = stage();
  mock.resolves({});
  await shadows.write(edge, work);
  const input = calls()[0]?.args[0].input as { payload: Uint8Array };
  expect(input).toMatchObject({ thingName: edge, shadowName: 'work' });
  expect(JSON.parse(new TextDecoder().decode(input.payload))).toEqual({
    state: { desired: work },
  });
});

test('a throttled or contended write is tried again', async () => {
  const { mock, calls, shadows } = stage();
  mock
    .rejectsOnce(new ThrottlingException(details))
    .rejectsOnce(new ConflictException(details))
    .resolves({});
  await shadows.write(edge, work);
  expect(calls()).toHaveLength(3);
});

test('gives up after a bounded number of tries, and says why', async () => {
  const { mock, calls, shadows } = stage();
  mock.rejects(new ThrottlingException(details));
  await expect(shadows.write(edge, work)).rejects.toMatchObject({
    name: 'ShadowRefusal',
    kind: 'throttled',
  });
  expect(calls()).toHaveLength(shadowAttemptsMax);
});

test('a document that is too large is not tried again', async () => {
  const { mock, calls, shadows } = stage();
  mock.rejects(new RequestEntityTooLargeException(details));
  await expect(shadows.write(edge, work)).rejects.toMatchObject({ kind: 'too-large' });
  expect(calls()).toHaveLength(1);
});

test('a document that cannot fit is not sent at all', async () => {
  const { calls, shadows } = stage();
  const large = { ...work, w: { ['x'.repeat(9_000)]: null } };
  await expect(shadows.write(edge, large)).rejects.toMatchObject({ kind: 'too-large' });
  expect(calls()).toHaveLength(0);
});

test('a defect of ours is not hidden behind a refusal', async () => {
  const { mock, shadows } = stage();
  mock.rejects(new InvalidRequestException(details));
  await expect(shadows.write(edge, work)).rejects.toMatchObject({
    name: 'InvalidRequestException',
  });
});
