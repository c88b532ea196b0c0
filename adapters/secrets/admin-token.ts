import type { AdminToken } from '../../core/ports/tokens.ts';
import { createJsonCalls } from '../aws/json-calls.ts';

const keptMs = 60_000;

/**
 * The stack's first token. Kept for a minute, so that a rotated one is known soon and a busy API
 * asks rarely.
 */
export function createAdminToken(secretArn: string): AdminToken {
  const calls = createJsonCalls('secretsmanager');
  let kept: { value: string | null; atMs: number } | null = null;
  return {
    async read(nowMs) {
      if (kept !== null && nowMs - kept.atMs < keptMs) return kept.value;
      const { SecretString: value } = await calls.call('GetSecretValue', { SecretId: secretArn });
      kept = { value: typeof value === 'string' ? value : null, atMs: nowMs };
      return kept.value;
    },
  };
}
