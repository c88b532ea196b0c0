/**
 * AWS::IoT::TopicRule: a query over topics and the actions it triggers. The roles that the actions
 * take are checked here: on AWS a rule without permission is created and then fails at every
 * message.
 */
import { arnOf, physicalName } from '../../../account.ts';
import { type Reader, readerOf } from '../../../assembly/property.ts';
import { StartFailure } from '../../../failure.ts';
import type { ResourceType, World } from '../../../world.ts';

export const iotTopicRule: ResourceType = {
  used: ['RuleName', 'TopicRulePayload'],
  ignored: { Tags: 'tags do nothing' },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const payload = reader
      .object('TopicRulePayload')
      .only(['Sql', 'AwsIotSqlVersion', 'RuleDisabled', 'Actions', 'ErrorAction'], {
        Description: 'a text for people',
      });
    const name =
      reader.optionalText('RuleName') ??
      physicalName(world.account, logicalId, 128).replaceAll('-', '_');
    const actions = payload.objects('Actions');
    const errorAction = payload.optionalObject('ErrorAction');
    const arn = arnOf(world.account, 'iot', `rule/${name}`);
    for (const action of errorAction === undefined ? actions : [...actions, errorAction]) {
      requirePermission(action, arn, world);
    }
    world.topicRules.push({
      name,
      sql: payload.text('Sql'),
      sqlVersion: payload.optionalText('AwsIotSqlVersion') ?? '2015-10-08',
      disabled: payload.optionalFlag('RuleDisabled') ?? false,
      actions: actions.map((action) => action.raw),
      ...(errorAction === undefined ? {} : { errorAction: errorAction.raw }),
    });
    return { ref: name, attributes: { Arn: arn } };
  },
};

function requirePermission(action: Reader, ruleArn: string, world: World): void {
  action.only(['Sqs', 'S3', 'Lambda', 'Republish']);
  const sqs = action.optionalObject('Sqs');
  const s3 = action.optionalObject('S3');
  const lambda = action.optionalObject('Lambda');
  const republish = action.optionalObject('Republish');
  if (sqs !== undefined) {
    const queue = sqs.text('QueueUrl');
    const resource = arnOf(world.account, 'sqs', queue.slice(queue.lastIndexOf('/') + 1));
    requireRole(sqs, { action: 'sqs:SendMessage', resource }, world);
  } else if (s3 !== undefined) {
    const resource = `arn:aws:s3:::${s3.text('BucketName')}/*`;
    requireRole(s3, { action: 's3:PutObject', resource }, world);
  } else if (republish !== undefined) {
    const topic = republish.text('Topic').replace(/\$\{[^}]*\}/g, '*');
    const resource = arnOf(world.account, 'iot', `topic/${topic.replace(/^\$\$/, '$')}`);
    requireRole(republish, { action: 'iot:Publish', resource }, world);
  } else if (lambda !== undefined) {
    const functionArn = lambda.text('FunctionArn');
    world.laterChecks.push({
      path: action.path,
      functionArn,
      service: 'iot.amazonaws.com',
      ruleArn,
    });
  }
}

function requireRole(
  reader: Reader,
  request: { action: string; resource: string },
  world: World,
): void {
  const role = reader.text('RoleArn');
  if (!world.roles.trusts(role, 'iot.amazonaws.com')) {
    throw new StartFailure(`${reader.path}.RoleArn: the role does not trust iot.amazonaws.com.`);
  }
  const sentence = world.roles.roleRefusal(role, 'iot.amazonaws.com', request);
  if (sentence !== undefined) throw new StartFailure(`${reader.path}: ${sentence}.`);
}
