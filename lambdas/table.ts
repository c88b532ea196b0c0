import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../adapters/aws/client-config.ts';
import type { Key } from '../adapters/dynamodb/keys.ts';
import { partitions } from '../adapters/dynamodb/schema.ts';
import { createTable, type Table } from '../adapters/dynamodb/table.ts';
import { requiredEnv } from './environment.ts';
import { createLog, type Log } from './log.ts';

/** The one table, through a client that a function keeps for its life. */
export function openTable(): Table {
  const log = createLog({}, Date.now);
  return createTable({
    client: new DynamoDBClient(clientConfig),
    name: requiredEnv('TABLE_NAME'),
    reportUnreadable: (key) => reportUnreadable(log, key),
  });
}

/** A row that was left out of an answer; the partition of a token is made of its secret. */
export function reportUnreadable(log: Log, { pk, sk }: Key): void {
  const partition = pk.startsWith(partitions.token) ? partitions.token : pk;
  log.error('a row of the table cannot be read', { pk: partition, sk });
  log.metric('UnreadableRows', 1);
}
