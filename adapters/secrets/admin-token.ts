import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** The stack's first token. Kept for a minute, so that a rotated one is known soon and a busy API asks rarely. */
export type AdminToken = { read(nowMs: number): Promise<string | null> };

const keptMs = 60_000;

export function createAdminToken(secretArn: string): AdminToken {
  const client = new SecretsManagerClient({});
  let kept: { value: string | null; atMs: number } | null = null;
  return {
    async read(nowMs) {
      if (kept !== null && nowMs - kept.atMs < keptMs) return kept.value;
      const answer = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));
      kept = { value: answer.SecretString ?? null, atMs: nowMs };
      return kept.value;
    },
  };
}
