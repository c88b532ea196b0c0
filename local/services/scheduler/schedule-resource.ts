/** AWS::Scheduler::Schedule: invokes a function at a rate or at times of the calendar. */
import { arnOf, physicalName } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import type { ResourceType } from '../../world.ts';
import { parseSchedule } from './expression.ts';

export const schedulerSchedule: ResourceType = {
  used: [
    'Name',
    'GroupName',
    'ScheduleExpression',
    'ScheduleExpressionTimezone',
    'State',
    'Target',
  ],
  ignored: {
    Description: 'a text for people',
    FlexibleTimeWindow: 'schedules fire on time',
    KmsKeyArn: 'the state directory is not encrypted',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const name = reader.optionalText('Name') ?? physicalName(world.account, logicalId, 64);
    const arn = arnOf(
      world.account,
      'scheduler',
      `schedule/${reader.optionalText('GroupName') ?? 'default'}/${name}`,
    );
    const target = reader.object('Target').only(['Arn', 'RoleArn', 'Input'], {
      RetryPolicy: 'an invocation of a function is accepted at once, so it is not tried again',
      DeadLetterConfig: 'an invocation of a function is accepted at once',
    });
    const targetArn = target.text('Arn');
    const roleArn = target.text('RoleArn');
    if (!targetArn.includes(':function:')) {
      throw new StartFailure(`${target.path}.Arn: the local cloud schedules functions only.`);
    }
    const request = { action: 'lambda:InvokeFunction', resource: targetArn };
    const sentence = world.roles.roleRefusal(roleArn, 'scheduler.amazonaws.com', request);
    if (sentence !== undefined) throw new StartFailure(`${target.path}: ${sentence}.`);
    const expression = reader.text('ScheduleExpression');
    parseSchedule(expression, `${path}.ScheduleExpression`);
    world.schedules.push({
      name,
      arn,
      expression,
      timezone: reader.optionalText('ScheduleExpressionTimezone') ?? 'UTC',
      enabled: reader.optionalText('State') !== 'DISABLED',
      targetArn,
      roleArn,
      input: target.optionalText('Input'),
    });
    return { ref: name, attributes: { Arn: arn } };
  },
};
