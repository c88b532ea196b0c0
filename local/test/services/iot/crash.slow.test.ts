/**
 * kill -9 under load, several times: every shadow update that was acknowledged, by PUBACK or by
 * HTTP, is there afterwards, and every one of them reached the queue. Each message of QoS 1 that
 * was acknowledged waits in the persistent session of a client that is away.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openJournal } from '../../../services/iot/journal.ts';
import type { Announcement } from './crash-child.ts';

type Running = Announcement & { readonly child: ChildProcess };

let folder: string;
const delivered = () => join(folder, 'delivered');
const children: ChildProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'iot-crash-'));
  writeFileSync(delivered(), '');
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<Running> {
  const script = join(import.meta.dirname, 'crash-child.ts');
  const child = spawn(process.execPath, [script, join(folder, 'state'), delivered()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, ...(JSON.parse(line.toString()) as Announcement) };
}

const connectTo = (running: Running, clientId: string, clean: boolean) =>
  mqtt.connect({
    host: '127.0.0.1',
    port: running.mqttPort,
    protocol: 'mqtts',
    protocolVersion: 4,
    ca: readFileSync(running.caPath),
    cert: readFileSync(running.operator.certPath),
    key: readFileSync(running.operator.keyPath),
    clientId,
    clean,
    reconnectPeriod: 0,
    ...{ noDelay: true },
  });

/** A client that wants every request over MQTT, and goes away. */
async function fallAsleep(running: Running): Promise<void> {
  const client = connectTo(running, 'sleeper', false);
  await client.subscribeAsync('$aws/things/+/shadow/name/prog/update', { qos: 1 });
  await client.endAsync();
}

/** The things whose requests wait for it, read from the file that a killed process left. */
function waitingThings(): Set<string> {
  const journal = openJournal(join(folder, 'state', 'iot', 'state.sqlite'), '');
  const rows = journal.database.prepare('SELECT topic FROM session_messages').all();
  journal.close();
  return new Set(rows.map(({ topic }) => String(topic).split('/')[2]!));
}

/** Writes one thing after another, alternately by MQTT and HTTP, until the process is gone. */
async function load(
  running: Running,
  round: number,
  acknowledged: Set<string>,
  enough: () => void,
) {
  const client = connectTo(running, 'operator', true);
  client.on('error', () => undefined);
  const gone = new Promise<'gone'>((resolve) => client.once('close', () => resolve('gone')));
  await once(client as unknown as NodeJS.EventEmitter, 'connect');
  for (let at = 0; ; at++) {
    const thing = `r${round}-${at}`;
    const document = JSON.stringify({ state: { reported: { n: at } } });
    const write =
      at % 2 === 0
        ? client.publishAsync(`$aws/things/${thing}/shadow/name/prog/update`, document, { qos: 1 })
        : fetch(`http://127.0.0.1:${running.port}/things/${thing}/shadow?name=prog`, {
            method: 'POST',
            body: document,
          }).then((response) => response.status);
    const outcome = await Promise.race([write.catch(() => 'gone' as const), gone]);
    if (outcome === 'gone') break;
    acknowledged.add(thing);
    if (acknowledged.size % 80 === 0) enough();
  }
  await client.endAsync(true);
}

test('nothing that was acknowledged is lost', async () => {
  const acknowledged = new Set<string>();
  for (let round = 0; round < 2; round++) {
    const running = await start();
    const exited = once(running.child, 'exit');
    if (round === 0) await fallAsleep(running);
    await load(running, round, acknowledged, () => running.child.kill('SIGKILL'));
    await exited;
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(160);
  const last = await start();
  for (const thing of acknowledged) {
    const url = `http://127.0.0.1:${last.port}/things/${thing}/shadow?name=prog`;
    expect((await fetch(url)).status, thing).toBe(200);
  }
  const reached = () => {
    const lines = readFileSync(delivered(), 'utf8').split('\n').filter(Boolean);
    return new Set(lines.map((line) => (JSON.parse(line) as { thing: string }).thing));
  };
  await expect.poll(() => [...acknowledged].filter((thing) => !reached().has(thing))).toEqual([]);
  last.child.kill('SIGKILL');
  await once(last.child, 'exit');
  const waiting = waitingThings();
  const overMqtt = [...acknowledged].filter((thing) => Number(thing.split('-')[1]) % 2 === 0);
  expect(overMqtt.filter((thing) => !waiting.has(thing))).toEqual([]);
}, 120_000);
