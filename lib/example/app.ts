import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Edgewise } from 'edgewise';

/**
 * Edgewise in an app of somebody else's: beside a topic that it tells of alarms, and a parameter
 * that other programs of the account read the address of the API from.
 */
const app = new App({ analyticsReporting: false });
const stack = new Stack(app, 'Plant', { description: 'Everything that the plant runs' });

const onCall = new Topic(stack, 'OnCall', { enforceSSL: true });
onCall.addSubscription(new EmailSubscription('on-call@example.com'));

const fleet = new Edgewise(stack, 'Fleet', {
  stage: 'plant-1',
  removalPolicy: RemovalPolicy.RETAIN,
  alarmsTo: onCall,
  apiName: {
    name: 'edgewise.example.com',
    certificateArn:
      'arn:aws:acm:eu-west-1:123456789012:certificate/0f3c6a52-7f7c-4b8e-9d0a-2d1e5b6c7a89',
  },
  signIn: {
    issuer: 'https://login.example.com',
    clientId: 'edgewise',
    groups: { operators: ['jobs:read', 'jobs:write', 'edges:read'], admins: ['fleet:admin'] },
  },
});

new StringParameter(stack, 'ApiAddress', {
  parameterName: '/plant-1/edgewise/api',
  stringValue: fleet.apiUrl,
});
