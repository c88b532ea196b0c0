import { createHash } from 'node:crypto';
import { idempotencyTtlSeconds } from '../../core/limits.ts';
import { idempotencyKey } from './keys.ts';
import { amount, json, text } from './row-values.ts';
import type { Row, Table, Write } from './table.ts';

/**
 * First answers by `Idempotency-Key`, for a day. A key belongs to its caller and stands for one
 * request: method, address and body. An answer that is not there yet means that the first request
 * is still in flight.
 */
export type IdempotentRequest = {
  readonly owner: string;
  readonly key: string;
  readonly digest: string;
};

export type FirstAnswer = {
  readonly digest: string;
  readonly startedAtMs: number;
  readonly answer: StoredAnswer | null;
};

export type StoredAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

const absent = { expression: 'attribute_not_exists(#pk)' };

export function createIdempotencyStore(table: Table) {
  return {
    async find(request: IdempotentRequest): Promise<FirstAnswer | null> {
      const row = await table.get(keyOf(request));
      if (row === null) return null;
      return {
        digest: text(row.digest),
        startedAtMs: amount(row.startedAtMs),
        answer: json<StoredAnswer | null>(row.answer, null),
      };
    },

    /**
     * `false`: another request has this key. One that hung for longer than `staleMs` gives it up.
     */
    claim(request: IdempotentRequest, nowMs: number, staleMs: number): Promise<boolean> {
      const row = { ...keyOf(request), digest: request.digest, startedAtMs: nowMs, ...ttl(nowMs) };
      return table.put(row, {
        expression:
          'attribute_not_exists(#pk) OR (attribute_not_exists(#answer) AND #startedAtMs < :stale)',
        values: { stale: nowMs - staleMs },
      });
    },

    async finish(request: IdempotentRequest, answer: StoredAnswer): Promise<void> {
      await table.update(keyOf(request), { set: { answer: JSON.stringify(answer) } });
    },

    async release(request: IdempotentRequest): Promise<void> {
      await table.remove(keyOf(request), { expression: 'attribute_not_exists(#answer)' });
    },
  };
}

/**
 * Claims the key and stores the answer at once, as a part of the transaction that does what was
 * asked.
 */
export function putFirstAnswer(
  request: IdempotentRequest,
  answer: StoredAnswer,
  nowMs: number,
): Write {
  const row: Row = {
    ...keyOf(request),
    digest: request.digest,
    startedAtMs: nowMs,
    answer: JSON.stringify(answer),
    ...ttl(nowMs),
  };
  return { kind: 'put', row, condition: absent };
}

function keyOf(request: IdempotentRequest) {
  const hash = createHash('sha256').update(request.key, 'utf8').digest('hex');
  return idempotencyKey(request.owner, hash);
}

function ttl(nowMs: number): { expiresAt: number } {
  return { expiresAt: Math.ceil(nowMs / 1_000) + idempotencyTtlSeconds };
}
