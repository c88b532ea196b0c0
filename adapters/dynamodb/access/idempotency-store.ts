import { createHash } from 'node:crypto';
import { idempotencyTtlSeconds } from '../../../core/model/limits.ts';
import type {
  IdempotencyStore,
  IdempotentRequest,
  StoredAnswer,
} from '../../../core/ports/idempotency.ts';
import { idempotencyKey } from '../keys.ts';
import { json, text, time } from '../rows/row-values.ts';
import { isWhole, orNull, recordOf } from '../rows/shapes.ts';
import type { Condition, Row, Table, Write } from '../table.ts';

const absent = { expression: 'attribute_not_exists(#pk)' };

const isAnswer = orNull(recordOf({ status: isWhole }));

/** Keys are hashed: they are the caller's text, of any length it may have. */
export function createIdempotencyStore(table: Table): IdempotencyStore {
  return {
    async find(request) {
      const row = await table.get(keyOf(request));
      if (row === null) return null;
      return {
        digest: text(row.digest),
        startedAtMs: time(row.startedAtMs),
        answer: json<StoredAnswer | null>(row.answer, isAnswer, null),
      };
    },

    claim(request, nowMs, staleMs) {
      const row = { ...keyOf(request), digest: request.digest, startedAtMs: nowMs, ...ttl(nowMs) };
      return table.put(row, {
        expression:
          'attribute_not_exists(#pk) OR (attribute_not_exists(#answer) AND #startedAtMs < :stale)',
        values: { stale: nowMs - staleMs },
      });
    },

    async finish(request, answer) {
      const set = { answer: JSON.stringify(answer) };
      await table.update(keyOf(request), { set }, stillClaimed(request));
    },

    async release(request) {
      await table.remove(keyOf(request), stillClaimed(request));
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

/** Another request may have the key by now: one that hung for long has given it up. */
function stillClaimed({ digest }: IdempotentRequest): Condition {
  return {
    expression: '#digest = :digest AND attribute_not_exists(#answer)',
    values: { digest },
  };
}

function keyOf(request: IdempotentRequest) {
  const hash = createHash('sha256').update(request.key, 'utf8').digest('hex');
  return idempotencyKey(request.owner, hash);
}

function ttl(nowMs: number): { expiresAt: number } {
  return { expiresAt: Math.ceil(nowMs / 1_000) + idempotencyTtlSeconds };
}
