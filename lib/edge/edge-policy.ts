import { Stack } from 'aws-cdk-lib';
import { CfnPolicy } from 'aws-cdk-lib/aws-iot';
import { Construct } from 'constructs';

/**
 * What any edge may do on the broker: connect under its own name, read its work, and report. It
 * cannot write its own work, delete a shadow, or see anything of another edge. One document serves
 * all edges, because the broker puts the name of the connected thing in place of the variable.
 */
export class EdgePolicy extends Construct {
  readonly policyName: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const policy = new CfnPolicy(this, 'Policy', { policyDocument: this.document() });
    this.policyName = policy.ref;
  }

  private document(): object {
    const arn = (kind: string, name: string): string =>
      Stack.of(this).formatArn({ service: 'iot', resource: kind, resourceName: name });
    const shadow = (kind: string, names: readonly string[]): string[] =>
      names.map((name) => arn(kind, `$aws/things/${thing}/shadow/name/${name}`));
    return {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: 'iot:Connect',
          Resource: arn('client', thing),
          Condition: { Bool: { 'iot:Connection.Thing.IsAttached': 'true' } },
        },
        { Effect: 'Allow', Action: 'iot:Publish', Resource: shadow('topic', published) },
        { Effect: 'Allow', Action: 'iot:Subscribe', Resource: shadow('topicfilter', received) },
        { Effect: 'Allow', Action: 'iot:Receive', Resource: shadow('topic', received) },
      ],
    };
  }
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the broker, not the template, fills it in
const thing = '${iot:Connection.Thing.ThingName}';

export const published = ['work/get', 'prog/get', 'prog/update', 'facts/update'] as const;

/** Wildcards where an edge only hears of what it did itself: a policy may have 2,048 characters. */
export const received = ['work/update/delta', 'work/get/*', 'prog/*', 'facts/update/*'] as const;
