import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import { EdgewiseQueue } from '../frame/edgewise-queue.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import type { Stage } from '../frame/stage.ts';
import { deliveryTimeoutSeconds } from '../limits.ts';
import { callEveryMinute } from './minute-schedule.ts';

/**
 * What carries events to those who asked for them. A message only says that there is something
 * new: what that is, and how far each receiver has got, is in the table, so that a message that is
 * lost costs a minute and no event.
 */
export class EventDeliveries extends Construct {
  /** Where to say that something was appended to the log. */
  readonly wakes: Queue;
  /** Where each event is put, with `edgewise` as its source. */
  readonly bus: EventBus;

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly table: EdgewiseTable;
      readonly stage: Stage;
      readonly loopbackReceivers: string;
    },
  ) {
    super(scope, id);
    const { queue } = new EdgewiseQueue(this, 'Wakes', {
      stage: props.stage,
      visibilitySeconds: 6 * deliveryTimeoutSeconds,
      triesMax: 5,
      deadMeans: 'Receivers of events could not be reached; the minute goes on with them.',
    });
    this.wakes = queue;
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: props.stage.stackName,
      description: 'What happens to jobs and edges, for rules of your own',
    });
    const deliver = new EdgewiseFunction(this, 'Deliver', {
      entry: 'events',
      description: 'Sends webhooks what happened, in order, until they take it',
      stage: props.stage,
      timeoutSeconds: deliveryTimeoutSeconds,
      environment: {
        TABLE_NAME: props.table.table.tableName,
        EVENT_BUS: this.bus.eventBusName,
        LOOPBACK_RECEIVERS: props.loopbackReceivers,
      },
      alarm: 'errors',
    });
    deliver.readQueue(queue, 10, 2);
    props.table.allowReads(deliver, { lists: true });
    props.table.allowWrites(deliver);
    deliver.allow(['events:PutEvents'], [this.bus.eventBusArn]);
    callEveryMinute(this, deliver);
  }
}
