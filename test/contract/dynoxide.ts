import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createJsonCalls } from '../../adapters/aws/json-calls.ts';
import { listIndexAttributes, listIndexName } from '../../adapters/dynamodb/keys.ts';
import { createTable, type Table } from '../../adapters/dynamodb/table.ts';

/** A real database for a test file: in memory, on a free port, gone when it is closed. */
export type Dynoxide = {
  readonly client: DynamoDBClient;
  /** A table of its own for each test, shaped like the one of the template. */
  makeTable(): Promise<Table>;
  close(): Promise<void>;
};

const binary = fileURLToPath(
  new URL('../../node_modules/@dynoxide/linux-x64/dynoxide', import.meta.url),
);

export async function startDynoxide(): Promise<Dynoxide> {
  if (!existsSync(binary)) {
    throw new Error(
      'These tests need the database of @dynoxide/linux-x64, which is not installed.',
    );
  }
  const port = await freePort();
  const child = spawn(binary, ['--port', String(port)], { stdio: 'ignore' });
  const region = 'us-east-1';
  const url = new URL(`http://127.0.0.1:${port}`);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const calls = createJsonCalls('dynamodb', {
    endpoint: { url, region, service: 'dynamodb' },
    credentials: () => credentials,
  });
  const client = new DynamoDBClient({
    endpoint: url.origin,
    region,
    credentials,
    // The first request waits until the process listens; the client's own retries are that wait.
    maxAttempts: 20,
  });
  let tables = 0;
  return {
    client,
    async makeTable() {
      const name = `edgewise-${++tables}`;
      await client.send(new CreateTableCommand(tableInput(name)));
      return createTable(calls, name);
    },
    close: () => {
      calls.close();
      return stop(child, client);
    },
  };
}

function tableInput(TableName: string) {
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST' as const,
    AttributeDefinitions: ['pk', 'sk', 'listPk', 'listSk'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' as const },
      { AttributeName: 'sk', KeyType: 'RANGE' as const },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: listIndexName,
        KeySchema: [
          { AttributeName: 'listPk', KeyType: 'HASH' as const },
          { AttributeName: 'listSk', KeyType: 'RANGE' as const },
        ],
        Projection: {
          ProjectionType: 'INCLUDE' as const,
          NonKeyAttributes: [...listIndexAttributes],
        },
      },
    ],
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

async function stop(child: ChildProcess, client: DynamoDBClient): Promise<void> {
  client.destroy();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
