/** When an alarm is on: thresholds, periods, and how many of them. */
import { expect, test } from 'vitest';
import type { AlarmDefinition } from '../../../services/cloudwatch/alarm-definition.ts';
import { alarmState } from '../../../services/cloudwatch/alarm-state.ts';

const base: AlarmDefinition = {
  name: 'alarm',
  description: null,
  actions: { enabled: true, OK: [], ALARM: [], INSUFFICIENT_DATA: [] },
  namespace: 'AWS/Lambda',
  metric: 'Errors',
  dimensions: {},
  statistic: 'Sum',
  periodSeconds: 60,
  threshold: 2,
  comparison: 'GreaterThanOrEqualToThreshold',
  evaluationPeriods: 1,
  datapointsToAlarm: 1,
  treatMissingData: 'missing',
};

test.each<[string, Partial<AlarmDefinition>, number[], string]>([
  ['nothing known yet', {}, [], 'INSUFFICIENT_DATA'],
  ['below', {}, [1], 'OK'],
  ['at the threshold', {}, [2], 'ALARM'],
  ['at the threshold, above asked for', { comparison: 'GreaterThanThreshold' }, [2], 'OK'],
  ['below asked for', { comparison: 'LessThanThreshold' }, [1], 'ALARM'],
  ['only the last minute counts', {}, [9, 0], 'OK'],
  ['a sum over five minutes', { periodSeconds: 300 }, [1, 0, 0, 0, 1], 'ALARM'],
  [
    'a maximum over five minutes',
    { periodSeconds: 300, statistic: 'Maximum' },
    [1, 0, 0, 0, 1],
    'OK',
  ],
  ['an average', { periodSeconds: 120, statistic: 'Average' }, [1, 3], 'ALARM'],
  ['three of three periods', { evaluationPeriods: 3, datapointsToAlarm: 3 }, [2, 2, 1], 'OK'],
  ['two of three periods', { evaluationPeriods: 3, datapointsToAlarm: 2 }, [2, 0, 2], 'ALARM'],
  ['too few periods', { evaluationPeriods: 3, datapointsToAlarm: 3 }, [2, 2], 'INSUFFICIENT_DATA'],
])('%s', (_name, alarm, minutes, state) => {
  expect(alarmState({ ...base, ...alarm }, minutes)).toBe(state);
});
