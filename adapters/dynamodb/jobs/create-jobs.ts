import type { JobCreation } from '../../../core/jobs/submit.ts';
import { transactRowsMax } from '../../../core/model/limits.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import type { AuditEvent } from '../../../core/ports/audit.ts';
import type { CreateOutcome, KeptAnswer } from '../../../core/ports/jobs.ts';
import { batchPartRowsMax, batchPartsAtOnceMax } from '../../limits.ts';
import { putAudit } from '../access/audit-store.ts';
import { putFirstAnswer } from '../access/idempotency-store.ts';
import { batchPartition, batchPartKey, batchShards, type Key, pendingRollupKey } from '../keys.ts';
import { decodeBatchPart, encodeBatchPart } from '../rows/rows-batch.ts';
import { readableOrReported } from '../rows/unreadable-row.ts';
import { jobRows } from '../schema.ts';
import type { Row, Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { creationWrites } from './create-job.ts';

/**
 * Several jobs, all or none. What fits one transaction is stored in one. More is written down
 * first, in one transaction with the kept answer, as the parts in which it will be stored; from
 * then on it is accepted, and each part is stored once by whoever comes: the request that brought
 * it, or the minute tick when that request did not live to do it.
 */
export async function createJobs(
  table: Table,
  creations: readonly JobCreation[],
  kept: KeptAnswer | null,
  audits: readonly AuditEvent[],
): Promise<CreateOutcome> {
  const answer = kept === null ? [] : [putFirstAnswer(kept.request, kept.answer, kept.atMs)];
  const each = creations.map((creation, at) => {
    return [...creationWrites(creation), putAudit(audits[at]!)];
  });
  const whole = withoutRepeats(each.flat());
  if (whole.length + answer.length <= transactRowsMax) {
    const outcome = await transactWithRetry(table, [...whole, ...answer]);
    if (outcome.kind === 'committed') return 'created';
    if (outcome.failed.some((at) => at >= whole.length)) return 'key-taken';
    return outcome.failed.some((at) => isParent(whole[at]!)) ? 'overtaken' : 'id-taken';
  }
  const [{ job: first }] = creations as [JobCreation];
  const parts = partsOf(each).map((writes, at) => {
    const key = batchPartKey(first.id, at);
    return { key, writes, row: encodeBatchPart(key, first.createdAtMs, writes) };
  });
  const written = parts.map(({ row }): Write => ({ kind: 'put', row }));
  const outcome = await transactWithRetry(table, [...written, ...answer]);
  if (outcome.kind === 'refused') return 'key-taken';
  try {
    for (const { key, writes } of parts) await storePart(table, key, writes);
  } catch {
    // Accepted it is: what is left is stored by the minute tick.
  }
  return 'created';
}

/**
 * Stores what requests have left behind; answers how many parts that were. One that cannot be
 * stored holds up no other.
 */
export async function finishBatches(table: Table, beforeMs: number): Promise<number> {
  let parts = 0;
  const failed: unknown[] = [];
  for (let shard = 0; shard < batchShards; shard++) {
    const pk = batchPartition(shard);
    const { rows } = await table.query({ pk, consistent: true, limit: batchPartsAtOnceMax });
    for (const row of rows) {
      const part = readableOrReported(table, row, decodeBatchPart);
      if (part === null || part.atMs >= beforeMs) continue;
      try {
        await storePart(table, row, part.writes);
        parts++;
      } catch (error) {
        failed.push(error);
      }
    }
  }
  if (failed.length > 0) throw failed[0];
  return parts;
}

/** Once: the row of the part goes in the same transaction. */
async function storePart(table: Table, key: Key, writes: readonly Write[]): Promise<void> {
  const { pk, sk } = key;
  const condition = { expression: 'attribute_exists(#pk)' };
  const done: Write = { kind: 'delete', key: { pk, sk }, condition };
  const outcome = await transactWithRetry(table, [done, ...writes]);
  if (outcome.kind === 'committed' || outcome.failed.includes(0)) return;
  const late = outcome.failed.flatMap((at) => writes[at - 1] ?? []).filter(isParent);
  if (late.length === 0) throw new Error(`${sk} cannot be stored`);
  const rest = writes.filter((write) => !late.includes(write));
  await transactWithRetry(table, [done, ...rest, ...owedFor(late, rest)]);
}

/**
 * What a job waits for has ended since it was accepted: the minute tick folds it, and that says
 * whether it begins.
 */
function owedFor(late: readonly Write[], writes: readonly Write[]): Write[] {
  const ended = new Set(late.map((write) => keyOf(write).pk));
  const children = writes.flatMap((write) => {
    const { pk, sk } = keyOf(write);
    const isChild = ended.has(pk) && sk.startsWith(jobRows.dependant);
    return isChild ? [sk.slice(jobRows.dependant.length)] : [];
  });
  return [...new Set(children)].map((child): Write => {
    return { kind: 'put', row: { ...pendingRollupKey(jobIdOf(child)), atMs: 0 } };
  });
}

/**
 * As many jobs a part as one transaction takes, with the row of the part itself, and one more for
 * each that may have to be folded.
 */
function partsOf(each: readonly (readonly Write[])[]): readonly (readonly Write[])[] {
  const parts: Write[][] = [];
  let open: Write[] = [];
  let waiting = 0;
  for (const writes of each) {
    const longer = withoutRepeats([...open, ...writes]);
    if (writes.some(isParent)) waiting++;
    if (open.length > 0 && longer.length + waiting > batchPartRowsMax) {
      waiting = writes.some(isParent) ? 1 : 0;
      parts.push(open);
      open = [...writes];
    } else open = longer;
  }
  return [...parts, open];
}

/** Several jobs may wait for the same one: its row is written once. */
function withoutRepeats(writes: readonly Write[]): Write[] {
  const seen = new Set<string>();
  return writes.filter((write) => {
    const { pk, sk } = keyOf(write);
    const isNew = !seen.has(`${pk} ${sk}`);
    seen.add(`${pk} ${sk}`);
    return isNew;
  });
}

const keyOf = (write: Write): Row | Key => (write.kind === 'put' ? write.row : write.key);

/** The one row of another job that a creation changes: that of a job that it waits for. */
function isParent({ kind }: Write): boolean {
  return kind === 'update';
}
