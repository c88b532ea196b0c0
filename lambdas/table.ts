import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../adapters/aws/client-config.ts';
import { createTable, type Table } from '../adapters/dynamodb/table.ts';
import { requiredEnv } from './environment.ts';

/** The one table, through a client that a function keeps for its life. */
export function openTable(): Table {
  return createTable({ client: new DynamoDBClient(clientConfig), name: requiredEnv('TABLE_NAME') });
}
