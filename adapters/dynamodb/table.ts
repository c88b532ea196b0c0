import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { batchGetKeysMax, batchGetRoundsMax, transactRowsMax } from '../../core/limits.ts';
import type { Key } from './keys.ts';
import { transactionOutcome, writeOutcome } from './transaction-outcome.ts';

/**
 * The one table, in the few operations that the stores need. A failed condition and a lost race are outcomes;
 * only an outage or a defect throws.
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

export type TransactOutcome =
  | { readonly kind: 'committed' }
  /** Positions of the writes whose conditions did not hold. */
  | { readonly kind: 'refused'; readonly failed: readonly number[] }
  /** Another transaction touched the same rows at the same time. */
  | { readonly kind: 'conflict' };

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
  get(key: Key): Promise<Row | null>;
  getMany(keys: readonly Key[]): Promise<Row[]>;
  query(request: QueryRequest): Promise<Page>;
  queryAll(request: Omit<QueryRequest, 'limit' | 'after'>): Promise<Row[]>;
  /** `false`: the condition did not hold and nothing was written. */
  put(row: Row, condition?: Condition): Promise<boolean>;
  update(key: Key, change: Change, condition?: Condition): Promise<boolean>;
  remove(key: Key, condition?: Condition): Promise<boolean>;
  transact(writes: readonly Write[]): Promise<TransactOutcome>;
};

export function createTable(client: DynamoDBDocumentClient, name: string): Table {
  const TableName = name;
  const table: Table = {
    name,
    async get(key) {
      const answer = await client.send(
        new GetCommand({ TableName, Key: keyOf(key), ConsistentRead: true }),
      );
      return (answer.Item as Row | undefined) ?? null;
    },
    getMany: (keys) => getMany(client, name, keys),
    async query(request) {
      const answer = await client.send(new QueryCommand(queryInput(name, request)));
      return { rows: (answer.Items ?? []) as Row[], next: answer.LastEvaluatedKey ?? null };
    },
    async queryAll(request) {
      const rows: Row[] = [];
      let after: Page['next'] = null;
      do {
        const page: Page = await table.query(after === null ? request : { ...request, after });
        for (const row of page.rows) rows.push(row);
        after = page.next;
      } while (after !== null);
      return rows;
    },
    put: (row, condition) =>
      writeOutcome(() =>
        client.send(new PutCommand({ TableName, Item: row, ...conditionInput(condition) })),
      ),
    update: (key, change, condition) =>
      writeOutcome(() =>
        client.send(
          new UpdateCommand({ TableName, Key: keyOf(key), ...changeInput(change, condition) }),
        ),
      ),
    remove: (key, condition) =>
      writeOutcome(() =>
        client.send(
          new DeleteCommand({ TableName, Key: keyOf(key), ...conditionInput(condition) }),
        ),
      ),
    async transact(writes) {
      if (writes.length === 0) return { kind: 'committed' };
      if (writes.length > transactRowsMax) throw new Error(`${writes.length} rows in one commit`);
      const input = { TransactItems: writes.map((write) => transactItem(name, write)) };
      return transactionOutcome(() => client.send(new TransactWriteCommand(input)));
    },
  };
  return table;
}

function keyOf(key: Key): { pk: string; sk: string } {
  return { pk: key.pk, sk: key.sk };
}

async function getMany(
  client: DynamoDBDocumentClient,
  name: string,
  keys: readonly Key[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < keys.length; start += batchGetKeysMax) {
    let open = keys.slice(start, start + batchGetKeysMax).map(keyOf) as Record<string, unknown>[];
    for (let round = 0; open.length > 0; round++) {
      if (round >= batchGetRoundsMax) throw new Error(`the table ${name} answers too slowly`);
      const answer = await client.send(
        new BatchGetCommand({ RequestItems: { [name]: { Keys: open, ConsistentRead: true } } }),
      );
      for (const row of answer.Responses?.[name] ?? []) rows.push(row as Row);
      open = answer.UnprocessedKeys?.[name]?.Keys ?? [];
    }
  }
  return rows;
}

