import { type ChildProcess, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { listIndex, tableKeys } from '../../adapters/dynamodb/schema.ts';
import { createTable, type Table } from '../../adapters/dynamodb/table.ts';
import { startReaper } from '../../local/engine/reaper.ts';
import { databaseProgram } from '../../local/services/dynamodb/database.ts';
import { engine } from '../../local/test/engine.ts';
import { type Sdk, tableClient } from './sdk.ts';

/**
 * A real database for a test file, in memory. The process behind it is one for all files of this
 * worker, and ends with it, however that ends; each file has tables of its own.
 */
export type TestDatabase = {
  readonly client: DynamoDBClient;
  /**
   * A table of its own for each test, shaped like the one of the template; over what functions are
   * bundled with, unless the test asks for the SDK itself.
   */
  makeTable(sdk?: Sdk): Promise<Table>;
  close(): Promise<void>;
};

const startMsMax = 60_000;
const region = 'us-east-1';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

let running: Promise<URL> | undefined;
let tables = 0;

export async function startDatabase(): Promise<TestDatabase> {
  running ??= startProcess();
  const url = await running;
  const config = { endpoint: url.origin, region, credentials };
  const clients = {
    'drop-in': tableClient('drop-in', config),
    official: tableClient('official', config),
  };
  return {
    client: clients.official,
    async makeTable(sdk = 'drop-in') {
      const name = `edgewise-${++tables}`;
      await clients.official.send(new CreateTableCommand(tableInput(name)));
      return createTable({ client: clients[sdk], name });
    },
    async close() {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}

async function startProcess(): Promise<URL> {
  const port = await freePort();
  const { command, args, cwd } = databaseProgram(engine, null, {
    host: '127.0.0.1',
    port,
    accessKeyId: credentials.accessKeyId,
  });
  const child = spawn(command, args, { stdio: 'ignore', ...(cwd === undefined ? {} : { cwd }) });
  startReaper().watch(child.pid!);
  child.unref();
  await listening(child, port);
  return new URL(`http://127.0.0.1:${port}`);
}

function tableInput(TableName: string) {
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST' as const,
    AttributeDefinitions: [
      tableKeys.partition,
      tableKeys.sort,
      listIndex.partition,
      listIndex.sort,
    ].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    KeySchema: [
      { AttributeName: tableKeys.partition, KeyType: 'HASH' as const },
      { AttributeName: tableKeys.sort, KeyType: 'RANGE' as const },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: listIndex.name,
        KeySchema: [
          { AttributeName: listIndex.partition, KeyType: 'HASH' as const },
          { AttributeName: listIndex.sort, KeyType: 'RANGE' as const },
        ],
        Projection: {
          ProjectionType: 'INCLUDE' as const,
          NonKeyAttributes: [...listIndex.attributes],
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

async function listening(child: ChildProcess, port: number): Promise<void> {
  const endMs = performance.now() + startMsMax;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() > endMs) {
      throw new Error(`the database ${engine} did not start`);
    }
    await delay(5);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
