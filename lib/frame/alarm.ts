import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Stage } from './stage.ts';

/** Alarms say in their description what it means for users and where to look first. */
export function alarmWhen(
  scope: Construct,
  id: string,
  stage: Stage,
  rule: {
    readonly metric: IMetric;
    readonly above: number;
    readonly periods?: number;
    readonly description: string;
  },
): Alarm {
  const alarm = new Alarm(scope, id, {
    metric: rule.metric,
    threshold: rule.above,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: rule.periods ?? 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription: rule.description,
  });
  if (stage.alarmTopicArn !== null) {
    alarm.addAlarmAction(
      new SnsAction(Topic.fromTopicArn(scope, `${id}Topic`, stage.alarmTopicArn)),
    );
  }
  return alarm;
}

export function alarmOnErrors(scope: Construct, lambda: LambdaFunction, stage: Stage): Alarm {
  return alarmWhen(scope, 'Errors', stage, {
    metric: lambda.metricErrors({ period: Duration.minutes(5) }),
    above: 0,
    periods: 2,
    description: `${placeOf(scope)} fails again and again; its log group has the sentences.`,
  });
}

export function alarmOnMessages(
  scope: Construct,
  id: string,
  stage: Stage,
  queue: IQueue,
  description: string,
): Alarm {
  return alarmWhen(scope, id, stage, {
    metric: queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
    above: 0,
    description,
  });
}

/** Where something is, as the template says: an id that leaves no trace in names is left out. */
export function placeOf({ node }: Construct): string {
  return node.scopes
    .map((scope) => scope.node.id)
    .filter((id) => id !== '' && id !== 'Default')
    .join('/');
}
