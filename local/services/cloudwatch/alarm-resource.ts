/** AWS::CloudWatch::Alarm on one metric. Alarms over expressions are listed as not run. */
import { arnOf, physicalName } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const cloudwatchAlarm: ResourceType = {
  used: [
    'AlarmName',
    'Namespace',
    'MetricName',
    'Dimensions',
    'Statistic',
    'ExtendedStatistic',
    'Period',
    'Threshold',
    'ComparisonOperator',
    'EvaluationPeriods',
    'DatapointsToAlarm',
    'TreatMissingData',
    'Metrics',
    'AlarmDescription',
    'AlarmActions',
    'OKActions',
    'InsufficientDataActions',
    'ActionsEnabled',
  ],
  ignored: {
    Unit: 'metrics of the stand-ins have one unit each',
    EvaluateLowSampleCountPercentile: 'percentiles are not run',
    Tags: 'tags do nothing',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const name = reader.optionalText('AlarmName') ?? physicalName(world.account, logicalId, 255);
    const created = {
      ref: name,
      attributes: { Arn: arnOf(world.account, 'cloudwatch', `alarm:${name}`) },
    };
    if (reader.has('Metrics')) {
      world.ignored.push({ path, reason: 'alarms over metric expressions are not evaluated' });
      return created;
    }
    const periods = reader.optionalNumber('EvaluationPeriods') ?? 1;
    world.alarms.push({
      name,
      description: reader.optionalText('AlarmDescription') ?? null,
      actions: {
        enabled: reader.optionalFlag('ActionsEnabled') ?? true,
        OK: reader.texts('OKActions'),
        ALARM: reader.texts('AlarmActions'),
        INSUFFICIENT_DATA: reader.texts('InsufficientDataActions'),
      },
      namespace: reader.text('Namespace'),
      metric: reader.text('MetricName'),
      dimensions: Object.fromEntries(
        reader.objects('Dimensions').map((item) => [item.text('Name'), item.text('Value')]),
      ),
      statistic: reader.optionalText('Statistic') ?? reader.text('ExtendedStatistic'),
      periodSeconds: reader.optionalNumber('Period') ?? 60,
      threshold: reader.optionalNumber('Threshold') ?? 0,
      comparison: reader.text('ComparisonOperator'),
      evaluationPeriods: periods,
      datapointsToAlarm: reader.optionalNumber('DatapointsToAlarm') ?? periods,
      treatMissingData: reader.optionalText('TreatMissingData') ?? 'missing',
    });
    return created;
  },
};
