import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import { EdgewiseQueue, lastResortQueue } from '../frame/edgewise-queue.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import type { Stage } from '../frame/stage.ts';
import { reportTimeoutSeconds } from '../limits.ts';
import { allowPasses } from '../scheduling/scheduler.ts';
import { EdgeRules } from './edge-rules.ts';

/**
 * The way of what edges say: IoT rules put it on a queue, one function takes it off in batches.
 * What a rule could not deliver waits in a queue of its own; nothing is lost by that, because a
 * report is state and the next one carries it.
 */
export class EdgeReports extends Construct {
  readonly function: EdgewiseFunction;

  constructor(
    scope: Construct,
    id: string,
    props: { readonly table: EdgewiseTable; readonly timers: Queue; readonly stage: Stage },
  ) {
    super(scope, id);
    const reports = new EdgewiseQueue(this, 'Reports', {
      stage: props.stage,
      visibilitySeconds: 6 * reportTimeoutSeconds,
      triesMax: 5,
      deadMeans:
        'Reports of edges could not be stored, or are not valid; the next report repairs it.',
    });
    const refused = lastResortQueue(
      this,
      'Undelivered',
      props.stage,
      'An IoT rule could not deliver to the report queue.',
    );
    this.function = new EdgewiseFunction(this, 'Intake', {
      entry: 'report',
      description: 'Stores the newest report, facts and connection of each edge, and applies few',
      memoryMb: 1_024,
      stage: props.stage,
      timeoutSeconds: reportTimeoutSeconds,
      environment: { TABLE_NAME: props.table.table.tableName },
      alarm: 'errors',
    });
    this.function.readQueue(reports.queue, 10, 50);
    props.table.allowReads(this.function);
    props.table.allowWrites(this.function);
    allowPasses(this.function, props.timers, props.stage);
    new EdgeRules(this, 'Rules', {
      queue: reports.queue,
      undelivered: refused,
      stage: props.stage,
    });
  }
}
