/**
 * One lane of a shard: collects records into batches (size, window, payload) and has them delivered
 * one batch at a time, in order.
 */
import { batchPayloadBytesMax } from '../../../../limits.ts';
import type { BatchDelivery } from '../batch-delivery.ts';
import type { StreamRecord } from './record.ts';

export type StreamLane = {
  add(record: StreamRecord): void;
  /** Resolves when the batch in work is finished; nothing more is begun. */
  close(): Promise<void>;
};

export type LaneOptions = {
  batchSize: number;
  batchWindowMs: number;
  delivery: BatchDelivery;
};

export function streamLane(options: LaneOptions): StreamLane {
  const queue: StreamRecord[] = [];
  let windowTimer: NodeJS.Timeout | undefined;
  let isDue = false;
  let isClosed = false;
  let work: Promise<void> | undefined;

  const isReady = (): boolean =>
    queue.length > 0 &&
    !isClosed &&
    (options.batchWindowMs === 0 || isDue || queue.length >= options.batchSize);
  const run = async (): Promise<void> => {
    while (isReady()) {
      clearTimeout(windowTimer);
      windowTimer = undefined;
      isDue = false;
      await options.delivery.deliver(takeBatch(queue, options.batchSize));
    }
  };
  const kick = (): void => {
    if (work !== undefined) return;
    if (!isReady()) {
      if (queue.length > 0 && windowTimer === undefined && !isClosed) {
        windowTimer = setTimeout(() => {
          isDue = true;
          kick();
        }, options.batchWindowMs);
      }
      return;
    }
    work = run().finally(() => {
      work = undefined;
      kick();
    });
  };
  return {
    add: (record) => {
      queue.push(record);
      // After this turn, so that records read together are delivered together.
      queueMicrotask(kick);
    },
    close: async () => {
      isClosed = true;
      clearTimeout(windowTimer);
      await work;
    },
  };
}

function takeBatch(queue: StreamRecord[], sizeMax: number): StreamRecord[] {
  let bytes = 0;
  let count = 0;
  for (const record of queue) {
    bytes += record.text.length + 1;
    if (count >= sizeMax || (count > 0 && bytes > batchPayloadBytesMax)) break;
    count += 1;
  }
  return queue.splice(0, count);
}
