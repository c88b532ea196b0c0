/**
 * The partition keys that a request names, as the condition key `dynamodb:LeadingKeys` has them
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html).
 */
import type { Json, JsonObject } from '../../assembly/assembly.ts';
import type { RequestContext } from '../iam/condition.ts';

/**
 * Without a known table, and for what names no partition (a scan), there is none: then a condition
 * with `ForAllValues` holds, there and here.
 */
export function leadingKeys(
  partitionKey: string | undefined,
  kind: string,
  asked: Json | undefined,
): RequestContext {
  if (partitionKey === undefined) return {};
  const found = keysIn(kind, asked).map((key) => textOf(key[partitionKey]));
  const named = kind === 'Query' ? [queried(partitionKey, objectOf(asked))] : found;
  const known = named.filter((value) => value !== undefined);
  return known.length === 0 ? {} : { 'dynamodb:leadingkeys': known };
}

/** Items and keys of single requests, of parts of a transaction, and of batches. */
function keysIn(kind: string, asked: Json | undefined): JsonObject[] {
  if (kind === 'BatchWriteItem') {
    return (Array.isArray(asked) ? asked : []).map((one) => {
      const { PutRequest, DeleteRequest } = objectOf(one);
      return objectOf(objectOf(PutRequest).Item ?? objectOf(DeleteRequest).Key);
    });
  }
  const { Keys, Key, Item } = objectOf(asked);
  if (Array.isArray(Keys)) return Keys.map(objectOf);
  return [objectOf(Key ?? Item)];
}

/** What the partition key is compared with, in an expression or in the older form. */
function queried(partitionKey: string, input: JsonObject): string | undefined {
  const older = objectOf(objectOf(input.KeyConditions)[partitionKey]).AttributeValueList;
  if (Array.isArray(older)) return textOf(older[0]);
  const names = objectOf(input.ExpressionAttributeNames);
  const comparisons = String(input.KeyConditionExpression ?? '').matchAll(
    /([#\w.-]+)\s*=\s*(:\w+)/g,
  );
  for (const [, name = '', value = ''] of comparisons) {
    if ((names[name] ?? name) !== partitionKey) continue;
    return textOf(objectOf(input.ExpressionAttributeValues)[value]);
  }
  return undefined;
}

/** A string, a number or bytes, as a policy would write it. */
function textOf(value: Json | undefined): string | undefined {
  const { S, N, B } = objectOf(value);
  const text = S ?? N ?? B;
  return typeof text === 'string' ? text : undefined;
}

function objectOf(value: Json | undefined): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? value : {};
}
