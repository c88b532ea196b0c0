import {
  ConflictException,
  InvalidRequestException,
  IoTDataPlaneClient,
  RequestEntityTooLargeException,
  ThrottlingException,
} from '@aws-sdk/client-iot-data-plane';
import { expect, test } from 'vitest';
import { createWorkShadows } from '../../../adapters/iot/work-shadows.ts';
import { shadowAttemptsMax } from '../../../core/model/limits.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import type { WorkJson } from '../../../core/protocol/work.ts';
import { answering } from '../answering.ts';

const edge = edgeNameOf('edge-1');
const work: WorkJson = { e: 7, n: 3, w: { gone: null } };
const said = { message: 'no', $metadata: {} };
const throttling = new ThrottlingException(said);
const conflict = new ConflictException(said);

/**
 * Shadows of a service that answers what it is given: each answer once, the last one for ever.
 */
function stage(...answers: readonly object[]) {
  const { client, inputs } = answering(new IoTDataPlaneClient({}), ...answers);
  return { sent: inputs, shadows: createWorkShadows(client) };
}

test('writes the whole document as desired, without a version', async () => {
  const { sent, shadows } = stage({});
  await shadows.write(edge, work);
  expect(sent).toHaveLength(1);
  const payload = JSON.stringify({ state: { desired: work } });
  expect(sent[0]).toEqual({ thingName: 'edge-1', shadowName: 'work', payload });
});

test('a throttled or contended write is tried again', async () => {
  const { sent, shadows } = stage(throttling, conflict, {});
  await shadows.write(edge, work);
  expect(sent).toHaveLength(3);
});

test('gives up after a bounded number of tries, and says why', async () => {
  const { sent, shadows } = stage(throttling);
  await expect(shadows.write(edge, work)).rejects.toMatchObject({
    name: 'ShadowRefusal',
    kind: 'throttled',
  });
  expect(sent).toHaveLength(shadowAttemptsMax);
});

test('a document that is too large is not tried again', async () => {
  const { sent, shadows } = stage(new RequestEntityTooLargeException(said));
  await expect(shadows.write(edge, work)).rejects.toMatchObject({ kind: 'too-large' });
  expect(sent).toHaveLength(1);
});

test('a document that cannot fit is not sent at all', async () => {
  const { sent, shadows } = stage({});
  const large = { ...work, w: { ['x'.repeat(9_000)]: null } };
  await expect(shadows.write(edge, large)).rejects.toMatchObject({ kind: 'too-large' });
  expect(sent).toHaveLength(0);
});

test('a defect of ours is not hidden behind a refusal', async () => {
  const { shadows } = stage(new InvalidRequestException(said));
  await expect(shadows.write(edge, work)).rejects.toMatchObject({
    name: 'InvalidRequestException',
  });
});
