/** What AWS would refuse of an event source mapping stops the start, with its path. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../assembly/assembly.ts';
import { readerOf } from '../../../../assembly/property.ts';
import {
  checkQueueBounds,
  checkStreamBounds,
} from '../../../../services/lambda/event-sources/mapping-bounds.ts';

const standard = { isFifo: false, visibilitySeconds: 30 };
const fifo = { isFifo: true, visibilitySeconds: 30 };
const six = Array.from({ length: 6 }, () => ({ Pattern: '{"a":[1]}' }));

function ofQueue(properties: JsonObject, queue = standard): () => void {
  return () => checkQueueBounds(readerOf(properties, 'M'), queue, 10);
}

function ofStream(properties: JsonObject): () => void {
  const all = { StartingPosition: 'LATEST', ...properties };
  return () => checkStreamBounds(readerOf(all, 'M'));
}

test.each<[refusal: RegExp, check: () => void]>([
  [/^M\.BatchSize should be .* from 1 to 10000/, ofQueue({ BatchSize: 0 })],
  [/^M\.BatchSize: above 10/, ofQueue({ BatchSize: 11 })],
  [/^M\.BatchSize: for FIFO/, ofQueue({ BatchSize: 11 }, fifo)],
  [/not supported for FIFO/, ofQueue({ MaximumBatchingWindowInSeconds: 1 }, fifo)],
  [/^M\.MaximumBatchingWindowInSeconds should/, ofQueue({ MaximumBatchingWindowInSeconds: 301 })],
  [/MaximumConcurrency should .* 2 to 1000/, ofQueue({ ScalingConfig: concurrency(1) })],
  [/MaximumConcurrency should .* 2 to 1000/, ofQueue({ ScalingConfig: concurrency(1_001) })],
  [/^M\.ParallelizationFactor is for streams/, ofQueue({ ParallelizationFactor: 1 })],
  [/^M\.StartingPosition is for streams/, ofQueue({ StartingPosition: 'LATEST' })],
  [/less than the function's timeout/, ofQueue({}, { isFifo: false, visibilitySeconds: 9 })],
  [/ReportBatchItemFailures/, ofQueue({ FunctionResponseTypes: ['Other'] })],
  [/at most 5 filters/, ofQueue({ FilterCriteria: { Filters: six } })],
  [/^M\.ParallelizationFactor should/, ofStream({ ParallelizationFactor: 11 })],
  [/^M\.ScalingConfig is for queues/, ofStream({ ScalingConfig: concurrency(2) })],
  [/^M\.StartingPosition should/, ofStream({ StartingPosition: 'AT_TIMESTAMP' })],
  [/at least 60/, ofStream({ MaximumRecordAgeInSeconds: 59 })],
  [/^M\.MaximumRetryAttempts should/, ofStream({ MaximumRetryAttempts: 10_001 })],
  [/^M\.TumblingWindowInSeconds should/, ofStream({ TumblingWindowInSeconds: 901 })],
])('%s', (refusal, check) => {
  expect(check).toThrow(refusal);
});

test('what AWS takes passes', () => {
  ofQueue({ BatchSize: 10_000, MaximumBatchingWindowInSeconds: 1 })();
  ofQueue({ ScalingConfig: concurrency(2), FunctionResponseTypes: ['ReportBatchItemFailures'] })();
  ofQueue({ BatchSize: 10 }, fifo)();
  ofStream({ MaximumRecordAgeInSeconds: -1, MaximumRetryAttempts: -1, BatchSize: 10_000 })();
});

function concurrency(MaximumConcurrency: number): JsonObject {
  return { MaximumConcurrency };
}