function queryInput(name: string, request: QueryRequest) {
  const pk = request.index === undefined ? 'pk' : `${request.index}Pk`;
  const sk = request.index === undefined ? 'sk' : `${request.index}Sk`;
  const names: Record<string, string> = { '#pk': pk };
  const values: Record<string, unknown> = { ':pk': request.pk };
  let expression = '#pk = :pk';
  if (request.skPrefix !== undefined) {
    names['#sk'] = sk;
    values[':sk'] = request.skPrefix;
    expression += ' AND begins_with(#sk, :sk)';
  }
  for (const attribute of request.attributes ?? []) names[`#${attribute}`] = attribute;
  return {
    TableName: name,
    KeyConditionExpression: expression,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ScanIndexForward: request.backwards !== true,
    ...(request.index === undefined ? {} : { IndexName: request.index }),
    ...(request.consistent === true ? { ConsistentRead: true } : {}),
    ...(request.limit === undefined ? {} : { Limit: request.limit }),
    ...(request.after === undefined ? {} : { ExclusiveStartKey: { ...request.after } }),
    ...(request.attributes === undefined
      ? {}
      : { ProjectionExpression: request.attributes.map((it) => `#${it}`).join(', ') }),
  };
}

type ExpressionInput = {
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
};

function namesIn(expression: string): Record<string, string> {
  const names: Record<string, string> = {};
  for (const match of expression.matchAll(/#(\w+)/g)) names[match[0]] = match[1]!;
  return names;
}

function valuesOf(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value]));
}

/** The service refuses empty lists of names and values, so they are only sent when there are any. */
function attributes(expression: string, values: Record<string, unknown>): ExpressionInput {
  const names = namesIn(expression);
  return {
    ...(Object.keys(names).length === 0 ? {} : { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
  };
}

function conditionInput(condition: Condition | undefined): ExpressionInput {
  if (condition === undefined) return {};
  return {
    ConditionExpression: condition.expression,
    ...attributes(condition.expression, valuesOf(condition.values ?? {})),
  };
}

function changeInput(change: Change, condition: Condition | undefined) {
  const clauses: string[] = [];
  const values: Record<string, unknown> = valuesOf(condition?.values ?? {});
  const set = Object.entries(change.set ?? {}).filter(([, value]) => value !== undefined);
  if (set.length > 0) clauses.push(`SET ${set.map(([it]) => `#${it} = :set_${it}`).join(', ')}`);
  for (const [name, value] of set) values[`:set_${name}`] = value;
  const remove = change.remove ?? [];
  if (remove.length > 0) clauses.push(`REMOVE ${remove.map((it) => `#${it}`).join(', ')}`);
  const add = Object.entries(change.add ?? {});
  if (add.length > 0) clauses.push(`ADD ${add.map(([it]) => `#${it} :add_${it}`).join(', ')}`);
  for (const [name, value] of add) values[`:add_${name}`] = value;
  const expression = clauses.join(' ');
  return {
    UpdateExpression: expression,
    ...(condition === undefined ? {} : { ConditionExpression: condition.expression }),
    ...attributes(`${expression} ${condition?.expression ?? ''}`, values),
  };
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

function transactItem(TableName: string, write: Write): TransactItem {
  switch (write.kind) {
    case 'put':
      return { Put: { TableName, Item: write.row, ...conditionInput(write.condition) } };
    case 'update':
      return {
        Update: { TableName, Key: keyOf(write.key), ...changeInput(write.change, write.condition) },
      };
    case 'delete':
      return { Delete: { TableName, Key: keyOf(write.key), ...conditionInput(write.condition) } };
    case 'check':
      return {
        ConditionCheck: {
          TableName,
          Key: keyOf(write.key),
          ConditionExpression: write.condition.expression,
          ...attributes(write.condition.expression, valuesOf(write.condition.values ?? {})),
        },
      };
  }
}
