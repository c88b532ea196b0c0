import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { alarmWhen } from '../frame/alarm.ts';
import type { Stage } from '../frame/stage.ts';

/**
 * Alarms on what the functions count in their log lines. The metrics have no dimension, so that a
 * fleet pays for one of each and not for one per cell; the line beside it names the cell.
 *
 * One alarm per metric: an expression over several is billed by the metric all the same, and would
 * not say which of them it was.
 */
export function alarmOnCounts(scope: Construct, stage: Stage): void {
  for (const { name, minutes, periods, description } of counts) {
    const period = Duration.minutes(minutes);
    const metric = new Metric({
      namespace: stage.stackName,
      metricName: name,
      statistic: 'Sum',
      period,
    });
    alarmWhen(scope, name, stage, { metric, above: 0, periods, description });
  }
}

/** How long something has to be counted before somebody is called, and what to tell them. */
const counts = [
  {
    name: 'MassLoss',
    minutes: 1,
    periods: 1,
    description:
      'Many edges of a cell stopped reporting at once. ' +
      'They are not called lost yet: look at the network and at IoT Core first.',
  },
  {
    name: 'RefusedPlans',
    minutes: 5,
    periods: 1,
    description:
      'A plan contradicted itself and was not committed: the jobs that it is about stand still ' +
      'with the reason inconsistent. Look for "a plan was refused" in the log of schedule.',
  },
  {
    name: 'CellParked',
    minutes: 5,
    // A pass that failed is tried again within seconds; a call that failed once is no alarm.
    periods: 2,
    description:
      'Passes over a cell fail again and again: nothing in it moves, other cells go on. ' +
      'Look for "the pass failed" in the log of schedule.',
  },
  {
    name: 'ForeignResults',
    minutes: 5,
    periods: 1,
    description:
      'An edge reports results of chunks that it was never given; they do not count. ' +
      'Its secret may be in other hands: the log of schedule names the edge.',
  },
  {
    name: 'DoubledIdentities',
    minutes: 5,
    periods: 1,
    description:
      'Two agents use the identity of one edge, which gets nothing new. ' +
      'A data directory was copied: the log of schedule names the edge.',
  },
  {
    name: 'WebhooksFailing',
    minutes: 5,
    periods: 1,
    description:
      'A receiver of events has taken nothing for a day, and misses what is older. ' +
      'The log of events names the webhook; `edgewise webhook get` says what it answers.',
  },
  {
    name: 'UnreadableRows',
    minutes: 5,
    periods: 1,
    description:
      'Rows of the table cannot be read: what they are about stands still, the rest goes on. ' +
      'Look for "cannot be read" in the logs of the functions.',
  },
] as const;
