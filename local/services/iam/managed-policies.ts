/**
 * The AWS managed policies that templates of this kind attach, with the actions that AWS gives
 * them.
 */
import type { Json } from '../../assembly/assembly.ts';

function allow(...actions: string[]): Json {
  return {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }],
  };
}

const logs = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];

export const managedPolicies: Readonly<Record<string, Json>> = {
  'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole': allow(...logs),
  'arn:aws:iam::aws:policy/service-role/AWSLambdaDynamoDBExecutionRole': allow(
    'dynamodb:DescribeStream',
    'dynamodb:GetRecords',
    'dynamodb:GetShardIterator',
    'dynamodb:ListStreams',
    ...logs,
  ),
  'arn:aws:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole': allow(
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
    ...logs,
  ),
  'arn:aws:iam::aws:policy/AWSXRayDaemonWriteAccess': allow(
    'xray:PutTraceSegments',
    'xray:PutTelemetryRecords',
  ),
};
