import { randomUUID } from 'node:crypto';
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { batchGetKeysMax, batchGetRoundsMax, transactRowsMax } from '../../core/model/limits.ts';
import { queryPagesMax } from '../limits.ts';
import { type AttributeMap, decodeMap, encodeMap } from './attribute-values.ts';
import type { Key } from './keys.ts';
import { type TransactOutcome, transactionOutcome, writeOutcome } from './transaction-outcome.ts';

/**
 * The one table, in the few operations that the stores need. A failed condition and a lost race are
 * outcomes; only an outage or a defect throws.
 */
export type Row = Key & Readonly<Record<string, unknown>>;

/** Names are written `#name`, values `:name`; the names need no listing, each stands for itself. */
export type Condition = {
  readonly expression: string;
  readonly values?: Readonly<Record<string, unknown>>;
};

export type Change = {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  readonly add?: Readonly<Record<string, number>>;
};

export type Write =
  | { readonly kind: 'put'; readonly row: Row; readonly condition?: Condition }
  | {
      readonly kind: 'update';
      readonly key: Key;
      readonly change: Change;
      readonly condition?: Condition;
    }
  | { readonly kind: 'delete'; readonly key: Key; readonly condition?: Condition }
  | { readonly kind: 'check'; readonly key: Key; readonly condition: Condition };

export type QueryRequest = {
  readonly pk: string;
  readonly skPrefix?: string;
  readonly index?: string;
  readonly consistent?: boolean;
  readonly backwards?: boolean;
  readonly limit?: number;
  /** Exclusive start, as a page before gave it. */
  readonly after?: Readonly<Record<string, unknown>>;
  readonly attributes?: readonly string[];
};

export type Page = {
  readonly rows: readonly Row[];
  readonly next: Readonly<Record<string, unknown>> | null;
};

export type Table = {
  readonly name: string;
  /** For whoever reads rows one by one: a row that makes no sense is reported, and left out. */
  reportUnreadable(key: Key): void;
  get(key: Key): Promise<Row | null>;
  getMany(keys: readonly Key[]): Promise<Row[]>;
  query(request: QueryRequest): Promise<Page>;
  queryAll(request: Omit<QueryRequest, 'limit'>): Promise<Row[]>;
  /** `false`: the condition did not hold and nothing was written. */
  put(row: Row, condition?: Condition): Promise<boolean>;
  update(key: Key, change: Change, condition?: Condition): Promise<boolean>;
  remove(key: Key, condition?: Condition): Promise<boolean>;
  transact(writes: readonly Write[]): Promise<TransactOutcome>;
};

/** A function keeps one client for its life: `new DynamoDBClient(clientConfig)`. */
export type TableConfig = {
  readonly client: DynamoDBClient;
  readonly name: string;
  readonly reportUnreadable?: (key: Key) => void;
};

export function createTable({ client, name, reportUnreadable }: TableConfig): Table {
  const table: Table = {
    name,
    reportUnreadable: reportUnreadable ?? (() => undefined),
    async get(key) {
      const input = { TableName: name, Key: keyOf(key), ConsistentRead: true };
      const { Item } = await client.send(new GetItemCommand(input));
      return Item === undefined ? null : rowOf(Item);
    },
    getMany: (keys) => getMany(client, name, keys),
    async query(request) {
      const answer = await client.send(new QueryCommand(queryInput(name, request)));
      const { Items = [], LastEvaluatedKey: next } = answer;
      return { rows: Items.map(rowOf), next: next === undefined ? null : decodeMap(next) };
    },
    async queryAll(request) {
      const rows: Row[] = [];
      let after: Page['next'] = null;
      for (let pages = 0; pages < queryPagesMax; pages++) {
        const page: Page = await table.query(after === null ? request : { ...request, after });
        for (const row of page.rows) rows.push(row);
        after = page.next;
        if (after === null) return rows;
      }
      throw new Error(`${request.pk} has more than ${queryPagesMax} pages`);
    },
    put(row, condition) {
      const input = putInput(name, row, condition);
      return writeOutcome(() => client.send(new PutItemCommand(input)));
    },
    update(key, change, condition) {
      const input = updateInput(name, key, change, condition);
      return writeOutcome(() => client.send(new UpdateItemCommand(input)));
    },
    remove(key, condition) {
      const input = deleteInput(name, key, condition);
      return writeOutcome(() => client.send(new DeleteItemCommand(input)));
    },
    async transact(writes) {
      if (writes.length === 0) return { kind: 'committed' };
      if (writes.length > transactRowsMax) throw new Error(`${writes.length} rows in one commit`);
      const TransactItems = writes.map((write) => transactItem(name, write));
      return transactionOutcome(() => {
        // With the token a request whose answer was lost may be sent again: it is carried out once.
        const input = { TransactItems, ClientRequestToken: randomUUID() };
        return client.send(new TransactWriteItemsCommand(input));
      });
    },
  };
  return table;
}

