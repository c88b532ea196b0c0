import { expect, test } from 'vitest';
import { AwsError } from '../../../adapters/aws/aws-error.ts';
import type { SignedRequest } from '../../../adapters/aws/signed-client.ts';
import { createWorkShadows } from '../../../adapters/iot/work-shadows.ts';
import { shadowAttemptsMax } from '../../../core/limits.ts';
import { edgeNameOf } from '../../../core/names.ts';
import type { WorkJson } from '../../../core/wire/work.ts';

const edge = edgeNameOf('edge-1');
const work: WorkJson = { e: 7, n: 3, w: { gone: null } };
const throttling = new AwsError('ThrottlingException', 429, {});
const conflict = new AwsError('ConflictException', 409, {});

/**
 * Shadows of a service that answers what it is told to: each answer once, the last one for ever.
 */
function stage(...answers: readonly (AwsError | null)[]) {
  const sent: SignedRequest[] = [];
  const shadows = createWorkShadows({
    async send(request) {
      const answer = answers[Math.min(sent.length, answers.length - 1)];
      sent.push(request);
      if (answer instanceof AwsError) throw answer;
      return '{}';
    },
    close: () => undefined,
  });
  return { sent, shadows };
}

test('writes the whole document as desired, without a version', async () => {
  const { sent, shadows } = stage(null);
  await shadows.write(edge, work);
  expect(sent).toHaveLength(1);
  const path = '/things/edge-1/shadow';
  expect(sent[0]).toMatchObject({ method: 'POST', path, query: { name: 'work' } });
  expect(JSON.parse(sent[0]!.body)).toEqual({ state: { desired: work } });
});

test('a throttled or contended write is tried again', async () => {
  const { sent, shadows } = stage(throttling, conflict, null);
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
  const { sent, shadows } = stage(new AwsError('RequestEntityTooLargeException', 413, {}));
  await expect(shadows.write(edge, work)).rejects.toMatchObject({ kind: 'too-large' });
  expect(sent).toHaveLength(1);
});

test('a document that cannot fit is not sent at all', async () => {
  const { sent, shadows } = stage(null);
  const large = { ...work, w: { ['x'.repeat(9_000)]: null } };
  await expect(shadows.write(edge, large)).rejects.toMatchObject({ kind: 'too-large' });
  expect(sent).toHaveLength(0);
});

test('a defect of ours is not hidden behind a refusal', async () => {
  const { shadows } = stage(new AwsError('InvalidRequestException', 400, {}));
  await expect(shadows.write(edge, work)).rejects.toMatchObject({
    name: 'InvalidRequestException',
  });
});
