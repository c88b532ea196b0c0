import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { partitions, wakingRows } from '../../adapters/dynamodb/schema.ts';
import { acceptFinding } from '../frame/accepted-finding.ts';
import { alarmWhen } from '../frame/alarm.ts';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import { EdgewiseQueue } from '../frame/edgewise-queue.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import type { Stage } from '../frame/stage.ts';
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
      environment: {
        TABLE_NAME: props.table.table.tableName,
        TIMER_QUEUE_URL: this.timers.queueUrl,
      },
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
    props.table.allowReads(this.function);
    props.table.allowWrites(this.function);
    this.function.allow(['sqs:SendMessage'], [this.timers.queueArn]);
    allowShadow(this.function, 'work', ['iot:UpdateThingShadow']);
    alarmOnMassLoss(this, props.stage);
  }
}

const passTimeoutSeconds = 60;

/** What a cell's pass did not write itself; a row that goes is a consequence of a pass. */
export const scheduleFilter = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    Keys: {
      pk: { S: [keyPattern(partitions.cell)] },
      sk: { S: wakingRows.map(keyPattern) },
    },
  },
};

/**
 * Permission on one named shadow of every thing; edges are enrolled at run time, so they cannot be
 * listed here.
 */
export function allowShadow(
  fn: EdgewiseFunction,
  shadow: string,
  actions: readonly string[],
): void {
  const arn = fn.lambda.stack.formatArn({
    service: 'iot',
    resource: 'thing',
    resourceName: `*/${shadow}`,
  });
  fn.allow(actions, [arn]);
  const shadows = `arn:<AWS::Partition>:iot:<AWS::Region>:<AWS::AccountId>:thing/*/${shadow}`;
  acceptFinding(
    fn,
    `AwsSolutions-IAM5[Resource::${shadows}]`,
    'edges are enrolled at run time; the permission is limited to one shadow of each',
  );
}

function alarmOnMassLoss(scope: Construct, stage: Stage): void {
  const lost = new Metric({
    namespace: 'Edgewise',
    metricName: 'MassLoss',
    statistic: 'sum',
    period: Duration.minutes(1),
  });
  alarmWhen(scope, 'MassLoss', stage, {
    metric: lost,
    above: 0,
    description:
      'Many edges of a cell stopped reporting at once. ' +
      'They are not called lost yet: look at the network and at IoT Core first.',
  });
}
