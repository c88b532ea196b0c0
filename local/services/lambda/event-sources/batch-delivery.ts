/**
 * Gives one batch of stream records to a function until it is handled or given up: retries, record
 * age, partial batch failures and bisecting as documented for event source mappings
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html).
 */

import { retryDelayMsMax, retryDelayMsMin } from '../../../limits.ts';
import type { FunctionDefinition, InvocationOutcome } from '../definition.ts';
import type { FailureCondition, FailureTarget } from './failure-target.ts';
import type { StreamMapping } from './stream/mapping.ts';
import type { StreamRecord } from './stream/record.ts';

export type BatchDelivery = {
  /** Resolves when every record is handled or given up, or the local cloud stops. */
  deliver(batch: readonly StreamRecord[]): Promise<void>;
};

export type DeliveryOptions = {
  mapping: StreamMapping;
  shardId: string;
  definition: FunctionDefinition;
  invoke(payload: Buffer): Promise<InvocationOutcome>;
  target: FailureTarget;
  finished(records: readonly StreamRecord[]): void;
  nowMs(): number;
  /** Pauses; resolves at once when the local cloud stops. */
  pause(ms: number): Promise<void>;
  isStopped(): boolean;
};

export function batchDelivery(options: DeliveryOptions): BatchDelivery {
  const { mapping } = options;
  const giveUp = async (
    records: readonly StreamRecord[],
    condition: FailureCondition,
    attempts: number,
  ): Promise<void> => {
    const first = records[0];
    const last = records.at(-1);
    if (first === undefined || last === undefined) return;
    if (mapping.failureTargetArn !== undefined) {
      await options.target.send(mapping.failureTargetArn, {
        mappingId: mapping.uuid,
        functionArn: options.definition.arn,
        streamArn: mapping.streamArn,
        shardId: options.shardId,
        condition,
        attempts,
        firstSequence: first.sequence,
        lastSequence: last.sequence,
        firstArrivalAtMs: first.createdAtMs,
        lastArrivalAtMs: last.createdAtMs,
        batchSize: records.length,
        event: eventText(records),
      });
    }
    options.finished(records);
  };

  const deliver = async (all: readonly StreamRecord[]): Promise<void> => {
    let batch = all;
    let attempts = 0;
    let delayMs = retryDelayMsMin;
    while (batch.length > 0 && !options.isStopped()) {
      const expired = batch.filter((record) => isTooOld(record, mapping, options.nowMs()));
      if (expired.length > 0) {
        await giveUp(expired, 'RecordAgeExceeded', attempts);
        batch = batch.filter((record) => !expired.includes(record));
        continue;
      }
      const outcome = await options.invoke(Buffer.from(eventText(batch)));
      const failedAt = outcome.kind === 'ok' ? firstFailure(outcome.payload, batch, mapping) : 0;
      if (outcome.kind !== 'throttled') {
        if (failedAt > 0) {
          options.finished(batch.slice(0, failedAt));
          attempts = 0;
          delayMs = retryDelayMsMin;
        }
        batch = batch.slice(failedAt);
        if (batch.length === 0) return;
        if (mapping.bisects && batch.length > 1 && failedAt === 0) {
          const middle = Math.ceil(batch.length / 2);
          await deliver(batch.slice(0, middle));
          return deliver(batch.slice(middle));
        }
        attempts += 1;
        if (mapping.retriesMax >= 0 && attempts > mapping.retriesMax) {
          return giveUp(batch, 'RetryAttemptsExhausted', attempts);
        }
      }
      await options.pause(delayMs);
      delayMs = Math.min(delayMs * 2, retryDelayMsMax);
    }
  };
  return { deliver };
}

function eventText(records: readonly StreamRecord[]): string {
  return `{"Records":[${records.map((record) => record.text).join(',')}]}`;
}

function isTooOld(record: StreamRecord, mapping: StreamMapping, nowMs: number): boolean {
  if (mapping.recordAgeSecondsMax < 0) return false;
  return nowMs - record.createdAtMs > mapping.recordAgeSecondsMax * 1000;
}

/**
 * Index of the first record that the function reports as failed; the batch's length when all are
 * handled. An identifier that is empty or not of this batch fails the whole batch, as documented.
 */
function firstFailure(
  payload: Buffer,
  batch: readonly StreamRecord[],
  mapping: StreamMapping,
): number {
  if (!mapping.reportsItemFailures) return batch.length;
  const failures = itemFailures(payload);
  if (failures === 'malformed') return 0;
  const places = failures.map((id) => batch.findIndex((record) => record.sequence === id));
  if (places.includes(-1)) return 0;
  return places.length === 0 ? batch.length : Math.min(...places);
}

/** The identifiers in `batchItemFailures`; an empty or missing list means success. */
export function itemFailures(payload: Buffer): string[] | 'malformed' {
  let answer: unknown;
  try {
    answer = JSON.parse(payload.toString());
  } catch {
    return 'malformed';
  }
  if (typeof answer !== 'object' || answer === null) return [];
  const list = (answer as { batchItemFailures?: unknown }).batchItemFailures;
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) return 'malformed';
  const ids = list.map((item) => (item as { itemIdentifier?: unknown } | null)?.itemIdentifier);
  return ids.every((id): id is string => typeof id === 'string' && id !== '') ? ids : 'malformed';
}
