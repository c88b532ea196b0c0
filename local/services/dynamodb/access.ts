/**
 * Which permissions a DynamoDB request needs: AWS checks a transaction item by item and a query of
 * an index on the index
 * (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html).
 */
import { type Account, arnOf } from '../../account.ts';
import type { Json, JsonObject } from '../../assembly/assembly.ts';
import type { AccessRequest } from '../iam/policy.ts';

export function dynamodbAccess(
  account: Account,
  operation: string,
  input: JsonObject,
): AccessRequest[] {
  const action = `dynamodb:${operation}`;
  const table = (name: Json | undefined): string => tableArn(account, String(name ?? ''));
  switch (operation) {
    case 'ListTables':
    case 'DescribeLimits':
    case 'DescribeEndpoints':
      return [{ action, resource: '*' }];
    case 'TransactWriteItems':
    case 'TransactGetItems':
      return transactItems(input).map(({ kind, item }) => ({
        action: `dynamodb:${transactActions[kind] ?? kind}`,
        resource: table(item.TableName),
      }));
    case 'BatchGetItem':
    case 'BatchWriteItem':
      return Object.keys((input.RequestItems ?? {}) as JsonObject).map((name) => ({
        action,
        resource: table(name),
      }));
    case 'ExecuteStatement':
    case 'BatchExecuteStatement':
    case 'ExecuteTransaction':
      return [{ action: 'dynamodb:PartiQLInsert', resource: '*' }];
    case 'ListStreams':
      return [{ action, resource: `${table(input.TableName ?? '*')}/stream/*` }];
    case 'DescribeStream':
    case 'GetShardIterator':
      return [{ action, resource: String(input.StreamArn ?? '') }];
    case 'GetRecords':
      // The iterator does not name its stream; it could only be had with permission on it.
      return [];
    default: {
      const index = input.IndexName;
      const resource = table(input.TableName);
      const at = typeof index === 'string' ? `${resource}/index/${index}` : resource;
      return [{ action, resource: at }];
    }
  }
}

const transactActions: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

function transactItems(input: JsonObject): { kind: string; item: JsonObject }[] {
  const list = input.TransactItems;
  if (!Array.isArray(list)) return [];
  return (list as JsonObject[]).flatMap((entry) =>
    Object.entries(entry ?? {}).map(([kind, item]) => ({ kind, item: item as JsonObject })),
  );
}

function tableArn(account: Account, name: string): string {
  return name.startsWith('arn:') ? name : arnOf(account, 'dynamodb', `table/${name}`);
}