const rowOf = (item: AttributeMap): Row => decodeMap(item) as Row;

function keyOf(key: Key): AttributeMap {
  return { pk: { S: key.pk }, sk: { S: key.sk } };
}

async function getMany(client: DynamoDBClient, name: string, keys: readonly Key[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < keys.length; start += batchGetKeysMax) {
    let open: AttributeMap[] = keys.slice(start, start + batchGetKeysMax).map(keyOf);
    for (let round = 0; open.length > 0; round++) {
      if (round >= batchGetRoundsMax) throw new Error(`the table ${name} answers too slowly`);
      const RequestItems = { [name]: { Keys: open, ConsistentRead: true } };
      const answer = await client.send(new BatchGetItemCommand({ RequestItems }));
      for (const item of answer.Responses?.[name] ?? []) rows.push(rowOf(item));
      open = answer.UnprocessedKeys?.[name]?.Keys ?? [];
    }
  }
  return rows;
}

function queryInput(TableName: string, request: QueryRequest): QueryCommandInput {
  const { index, skPrefix, after, attributes = [] } = request;
  const names: Record<string, string> = { '#pk': index === undefined ? 'pk' : `${index}Pk` };
  const values: Record<string, unknown> = { ':pk': request.pk };
  let KeyConditionExpression = '#pk = :pk';
  if (skPrefix !== undefined) {
    names['#sk'] = index === undefined ? 'sk' : `${index}Sk`;
    values[':sk'] = skPrefix;
    KeyConditionExpression += ' AND begins_with(#sk, :sk)';
  }
  for (const attribute of attributes) names[`#${attribute}`] = attribute;
  return {
    TableName,
    IndexName: index,
    KeyConditionExpression,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: encodeMap(values),
    ProjectionExpression: attributes.map((it) => `#${it}`).join(', ') || undefined,
    ScanIndexForward: request.backwards !== true,
    ConsistentRead: request.consistent,
    Limit: request.limit,
    ExclusiveStartKey: after && encodeMap(after),
  };
}

type ExpressionInput = Pick<
  PutItemCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

function namesIn(expression: string): Record<string, string> {
  const names: Record<string, string> = {};
  for (const match of expression.matchAll(/#(\w+)/g)) names[match[0]] = match[1]!;
  return names;
}

function valuesOf(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value]));
}

/**
 * The service refuses empty lists of names and values, so they are only sent when there are any.
 */
function attributesOf(expression: string, values: Record<string, unknown>): ExpressionInput {
  const names = namesIn(expression);
  return {
    ExpressionAttributeNames: isEmpty(names) ? undefined : names,
    ExpressionAttributeValues: isEmpty(values) ? undefined : encodeMap(values),
  };
}

const isEmpty = (named: object): boolean => Object.keys(named).length === 0;

function conditionInput({ expression, values = {} }: Condition) {
  return { ConditionExpression: expression, ...attributesOf(expression, valuesOf(values)) };
}

function putInput(TableName: string, row: Row, condition: Condition | undefined) {
  return { TableName, Item: encodeMap(row), ...(condition && conditionInput(condition)) };
}

function deleteInput(TableName: string, key: Key, condition: Condition | undefined) {
  return { TableName, Key: keyOf(key), ...(condition && conditionInput(condition)) };
}

function updateInput(
  TableName: string,
  key: Key,
  change: Change,
  condition: Condition | undefined,
) {
  const clauses: string[] = [];
  const values = valuesOf(condition?.values ?? {});
  const set = Object.entries(change.set ?? {}).filter(([, value]) => value !== undefined);
  if (set.length > 0) clauses.push(`SET ${set.map(([it]) => `#${it} = :set_${it}`).join(', ')}`);
  for (const [name, value] of set) values[`:set_${name}`] = value;
  const remove = change.remove ?? [];
  if (remove.length > 0) clauses.push(`REMOVE ${remove.map((it) => `#${it}`).join(', ')}`);
  const add = Object.entries(change.add ?? {});
  if (add.length > 0) clauses.push(`ADD ${add.map(([it]) => `#${it} :add_${it}`).join(', ')}`);
  for (const [name, value] of add) values[`:add_${name}`] = value;
  const UpdateExpression = clauses.join(' ');
  const ConditionExpression = condition?.expression;
  return {
    TableName,
    Key: keyOf(key),
    UpdateExpression,
    ConditionExpression,
    ...attributesOf(`${UpdateExpression} ${ConditionExpression ?? ''}`, values),
  };
}

function transactItem(TableName: string, write: Write): TransactWriteItem {
  switch (write.kind) {
    case 'put':
      return { Put: putInput(TableName, write.row, write.condition) };
    case 'update':
      return { Update: updateInput(TableName, write.key, write.change, write.condition) };
    case 'delete':
      return { Delete: deleteInput(TableName, write.key, write.condition) };
    case 'check':
      return {
        ConditionCheck: { TableName, Key: keyOf(write.key), ...conditionInput(write.condition) },
      };
  }
}
