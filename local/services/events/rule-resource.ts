/**
 * AWS::Events::Rule: which events go to which functions, queues and topics. A rule that fires by
 * the clock is a schedule, and those are resources of their own (`AWS::Scheduler::Schedule`).
 */
import { arnOf, physicalName } from '../../account.ts';
import { type Reader, readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import type { ResourceType, World } from '../../world.ts';
import { compileFilter } from '../lambda/event-sources/filter/pattern.ts';
import { defaultBus, type EventTarget } from './bus.ts';
import { targetInputOf } from './target-input.ts';

/** "Each rule can have up to five targets." */
const targetsMax = 5;

export const eventsRule: ResourceType = {
  used: ['Name', 'EventBusName', 'EventPattern', 'State', 'Targets', 'ScheduleExpression'],
  ignored: {
    Description: 'a text for people',
    RoleArn: 'targets here are reached by their own policies',
    Tags: 'tags do nothing',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    if (reader.has('ScheduleExpression')) {
      throw new StartFailure(`${path}.ScheduleExpression: use an AWS::Scheduler::Schedule.`);
    }
    const name = reader.optionalText('Name') ?? physicalName(world.account, logicalId, 64);
    const bus = busNameOf(reader.optionalText('EventBusName') ?? defaultBus, path, world);
    const inBus = bus === defaultBus ? name : `${bus}/${name}`;
    const arn = arnOf(world.account, 'events', `rule/${inBus}`);
    const state = reader.optionalText('State') ?? 'ENABLED';
    const pattern = JSON.stringify(reader.object('EventPattern').raw);
    const targets = reader.objects('Targets');
    if (targets.length > targetsMax) {
      throw new StartFailure(`${path}.Targets: a rule has at most ${targetsMax}.`);
    }
    world.eventRules.push({
      name,
      arn,
      bus,
      isEnabled: state !== 'DISABLED',
      matches: compileFilter(pattern, `${path}.EventPattern`),
      targets: targets.map((target) => targetOf(target, arn, world)),
    });
    return { ref: bus === defaultBus ? name : `${bus}|${name}`, attributes: { Arn: arn } };
  },
};

/** By its name or its ARN. */
function busNameOf(text: string, path: string, world: World): string {
  const name = text.slice(text.lastIndexOf('/') + 1);
  if (name === defaultBus || world.eventBuses.has(name)) return name;
  throw new StartFailure(`${path}.EventBusName: there is no bus ${name}.`);
}

function targetOf(target: Reader, ruleArn: string, world: World): EventTarget {
  target.only(['Id', 'Arn', 'Input', 'InputPath', 'InputTransformer', 'SqsParameters'], {
    DeadLetterConfig: 'what a target here refuses is in logs/cloud.log',
    RetryPolicy: 'a target here takes an event at once, or never',
    RoleArn: 'targets here are reached by their own policies',
  });
  const arn = target.text('Arn');
  const [, , service] = arn.split(':');
  if (service !== 'lambda' && service !== 'sqs' && service !== 'sns') {
    throw new StartFailure(`${target.path}.Arn: events go to functions, queues and topics here.`);
  }
  if (service === 'lambda') {
    const check = { path: target.path, service: 'events.amazonaws.com', ruleArn };
    world.laterChecks.push({ ...check, functionArn: arn });
  }
  const queue = target.optionalObject('SqsParameters')?.only(['MessageGroupId']);
  return {
    id: target.text('Id'),
    arn,
    input: targetInputOf(target),
    messageGroupId: queue?.text('MessageGroupId'),
  };
}
