/** Start and stop as a user and a power cut do them: one real process per cloud. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Endpoints } from '../../endpoints-file.ts';
import { engineFlags } from '../engine.ts';
import { notesClients } from '../notes-clients.ts';
import { eventually, freePortBase, type NotesCloud, notesDir } from '../notes-cloud.ts';
import { temporaryDir } from '../temporary-dir.ts';

const main = join(import.meta.dirname, '..', '..', 'main.ts');

type Running = {
  readonly process: ChildProcess;
  readonly exited: Promise<number | null>;
  output(): string;
  ready(): Promise<Endpoints>;
};

let stateDir: string;
let portBase: number;
const running: Running[] = [];

beforeEach(async () => {
  stateDir = temporaryDir();
  portBase = await freePortBase();
});

afterEach(async () => {
  for (const cloud of running.splice(0)) {
    cloud.process.kill('SIGKILL');
    await cloud.exited;
  }
  await eventually(async () => (programs().length === 0 ? true : undefined));
  rmSync(stateDir, { recursive: true });
});

function start(...more: string[]): Running {
  const args = ['--app', notesDir, '--stack', 'Notes', '--state', stateDir, ...engineFlags];
  const all = [main, ...args, '--port-base', String(portBase), '--region', 'eu-west-1', ...more];
  // Whatever its shell makes readable for everybody, it does not.
  const words = ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, ...all];
  const child = spawn('/bin/sh', words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const cloud: Running = {
    process: child,
    exited: once(child, 'exit').then(([code]) => code as number | null),
    output: () => output,
    ready: () =>
      eventually(async () => {
        if (child.exitCode !== null) throw new Error(output);
        return output.includes('ready') ? readEndpoints() : undefined;
      }),
  };
  running.push(cloud);
  return cloud;
}

function readEndpoints(): Endpoints {
  return JSON.parse(readFileSync(join(stateDir, 'endpoints.json'), 'utf8')) as Endpoints;
}

/** Command lines of this machine's programs that name this test's state directory. */
function programs(): string[] {
  const all = execFileSync('ps', ['-ww', '-eo', 'args='], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.includes(stateDir));
}

function database(endpoints: Endpoints): { client: DynamoDBClient; TableName: string } {
  const cloud = { endpoints, output: () => '' } as unknown as NotesCloud;
  const TableName = String(endpoints.outputs['TableName']);
  return { client: notesClients(cloud).database, TableName };
}

async function writeItem(endpoints: Endpoints, id: string): Promise<void> {
  const { client, TableName } = database(endpoints);
  const Item = { PK: { S: id }, SK: { S: 'NOTE' }, text: { S: id } };
  await client.send(new PutItemCommand({ TableName, Item }));
  client.destroy();
}

async function hasItem(endpoints: Endpoints, id: string): Promise<boolean> {
  const { client, TableName } = database(endpoints);
  const Key = { PK: { S: id }, SK: { S: 'NOTE' } };
  const { Item } = await client.send(new GetItemCommand({ TableName, Key }));
  client.destroy();
  return Item !== undefined;
}

async function hasObject(endpoints: Endpoints, Key: string): Promise<boolean> {
  const { buckets, close } = notesClients({ endpoints } as NotesCloud);
  const Bucket = String(endpoints.outputs['BucketName']);
  const found = buckets.send(new HeadObjectCommand({ Bucket, Key })).then(
    () => true,
    () => false,
  );
  return found.finally(close);
}

async function callFunction(endpoints: Endpoints): Promise<void> {
  const response = await fetch(`${endpoints.api}/image`);
  expect(response.status).toBe(200);
}

test('a clean stop leaves no process and no endpoints', async () => {
  const cloud = start();
  await callFunction(await cloud.ready());
  expect(programs().length).toBeGreaterThan(1);
  cloud.process.kill('SIGINT');
  expect(await cloud.exited).toBe(0);
  expect(existsSync(join(stateDir, 'endpoints.json'))).toBe(false);
  await eventually(async () => (programs().length === 0 ? true : undefined));
});

