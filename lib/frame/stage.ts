import { RemovalPolicy } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { requiredStageName, type StageName } from './stage-name.ts';

/**
 * One deployment of Edgewise among several in an account: `-c edgewise:stage=NAME`. Its name is
 * part of the name of the stack and of everything that would otherwise collide, and it alone says
 * whether the deployment is kept: `trial` and `trial-…` are thrown away with their stack, every
 * other is kept. No flag can turn one into the other, because another name is another stack.
 */
export type Stage = Omit<StageName, 'isKept'> & {
  readonly removalPolicy: RemovalPolicy;
  readonly deletionProtection: boolean;
  readonly logRetention: RetentionDays;
  /** An SNS topic of yours that alarms tell; without one they only show in the console. */
  readonly alarmTopicArn: string | null;
  /** Where the code of functions comes from, when it is not what comes with the construct. */
  readonly functionCode: ((name: string) => Code) | null;
};

export type StageChoices = {
  /** Of those who write an app of their own; no flag of ours sets it. */
  readonly removalPolicy?: RemovalPolicy | undefined;
  readonly alarmTopicArn?: string | undefined;
  readonly functionCode?: ((name: string) => Code) | undefined;
};

export function makeStage(name: unknown, choices: StageChoices = {}): Stage {
  const { isKept: isKeptByName, ...names } = requiredStageName(name);
  const byName = isKeptByName ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
  const removalPolicy = choices.removalPolicy ?? byName;
  const isKept = removalPolicy !== RemovalPolicy.DESTROY;
  return {
    ...names,
    removalPolicy,
    deletionProtection: isKept,
    logRetention: isKept ? RetentionDays.ONE_MONTH : RetentionDays.THREE_DAYS,
    alarmTopicArn: choices.alarmTopicArn ?? null,
    functionCode: choices.functionCode ?? null,
  };
}
