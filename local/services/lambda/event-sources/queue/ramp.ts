/**
 * How many batches of a queue are in work at once: "Lambda starts processing five batches at a time
 * with five concurrent invocations of your function. If messages are still available, Lambda
 * increases the number of processes that are reading batches by up to 300 more concurrent invokes
 * per minute. … When traffic is low, Lambda scales back the processing to five concurrent invokes."
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html)
 */
import { queueConcurrencyGainPerMinute, queueConcurrencyStart } from '../../../../limits.ts';

export type ConcurrencyRamp = {
  readonly limit: number;
  /** All batches are in work and the queue still has messages. */
  pressed(nowMs: number): void;
  /** The queue is empty. */
  relax(): void;
};

export function concurrencyRamp(concurrencyMax: number): ConcurrencyRamp {
  const start = Math.min(queueConcurrencyStart, concurrencyMax);
  const gainMs = 60_000 / queueConcurrencyGainPerMinute;
  let limit = start;
  let sinceMs: number | undefined;
  return {
    get limit() {
      return limit;
    },
    pressed: (nowMs) => {
      sinceMs ??= nowMs;
      const gained = Math.floor((nowMs - sinceMs) / gainMs);
      limit = Math.min(concurrencyMax, limit + gained);
      sinceMs += gained * gainMs;
    },
    relax: () => {
      limit = start;
      sinceMs = undefined;
    },
  };
}
