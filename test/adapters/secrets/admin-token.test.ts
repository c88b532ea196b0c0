import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { createAdminToken } from '../../../adapters/secrets/admin-token.ts';
import { answering } from '../answering.ts';

function stage(...answers: readonly object[]) {
  const { client, inputs } = answering(new SecretsManagerClient({}), ...answers);
  return { token: createAdminToken('arn:secret', client), inputs };
}

test('is asked for once a minute, and a rotated one is known after it', async () => {
  const { token, inputs } = stage({ SecretString: 'first' }, { SecretString: 'second' });
  expect(await token.read(0)).toBe('first');
  expect(await token.read(59_999)).toBe('first');
  expect(inputs).toEqual([{ SecretId: 'arn:secret' }]);
  expect(await token.read(60_000)).toBe('second');
  expect(inputs).toHaveLength(2);
});

test('a secret without a text is no token', async () => {
  expect(await stage({}).token.read(0)).toBeNull();
});

test('what could not be asked is asked again', async () => {
  const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  const { token } = stage(throttled, { SecretString: 'first' });
  await expect(token.read(0)).rejects.toThrow('slow down');
  expect(await token.read(1)).toBe('first');
});
