import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/**
 * What differs between a deployment one keeps and one that is thrown away: whether data outlives
 * the stack, and how long logs are kept. Chosen with `-c edgewise:stage=production|trial`.
 */
export type Stage = {
  readonly name: StageName;
  readonly removalPolicy: RemovalPolicy;
  readonly deletionProtection: boolean;
  readonly logRetention: RetentionDays;
  /** An SNS topic of yours that alarms tell; without one they only show in the console. */
  readonly alarmTopicArn: string | null;
};

export type StageName = 'production' | 'trial';

export function makeStage(name: unknown, alarmTopicArn: unknown = null): Stage {
  const topic = typeof alarmTopicArn === 'string' && alarmTopicArn !== '' ? alarmTopicArn : null;
  if (name === 'production') {
    return {
      name,
      removalPolicy: RemovalPolicy.RETAIN,
      deletionProtection: true,
      logRetention: RetentionDays.ONE_MONTH,
      alarmTopicArn: topic,
    };
  }
  if (name === 'trial') {
    return {
      name,
      removalPolicy: RemovalPolicy.DESTROY,
      deletionProtection: false,
      logRetention: RetentionDays.THREE_DAYS,
      alarmTopicArn: topic,
    };
  }
  throw new Error(`edgewise:stage must be production or trial, not ${String(name)}`);
}