test('nobody but the owner reads any of its files, where everybody might', async () => {
  chmodSync(stateDir, 0o777);
  await callFunction(await start().ready());
  const names = readdirSync(stateDir, { recursive: true, encoding: 'utf8' });
  expect(names).toEqual(expect.arrayContaining(['cloud.sqlite', 'endpoints.json', 'iot/ca.key']));
  const open = ['', ...names].filter((name) => {
    const found = statSync(join(stateDir, name), { throwIfNoEntry: false });
    return found !== undefined && (found.mode & 0o077) !== 0;
  });
  // What a certificate says is for everybody; the directory above it is closed.
  expect(open.filter((name) => !name.endsWith('.crt') && !name.endsWith('.pem'))).toEqual([]);
});

test('kill -9 loses nothing, and takes functions and database with it', async () => {
  const cloud = start();
  const endpoints = await cloud.ready();
  await callFunction(endpoints);
  await writeItem(endpoints, 'NOTE#kept');
  cloud.process.kill('SIGKILL');
  await cloud.exited;
  await eventually(async () => (programs().length === 0 ? true : undefined));
  const again = await start().ready();
  expect(again.token).toBe(endpoints.token);
  expect(await hasItem(again, 'NOTE#kept')).toBe(true);
  await callFunction(again);
});

test('kill -9 and a start at once do not wait for each other', async () => {
  const first = start();
  await writeItem(await first.ready(), 'NOTE#first');
  first.process.kill('SIGKILL');
  const again = await start().ready();
  expect(await hasItem(again, 'NOTE#first')).toBe(true);
});

test('kill -9 of the database alone is mended, and its stream goes on', async () => {
  const endpoints = await start().ready();
  await writeItem(endpoints, 'NOTE#before');
  const pid = execFileSync('ps', ['-ww', '-eo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .find((line) => line.includes(join(stateDir, 'database')))
    ?.trim()
    .split(' ')[0];
  process.kill(Number(pid), 'SIGKILL');
  await eventually(async () => {
    try {
      await writeItem(endpoints, 'NOTE#after');
      return true;
    } catch {
      return undefined;
    }
  });
  expect(await hasItem(endpoints, 'NOTE#before')).toBe(true);
  await eventually(async () =>
    (await hasObject(endpoints, 'notes/NOTE#after')) ? true : undefined,
  );
});

test('the data moves to other ports', async () => {
  const first = start();
  await writeItem(await first.ready(), 'NOTE#moved');
  first.process.kill('SIGTERM');
  await first.exited;
  portBase = await freePortBase();
  const again = await start().ready();
  expect(again.aws).toBe(`http://127.0.0.1:${portBase}`);
  expect(await hasItem(again, 'NOTE#moved')).toBe(true);
  await callFunction(again);
});

describe('a sentence instead of a start', () => {
  async function refused(...more: string[]): Promise<string> {
    const cloud = start(...more);
    expect(await cloud.exited).toBe(1);
    expect(cloud.output()).not.toMatch(/\n\s+at /);
    return cloud.output().trim();
  }

  test('for a second instance on the same state', async () => {
    const first = start();
    await first.ready();
    const pid = String(first.process.pid);
    expect(await refused('--port-base', String(await freePortBase()))).toBe(
      `Another local cloud (process ${pid}) uses the state directory ${stateDir}; ` +
        'stop it first or choose another directory with --state DIR.',
    );
    await callFunction(readEndpoints());
  });

  test.each([0, 1, 2, 3])('for a busy port, base plus %i', async (offset) => {
    const server = createServer().listen(portBase + offset, '127.0.0.1');
    await once(server, 'listening');
    expect(await refused()).toBe(
      `Port ${portBase + offset} is used by another program; ` +
        'stop it or choose other ports with --port-base N.',
    );
    server.close();
  });

  test('for a database that cannot run here', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    const sentence = refused('--database', 'dynamodb-local');
    process.env['PATH'] = path;
    expect(await sentence).toMatch(/^The database needs Java 17/);
  });

  test('for a template that is not there', async () => {
    expect(await refused('--stack', 'Nothing')).toMatch(/There is no template .*Nothing/);
  });

  test('for an argument that does not exist', async () => {
    expect(await refused('--colour', 'red')).toMatch(/--colour/);
  });
});
