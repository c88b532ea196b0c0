import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { partitions, wakingRows } from '../../adapters/dynamodb/schema.ts';
import { acceptFinding } from '../frame/accepted-finding.ts';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import { EdgewiseQueue } from '../frame/edgewise-queue.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import type { Stage } from '../frame/stage.ts';
import { passTimeoutSeconds } from '../limits.ts';
import { alarmOnCounts } from './count-alarms.ts';
import { keyPattern, readStream } from './stream-reader.ts';

/**
 * The function that runs passes over cells, and what wakes it: rows of a cell that somebody else
 * than a pass wrote, and delayed messages for looks that are due before the next minute tick. What
 * a pass writes itself (`META`, `WORK#`, `SHARE#`) is filtered out, or it would wake itself for
 * ever.
 */
export class Scheduler extends Construct {
  readonly function: EdgewiseFunction;
  readonly timers: Queue;

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly table: EdgewiseTable;
      readonly streamFailures: Queue;
      readonly stage: Stage;
    },
  ) {
    super(scope, id);
    const timers = new EdgewiseQueue(this, 'Timers', {
      stage: props.stage,
      visibilitySeconds: 6 * passTimeoutSeconds,
      triesMax: 5,
      deadMeans: 'A cell could not be looked at again in time; the minute tick still does it.',
    });
    this.timers = timers.queue;
    this.function = new EdgewiseFunction(this, 'Pass', {
      entry: 'schedule',
      description: 'Runs a pass over each cell in which something happened',
      stage: props.stage,
      timeoutSeconds: passTimeoutSeconds,
      memoryMb: 1_024,
      environment: { TABLE_NAME: props.table.table.tableName },
      alarm: 'errors',
    });
    readStream(this.function, {
      table: props.table,
      filters: [scheduleFilter],
      failures: props.streamFailures,
      stage: props.stage,
      batchSize: 500,
    });
    this.function.readQueue(this.timers, 10, 10);
    // The list of cells is read when a cell is made again that was removed under a job.
    props.table.allowReads(this.function, { lists: true });
    props.table.allowWrites(this.function);
    allowPasses(this.function, this.timers, props.stage);
    alarmOnCounts(this, props.stage);
  }
}

/**
 * What others write to a cell; a row that goes is a consequence of a pass. The function itself
 * leaves out what a pass has seen (decision 32).
 */
export const scheduleFilter = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    Keys: {
      pk: { S: [keyPattern(partitions.cell)] },
      sk: { S: wakingRows.map(keyPattern) },
    },
  },
};

/** What a function needs to run passes, besides the table. */
export function allowPasses(fn: EdgewiseFunction, timers: Queue, stage: Stage): void {
  fn.lambda.addEnvironment('TIMER_QUEUE_URL', timers.queueUrl);
  fn.allow(['sqs:SendMessage'], [timers.queueArn]);
  allowShadow(fn, stage, 'work', ['iot:UpdateThingShadow']);
}

/**
 * Permission on one named shadow of every thing of the stage; edges are enrolled at run time, so
 * they cannot be listed here.
 */
export function allowShadow(
  fn: EdgewiseFunction,
  { thingPrefix }: Stage,
  shadow: string,
  actions: readonly string[],
): void {
  const arn = fn.lambda.stack.formatArn({
    service: 'iot',
    resource: 'thing',
    resourceName: `${thingPrefix}*/${shadow}`,
  });
  fn.allow(actions, [arn]);
  const things = `arn:<AWS::Partition>:iot:<AWS::Region>:<AWS::AccountId>:thing/${thingPrefix}*`;
  acceptFinding(
    fn,
    `AwsSolutions-IAM5[Resource::${things}/${shadow}]`,
    'edges are enrolled at run time; the permission is limited to one shadow of each',
  );
}
