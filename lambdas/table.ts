import { createJsonCalls } from '../adapters/aws/json-calls.ts';
import { createTable, type Table } from '../adapters/dynamodb/table.ts';
import { requiredEnv } from './environment.ts';

/** The one table, on a connection that a function keeps for its life. */
export function openTable(): Table {
  return createTable(createJsonCalls('dynamodb'), requiredEnv('TABLE_NAME'));
}
