import { createJsonCalls } from '../../../adapters/aws/json-calls.ts';
import { createTable, type Table } from '../../../adapters/dynamodb/table.ts';
import { requiredEnv } from '../../environment.ts';

/** Makes the dependencies of a function once, at its first request, around the one table. */
export function onTable<D>(make: (table: Table) => D): () => D {
  let deps: D | null = null;
  return () => {
    deps ??= make(createTable(createJsonCalls('dynamodb'), requiredEnv('TABLE_NAME')));
    return deps;
  };
}
