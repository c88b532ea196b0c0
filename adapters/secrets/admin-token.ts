import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { AdminToken } from '../../core/ports/tokens.ts';
import { clientConfig } from '../aws/client-config.ts';
import { adminTokenKeptMs } from '../limits.ts';

/**
 * The stack's first token. Kept for a while, so that a rotated one is known soon and a busy API
 * asks rarely.
 */
export function createAdminToken(
  secretArn: string,
  client: SecretsManagerClient = new SecretsManagerClient(clientConfig),
): AdminToken {
  let kept: { value: string | null; atMs: number } | null = null;
  return {
    async read(nowMs) {
      if (kept !== null && nowMs - kept.atMs < adminTokenKeptMs) return kept.value;
      const answer = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));
      kept = { value: answer.SecretString ?? null, atMs: nowMs };
      return kept.value;
    },
  };
}
