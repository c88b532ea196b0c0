/**
 * Power cuts under load: the whole local cloud is killed while notes are written, again and again.
 * Every acknowledged note must be in the table, and must have gone its way through stream and queue
 * in the end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { engineFlags } from '../engine.ts';
import { type NotesClients, notesClients } from '../notes-clients.ts';
import { eventually, freePortBase, type NotesCloud, notesDir } from '../notes-cloud.ts';
import { temporaryDir } from '../temporary-dir.ts';

const main = join(import.meta.dirname, '..', '..', 'main.ts');
/** `POWER_CUTS=20` for the long run. */
const cuts = Number(process.env['POWER_CUTS'] ?? 3);
const writers = 6;
const acknowledgedPerRound = 40;

let stateDir: string;
let portBase: number;
let process_: ChildProcess | undefined;

beforeEach(async () => {
  stateDir = temporaryDir();
  portBase = await freePortBase();
});

afterEach(async () => {
  await cut();
  rmSync(stateDir, { recursive: true });
});

async function start(): Promise<NotesClients & { outputs: Record<string, string> }> {
  const more = ['--state', stateDir, '--region', 'eu-west-1', ...engineFlags];
  const args = ['--app', notesDir, '--stack', 'Notes', ...more];
  const child = spawn(process.execPath, [main, ...args, '--port-base', String(portBase)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process_ = child;
  await once(child.stdout, 'data');
  const endpoints = JSON.parse(readFileSync(join(stateDir, 'endpoints.json'), 'utf8'));
  const cloud = { endpoints, output: () => '' } as unknown as NotesCloud;
  return { ...notesClients(cloud), outputs: endpoints.outputs };
}

async function cut(): Promise<void> {
  if (process_ === undefined || process_.exitCode !== null) return;
  const ended = once(process_, 'exit');
  process_.kill('SIGKILL');
  await ended;
}

/**
 * Writes until enough is acknowledged; what is under way when the power goes is nobody's promise.
 */
async function writeUntil(
  write: (id: string) => Promise<void>,
  round: number,
  acknowledged: Set<string>,
): Promise<void> {
  let next = 0;
  const target = acknowledged.size + acknowledgedPerRound;
  const writer = async (): Promise<void> => {
    while (acknowledged.size < target) {
      next += 1;
      const id = `${round}-${next}`;
      try {
        await write(id);
        acknowledged.add(id);
      } catch {
        // A refusal on a busy machine is no end: only the power is.
        if (process_?.killed !== false) return;
      }
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
}

async function all(clients: NotesClients, TableName: string): Promise<Set<string>> {
  const { Items } = await clients.database.send(
    new ScanCommand({ TableName, ConsistentRead: true }),
  );
  return new Set((Items ?? []).map((item) => item['PK']?.S?.replace('NOTE#', '') ?? ''));
}

async function arrived(clients: NotesClients, Bucket: string): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const page of paginateListObjectsV2({ client: clients.buckets }, { Bucket })) {
    for (const { Key } of page.Contents ?? [])
      names.add(Key?.replace(/^notes\/(NOTE#)?/, '') ?? '');
  }
  return names;
}

test(`${cuts} power cuts under load lose nothing that was acknowledged`, async () => {
  const notes = new Set<string>();
  const messages = new Set<string>();
  for (let round = 0; round < cuts; round += 1) {
    const { database, queues, outputs, close } = await start();
    const api = `http://127.0.0.1:${portBase + 1}/notes`;
    const headers = { authorization: 'friend', 'content-type': 'application/json' };
    const work = Promise.all([
      writeUntil(
        async (id) => {
          const body = JSON.stringify({ id, text: 't' });
          const { status } = await fetch(api, { method: 'POST', headers, body });
          if (status !== 201) throw new Error(String(status));
        },
        round,
        notes,
      ),
      writeUntil(
        async (id) => {
          const MessageBody = JSON.stringify({ key: `message-${id}`, text: 't' });
          const QueueUrl = outputs['QueueUrl'];
          await queues.send(new SendMessageCommand({ QueueUrl, MessageBody }));
        },
        round,
        messages,
      ),
    ]);
    const enough = notes.size + acknowledgedPerRound / 2;
    await eventually(async () => (notes.size >= enough ? true : undefined), 25_000);
    await cut();
    await work;
    database.destroy();
    close();
  }
  const clients = await start();
  const stored = await all(clients, clients.outputs['TableName'] ?? '');
  expect([...notes].filter((id) => !stored.has(id))).toEqual([]);
  const expected = [...notes, ...[...messages].map((id) => `message-${id}`)];
  const missing = await eventually(async () => {
    const objects = await arrived(clients, clients.outputs['BucketName'] ?? '');
    const left = expected.filter((id) => !objects.has(id));
    return left.length === 0 ? left : undefined;
  }, 25_000);
  expect(missing).toEqual([]);
  clients.close();
}, 300_000);
