/**
 * Makes a table of the template exist in the engine: creates it, or adds what a newer template
 * added. Engines name their region otherwise (`dynoxide`, `ddblocal`); outside, ARNs carry the
 * account's region.
 */
import { type Account, arnOf } from '../../account.ts';
import type { JsonObject } from '../../assembly/assembly.ts';
import { StartFailure } from '../../failure.ts';
import type { Table } from '../../world.ts';
import { type DatabaseClient, DatabaseError } from './client.ts';

export type TableRequest = {
  readonly name: string;
  readonly attributes: JsonObject[];
  readonly keys: JsonObject[];
  readonly globalIndexes: JsonObject[];
  readonly localIndexes: JsonObject[];
  readonly streamViewType: string | undefined;
};

export async function ensureTable(
  database: DatabaseClient,
  account: Account,
  request: TableRequest,
): Promise<Omit<Table, 'description'>> {
  const existing = await describe(database, request.name);
  if (existing === undefined) await create(database, request);
  else await adapt(database, request, existing);
  const table = await describe(database, request.name);
  const engineStreamArn = table?.LatestStreamArn;
  const arn = arnOf(account, 'dynamodb', `table/${request.name}`);
  const isStreamed = typeof engineStreamArn === 'string' && request.streamViewType !== undefined;
  return {
    name: request.name,
    arn,
    partitionKey: partitionKeyOf(request),
    streamArn: isStreamed ? `${arn}/stream/${table?.LatestStreamLabel}` : undefined,
    engineStreamArn: isStreamed ? engineStreamArn : undefined,
  };
}

function partitionKeyOf({ keys }: TableRequest): string {
  return String(keys.find((key) => key.KeyType === 'HASH')?.AttributeName ?? '');
}

async function describe(database: DatabaseClient, name: string): Promise<JsonObject | undefined> {
  try {
    const answer = await database.call('DynamoDB.DescribeTable', { TableName: name });
    return answer.Table as JsonObject;
  } catch (error) {
    if (error instanceof DatabaseError && error.type === 'ResourceNotFoundException') {
      return undefined;
    }
    throw error;
  }
}

async function create(database: DatabaseClient, request: TableRequest): Promise<void> {
  await database.call('DynamoDB.CreateTable', {
    TableName: request.name,
    AttributeDefinitions: request.attributes,
    KeySchema: request.keys,
    BillingMode: 'PAY_PER_REQUEST',
    ...(request.globalIndexes.length > 0
      ? { GlobalSecondaryIndexes: request.globalIndexes.map(indexOf) }
      : {}),
    ...(request.localIndexes.length > 0
      ? { LocalSecondaryIndexes: request.localIndexes.map(indexOf) }
      : {}),
    ...(request.streamViewType === undefined
      ? {}
      : {
          StreamSpecification: { StreamEnabled: true, StreamViewType: request.streamViewType },
        }),
  });
}

function indexOf(index: JsonObject): JsonObject {
  return {
    IndexName: index.IndexName ?? '',
    KeySchema: index.KeySchema ?? [],
    Projection: index.Projection ?? {},
  };
}

/** A table's key cannot change; indexes come and go one at a time. */
async function adapt(
  database: DatabaseClient,
  request: TableRequest,
  existing: JsonObject,
): Promise<void> {
  if (keyText(existing.KeySchema) !== keyText(request.keys)) {
    throw new StartFailure(
      `The table ${request.name} of this state has another key than the template; ` +
        'a key cannot be changed: choose another state directory with --state DIR.',
    );
  }
  const before = namesOf(existing.GlobalSecondaryIndexes);
  const wanted = namesOf(request.globalIndexes);
  for (const name of before) {
    if (wanted.has(name)) continue;
    await update(database, request, { Delete: { IndexName: name } });
  }
  for (const index of request.globalIndexes) {
    if (before.has(String(index.IndexName))) continue;
    await update(database, request, { Create: indexOf(index) });
  }
}

async function update(
  database: DatabaseClient,
  request: TableRequest,
  change: JsonObject,
): Promise<void> {
  await database.call('DynamoDB.UpdateTable', {
    TableName: request.name,
    AttributeDefinitions: request.attributes,
    GlobalSecondaryIndexUpdates: [change],
  });
}

function namesOf(indexes: unknown): Set<string> {
  const list = Array.isArray(indexes) ? (indexes as JsonObject[]) : [];
  return new Set(list.map((index) => String(index.IndexName)));
}

function keyText(keys: unknown): string {
  const list = Array.isArray(keys) ? (keys as JsonObject[]) : [];
  return list.map((key) => `${key.AttributeName}:${key.KeyType}`).join(' ');
}
