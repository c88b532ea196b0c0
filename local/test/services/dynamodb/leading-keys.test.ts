/** Which partitions a request is about, so that policies may speak of them. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../assembly/assembly.ts';
import { dynamodbAccess } from '../../../services/dynamodb/access.ts';
import { decide, parsePolicy } from '../../../services/iam/policy.ts';

const account = { id: '000000000000', region: 'eu-west-1', partition: 'aws' } as never;
const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'ROW' } });

function isAllowed(operation: string, input: JsonObject): boolean {
  const statement = {
    Effect: 'Allow',
    Action: 'dynamodb:*',
    Resource: '*',
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': 'OWN#*' } },
  };
  const policy = parsePolicy({ Version: '2012-10-17', Statement: [statement] }, 'Policy');
  return dynamodbAccess(account, operation, input, () => 'pk').every(
    (request) => decide(policy, request).kind === 'allowed',
  );
}

const query = (name: string) => ({
  TableName: 'Jobs',
  KeyConditionExpression: `begins_with(sk, :s) AND ${name} = :p`,
  ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
});

describe('a role that may write in its own partitions only', () => {
  test.each<[string, (pk: string) => JsonObject]>([
    ['GetItem', (pk) => ({ TableName: 'Jobs', Key: key(pk) })],
    ['PutItem', (pk) => ({ TableName: 'Jobs', Item: key(pk) })],
    ['UpdateItem', (pk) => ({ TableName: 'Jobs', Key: key(pk) })],
    ['BatchGetItem', (pk) => ({ RequestItems: { Jobs: { Keys: [key('OWN#1'), key(pk)] } } })],
    [
      'BatchWriteItem',
      (pk) => ({
        RequestItems: {
          Jobs: [{ PutRequest: { Item: key('OWN#1') } }, { DeleteRequest: { Key: key(pk) } }],
        },
      }),
    ],
    [
      'TransactWriteItems',
      (pk) => ({
        TransactItems: [
          { Put: { TableName: 'Jobs', Item: key('OWN#1') } },
          { ConditionCheck: { TableName: 'Jobs', Key: key(pk) } },
        ],
      }),
    ],
    ['Query', (pk) => ({ ...query('#pk'), ExpressionAttributeValues: { ':p': { S: pk } } })],
    ['Query', (pk) => ({ ...query('pk'), ExpressionAttributeValues: { ':p': { S: pk } } })],
    [
      'Query',
      (pk) => ({
        TableName: 'Jobs',
        KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [{ S: pk }] } },
      }),
    ],
  ])('%s', (operation, input) => {
    expect(isAllowed(operation, input('OWN#2'))).toBe(true);
    expect(isAllowed(operation, input('OTHERS#2'))).toBe(false);
  });
});
