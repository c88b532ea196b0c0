/**
 * Which permissions a DynamoDB request needs: AWS checks a transaction item by item and a query of
 * an index on the index
 * (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html).
 */
import { type Account, arnOf } from '../../account.ts';
import type { Json, JsonObject } from '../../assembly/assembly.ts';
import type { AccessRequest } from '../iam/policy.ts';
import { leadingKeys } from './leading-keys.ts';

export function dynamodbAccess(
  account: Account,
  operation: string,
  input: JsonObject,
  partitionKeyOf: (table: string) => string | undefined,
): AccessRequest[] {
  const action = `dynamodb:${operation}`;
  const table = (name: Json | undefined): string => tableArn(account, String(name ?? ''));
  const about = (name: Json | undefined, kind: string, asked: Json | undefined) =>
    leadingKeys(partitionKeyOf(tableNameOf(name)), kind, asked);
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
        context: about(item.TableName, kind, item),
      }));
    case 'BatchGetItem':
    case 'BatchWriteItem':
      return Object.entries((input.RequestItems ?? {}) as JsonObject).map(([name, asked]) => ({
        action,
        resource: table(name),
        context: about(name, operation, asked),
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
      const context = at === resource ? about(input.TableName, operation, input) : {};
      return [{ action, resource: at, context }];
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

/** The table may be given by its ARN. */
export const tableNameOf = (name: Json | undefined): string =>
  String(name ?? '').replace(/^arn:.*:table\//, '');

function tableArn(account: Account, name: string): string {
  return name.startsWith('arn:') ? name : arnOf(account, 'dynamodb', `table/${name}`);
}
