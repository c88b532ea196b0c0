import { Duration } from 'aws-cdk-lib';
import { type DeadLetterQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acceptFinding } from './accepted-finding.ts';
import { alarmOnMessages } from './alarm.ts';
import type { Stage } from './stage.ts';

/**
 * A queue whose messages end, after a bounded number of tries, in a second queue that raises an
 * alarm.
 */
export class EdgewiseQueue extends Construct {
  readonly queue: Queue;
  readonly dead: Queue;

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly stage: Stage;
      readonly visibilitySeconds: number;
      readonly triesMax: number;
      readonly deadMeans: string;
    },
  ) {
    super(scope, id);
    this.dead = lastResortQueue(this, 'Dead', props.stage, props.deadMeans);
    const deadLetterQueue: DeadLetterQueue = { queue: this.dead, maxReceiveCount: props.triesMax };
    this.queue = new Queue(this, 'Queue', {
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(props.visibilitySeconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue,
    });
  }
}

/** Where things end that could not be handled: kept for two weeks, for a person to look at. */
export function lastResortQueue(scope: Construct, id: string, stage: Stage, means: string): Queue {
  const queue = new Queue(scope, id, { enforceSSL: true, retentionPeriod: Duration.days(14) });
  alarmOnMessages(scope, `${id}Filled`, stage, queue, means);
  const reason = 'it is itself the end of the line; an alarm watches it';
  acceptFinding(queue, 'AwsSolutions-SQS3', reason);
  acceptFinding(queue, 'Serverless-SQSRedrivePolicy', reason);
  return queue;
}
