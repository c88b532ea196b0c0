/**
 * What AWS takes for an event source mapping
 * (https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html). A value
 * outside would fail the deployment, so it stops the start, with its path.
 */

import type { Reader } from '../../../assembly/property.ts';
import { StartFailure } from '../../../failure.ts';
import {
  filtersMax,
  queueMaximumConcurrencyMax,
  queueMaximumConcurrencyMin,
  queueReceiveMax,
} from '../../../limits.ts';

const ranges: Readonly<Record<string, readonly [number, number]>> = {
  BatchSize: [1, 10_000],
  MaximumBatchingWindowInSeconds: [0, 300],
  ParallelizationFactor: [1, 10],
  MaximumRetryAttempts: [-1, 10_000],
  MaximumRecordAgeInSeconds: [-1, 604_800],
  TumblingWindowInSeconds: [0, 900],
};

/** Only for streams: "The following error handling options are available for stream sources". */
const ofStreams = [
  'BisectBatchOnFunctionError',
  'MaximumRecordAgeInSeconds',
  'MaximumRetryAttempts',
  'ParallelizationFactor',
  'DestinationConfig',
  'StartingPosition',
  'TumblingWindowInSeconds',
];

export function checkStreamBounds(reader: Reader): void {
  checkRanges(reader);
  refuse(reader, ['ScalingConfig'], 'is for queues only');
  const position = reader.text('StartingPosition');
  if (position !== 'TRIM_HORIZON' && position !== 'LATEST') {
    throw new StartFailure(`${reader.path}.StartingPosition should be TRIM_HORIZON or LATEST.`);
  }
  const age = reader.optionalNumber('MaximumRecordAgeInSeconds') ?? -1;
  if (age >= 0 && age < 60) {
    throw new StartFailure(`${reader.path}.MaximumRecordAgeInSeconds is at least 60, or -1.`);
  }
}

/** `queue`: what the queue's own properties say. */
export function checkQueueBounds(
  reader: Reader,
  queue: { isFifo: boolean; visibilitySeconds: number },
  functionSeconds: number,
): void {
  checkRanges(reader);
  refuse(reader, ofStreams, 'is for streams only');
  const { path } = reader;
  const size = reader.optionalNumber('BatchSize') ?? 10;
  const window = reader.optionalNumber('MaximumBatchingWindowInSeconds') ?? 0;
  if (queue.isFifo && size > queueReceiveMax) {
    throw new StartFailure(`${path}.BatchSize: for FIFO queues the maximum is ${queueReceiveMax}.`);
  }
  if (queue.isFifo && window > 0) {
    const sentence = 'a batching window is not supported for FIFO queues';
    throw new StartFailure(`${path}.MaximumBatchingWindowInSeconds: ${sentence}.`);
  }
  if (size > queueReceiveMax && window < 1) {
    throw new StartFailure(
      `${path}.BatchSize: above ${queueReceiveMax}, ` +
        'MaximumBatchingWindowInSeconds has to be at least 1.',
    );
  }
  const concurrency = reader.optionalObject('ScalingConfig')?.only(['MaximumConcurrency']);
  if (concurrency?.has('MaximumConcurrency')) {
    checkRange(concurrency, 'MaximumConcurrency', [
      queueMaximumConcurrencyMin,
      queueMaximumConcurrencyMax,
    ]);
  }
  if (queue.visibilitySeconds < functionSeconds) {
    throw new StartFailure(
      `${path}: the queue's visibility timeout (${queue.visibilitySeconds} seconds) is less than ` +
        `the function's timeout (${functionSeconds} seconds); AWS refuses that.`,
    );
  }
}

function checkRanges(reader: Reader): void {
  for (const [key, range] of Object.entries(ranges)) {
    if (reader.has(key)) checkRange(reader, key, range);
  }
  const types = reader.texts('FunctionResponseTypes');
  if (types.some((type) => type !== 'ReportBatchItemFailures') || types.length > 1) {
    throw new StartFailure(
      `${reader.path}.FunctionResponseTypes takes ReportBatchItemFailures and nothing else.`,
    );
  }
  const filters = reader.optionalObject('FilterCriteria')?.only(['Filters']).objects('Filters');
  if ((filters?.length ?? 0) > filtersMax) {
    throw new StartFailure(`${reader.path}.FilterCriteria: at most ${filtersMax} filters.`);
  }
}

function checkRange(reader: Reader, key: string, [low, high]: readonly [number, number]): void {
  const value = reader.optionalNumber(key) ?? low;
  if (Number.isInteger(value) && value >= low && value <= high) return;
  throw new StartFailure(`${reader.path}.${key} should be a whole number from ${low} to ${high}.`);
}

function refuse(reader: Reader, keys: readonly string[], why: string): void {
  const key = keys.find((name) => reader.has(name));
  if (key !== undefined) throw new StartFailure(`${reader.path}.${key} ${why}.`);
}
