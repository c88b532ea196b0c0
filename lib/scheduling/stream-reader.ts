import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { alarmWhen, placeOf } from '../frame/alarm.ts';
import type { EdgewiseFunction } from '../frame/edgewise-function.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import type { Stage } from '../frame/stage.ts';

/** One pattern of an event filter, as Lambda evaluates it before it invokes. */
export type StreamFilter = Readonly<Record<string, unknown>>;

/** What a key of the table must be, or begin with: what ends in `#` is followed by a name. */
export function keyPattern(start: string): string | { readonly prefix: string } {
  return start.endsWith('#') ? { prefix: start } : start;
}

/**
 * Lets a function read the table's stream. A batch that fails is halved, tried a bounded number of
 * times and then sent to the failure queue, so that one bad record never stops a shard; what it
 * would have done is done again by the tick, because every reader decides from what is stored and
 * not from the record.
 */
export function readStream(
  fn: EdgewiseFunction,
  props: {
    readonly table: EdgewiseTable;
    readonly filters: readonly StreamFilter[];
    readonly failures: Queue;
    readonly stage: Stage;
    readonly batchSize: number;
  },
): void {
  fn.lambda.addEventSource(
    // The cast: the library's own classes do not fit its interfaces under
    // exactOptionalPropertyTypes.
    new DynamoEventSource(props.table.table as unknown as ITable, {
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: props.batchSize,
      // More lanes would let two batches of one cell race each other, and the loser's work is
      // wasted.
      parallelizationFactor: 1,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: 8,
      maxRecordAge: Duration.hours(1),
      filters: props.filters.map((pattern) => ({ pattern: JSON.stringify(pattern) })),
      onFailure: new SqsDlq(props.failures),
    }),
  );
  alarmWhen(fn, 'Behind', props.stage, {
    metric: fn.lambda.metric('IteratorAge', { period: Duration.minutes(1), statistic: 'max' }),
    above: 60_000,
    periods: 3,
    description: `${placeOf(fn)} is more than a minute behind the table: jobs start late.`,
  });
}
