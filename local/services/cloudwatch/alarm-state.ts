/** The state of an alarm from its metric's minutes: a pure function. */
import type { AlarmDefinition } from './alarm-definition.ts';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** `minutes`: one value per minute, oldest first. */
export function alarmState(alarm: AlarmDefinition, minutes: readonly number[]): AlarmState {
  const perPeriod = Math.max(1, Math.round(alarm.periodSeconds / 60));
  const periods: number[] = [];
  for (let end = minutes.length; end >= perPeriod; end -= perPeriod) {
    periods.push(fold(alarm.statistic, minutes.slice(end - perPeriod, end)));
    if (periods.length === alarm.evaluationPeriods) break;
  }
  const breaching = periods.filter((value) => compares(alarm, value)).length;
  if (breaching >= alarm.datapointsToAlarm) return 'ALARM';
  return periods.length < alarm.evaluationPeriods ? 'INSUFFICIENT_DATA' : 'OK';
}

function fold(statistic: string, values: readonly number[]): number {
  switch (statistic) {
    case 'Sum':
      return values.reduce((sum, value) => sum + value, 0);
    case 'Minimum':
      return Math.min(...values);
    case 'SampleCount':
      return values.length;
    case 'Average':
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    default:
      return Math.max(...values);
  }
}

function compares(alarm: AlarmDefinition, value: number): boolean {
  switch (alarm.comparison) {
    case 'GreaterThanThreshold':
      return value > alarm.threshold;
    case 'GreaterThanOrEqualToThreshold':
      return value >= alarm.threshold;
    case 'LessThanThreshold':
      return value < alarm.threshold;
    default:
      return value <= alarm.threshold;
  }
}
