import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Stage } from '../frame/stage.ts';

/**
 * IoT rules that turn what happens on the broker into messages of one form, `{kind, edge, at, …}`.
 *
 * The name of the edge is always taken from the topic, on which the broker let only that edge
 * publish; a payload may claim anything. `at` is the broker's time. `accepted` is listened to
 * rather than `documents`, which is several times as large, and it never fires for what the cloud
 * itself writes. Things of another stage in the same account are left to the rules of that one.
 */
export class EdgeRules extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: { readonly queue: Queue; readonly undelivered: Queue; readonly stage: Stage },
  ) {
    super(scope, id);
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('iot.amazonaws.com') });
    props.queue.grantSendMessages(role);
    props.undelivered.grantSendMessages(role);
    for (const [name, rule] of Object.entries(edgeRules)) {
      const resource = new CfnTopicRule(this, name, {
        topicRulePayload: {
          description: rule.description,
          sql: `${rule.sql} WHERE regexp_matches(${rule.thing}, '${ownThings(props.stage)}')`,
          awsIotSqlVersion: '2016-03-23',
          ruleDisabled: false,
          actions: [
            { sqs: { queueUrl: props.queue.queueUrl, roleArn: role.roleArn, useBase64: false } },
          ],
          errorAction: {
            sqs: {
              queueUrl: props.undelivered.queueUrl,
              roleArn: role.roleArn,
              useBase64: false,
            },
          },
        },
      });
      resource.node.addDependency(role);
    }
  }
}

/** Names of edges and stages hold no `_`, so what it ends is the name of a stage. */
export function ownThings({ thingPrefix }: Pick<Stage, 'thingPrefix'>): string {
  return thingPrefix === '' ? '^[^_]+$' : `^${thingPrefix}`;
}

export const edgeRules = {
  Progress: {
    description: 'Progress that an edge reported',
    thing: 'topic(3)',
    sql:
      "SELECT 'prog' AS kind, topic(3) AS edge, timestamp() AS at, version AS version, " +
      "state.reported AS reported FROM '$aws/things/+/shadow/name/prog/update/accepted'",
  },
  Facts: {
    description: 'Facts that an edge reported about itself',
    thing: 'topic(3)',
    sql:
      "SELECT 'facts' AS kind, topic(3) AS edge, timestamp() AS at, version AS version, " +
      "state.reported AS reported FROM '$aws/things/+/shadow/name/facts/update/accepted'",
  },
  Connected: {
    description: 'An edge connected',
    thing: 'topic(5)',
    sql:
      "SELECT 'connected' AS kind, topic(5) AS edge, timestamp AS at, " +
      "versionNumber AS version FROM '$aws/events/presence/connected/+'",
  },
  Disconnected: {
    description: 'An edge disconnected, or its connection broke',
    thing: 'topic(5)',
    sql:
      "SELECT 'disconnected' AS kind, topic(5) AS edge, timestamp AS at, " +
      "versionNumber AS version FROM '$aws/events/presence/disconnected/+'",
  },
} as const;
