/**
 * What an alarm does when its state changes
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-actions.html): a topic gets
 * the notification that CloudWatch sends, a function the alarm's event. Every change is a line in
 * `logs/alarms.log`, and so is an action that cannot be run here, with the reason.
 */
import { type Account, accountId, arnOf } from '../../account.ts';
import type { Clock } from '../../engine/clock.ts';
import type { LambdaService } from '../lambda/service.ts';
import type { QueuesAndBuckets } from '../queues-and-buckets.ts';
import type { AlarmDefinition } from './alarm-definition.ts';
import type { AlarmState } from './alarm-state.ts';

export type AlarmActions = {
  changed(alarm: AlarmDefinition, from: AlarmState, to: AlarmState): Promise<void>;
};

export type AlarmActionsOptions = {
  account: Account;
  queues: QueuesAndBuckets;
  lambda: LambdaService;
  clock: Clock;
  write(line: string): void;
};

type Change = {
  readonly alarm: AlarmDefinition;
  readonly from: AlarmState;
  readonly to: AlarmState;
  readonly arn: string;
  readonly region: string;
  /** `2026-11-18T12:00:00.000+0000`, as CloudWatch writes times. */
  readonly time: string;
};

export function alarmActions(options: AlarmActionsOptions): AlarmActions {
  const { account, queues, lambda, clock, write } = options;
  const run = async (target: string, change: Change): Promise<void> => {
    const [, , service = '', , , ...rest] = target.split(':');
    const { alarm, to, region } = change;
    if (service === 'sns') {
      const topic = queues.topics.getTopic(target);
      if (topic === undefined) return write(`  no topic ${target} here: not notified`);
      const subject = `${to}: "${alarm.name}" in ${region}`;
      await queues.publish(target, subject, JSON.stringify(notification(change)));
      return write(`  notified ${target}`);
    }
    const definition = service === 'lambda' ? lambda.find(target) : undefined;
    if (definition === undefined) {
      return write(`  the local cloud does not run the action ${service}:${rest.join(':')}`);
    }
    await lambda.invokeLater(definition, Buffer.from(JSON.stringify(functionEvent(change))));
    write(`  invoked ${definition.name}`);
  };
  return {
    changed: async (alarm, from, to) => {
      const time = new Date(clock.nowMs()).toISOString();
      write(`${time} ${alarm.name}: ${from} -> ${to}`);
      if (!alarm.actions.enabled) return;
      const arn = arnOf(account, 'cloudwatch', `alarm:${alarm.name}`);
      const { region } = account;
      const change = { alarm, from, to, arn, region, time: time.replace('Z', '+0000') };
      for (const target of alarm.actions[to]) await run(target, change);
    },
  };
}

function reasonOf({ alarm, to }: Change): string {
  const { comparison, threshold, metric, evaluationPeriods: periods } = alarm;
  const rule = `${metric} ${comparison} ${threshold} in ${periods} period(s)`;
  if (to === 'INSUFFICIENT_DATA') return `Insufficient Data: ${rule} is not known yet.`;
  return `Threshold ${to === 'ALARM' ? 'Crossed' : 'not crossed'}: ${rule}.`;
}

/** The message to a topic. */
function notification(change: Change): Record<string, unknown> {
  const { alarm } = change;
  return {
    AlarmName: alarm.name,
    AlarmDescription: alarm.description,
    AWSAccountId: accountId,
    AlarmConfigurationUpdatedTimestamp: change.time,
    NewStateValue: change.to,
    NewStateReason: reasonOf(change),
    StateChangeTime: change.time,
    Region: change.region,
    AlarmArn: change.arn,
    OldStateValue: change.from,
    OKActions: alarm.actions.OK,
    AlarmActions: alarm.actions.ALARM,
    InsufficientDataActions: alarm.actions.INSUFFICIENT_DATA,
    Trigger: {
      MetricName: alarm.metric,
      Namespace: alarm.namespace,
      StatisticType: 'Statistic',
      Statistic: alarm.statistic.toUpperCase(),
      Unit: null,
      Dimensions: Object.entries(alarm.dimensions).map(([name, value]) => ({ value, name })),
      Period: alarm.periodSeconds,
      EvaluationPeriods: alarm.evaluationPeriods,
      DatapointsToAlarm: alarm.datapointsToAlarm,
      ComparisonOperator: alarm.comparison,
      Threshold: alarm.threshold,
      TreatMissingData: alarm.treatMissingData,
      EvaluateLowSampleCountPercentile: '',
    },
  };
}

/** The event of a function. */
function functionEvent(change: Change): Record<string, unknown> {
  const { alarm, arn, region, time } = change;
  return {
    source: 'aws.cloudwatch',
    alarmArn: arn,
    accountId,
    time,
    region,
    alarmData: {
      alarmName: alarm.name,
      state: { value: change.to, reason: reasonOf(change), timestamp: time },
      previousState: { value: change.from },
      configuration: { description: alarm.description },
    },
  };
}
