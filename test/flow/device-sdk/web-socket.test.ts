/**
 * The official device SDK with MQTT over WebSocket and the keys of a role's session. It is
 * installed for this test alone, into a folder of the cache, because it brings native code of half
 * a hundred megabytes.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NotesCloud, startNotes } from '../../../local/test/notes-cloud.ts';
import {
  region,
  watcherKey,
  withWatcher,
} from '../../../local/test/services/iot/web-socket/watcher.ts';

const sdk = 'aws-iot-device-sdk-v2@1.28.0';
const program = 'web-socket-program.mjs';
const installMs = 300_000;
const execute = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const folder = join(root, 'node_modules', '.cache', 'aws-clients', 'device-sdk');

let cloud: NotesCloud;
let missing: string | null = null;

beforeAll(async () => {
  missing = await whyNotInstalled();
  if (missing !== null) return;
  copyFileSync(join(import.meta.dirname, program), join(folder, program));
  cloud = await startNotes({ edit: withWatcher });
}, installMs + 120_000);

afterAll(() => cloud?.stop());

async function whyNotInstalled(): Promise<string | null> {
  const mark = join(folder, `complete-${sdk}`);
  if (existsSync(mark)) return null;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const words = ['install', '--no-audit', '--no-fund', '--no-save', sdk];
  try {
    await execute('npm', words, { cwd: folder, timeout: installMs });
    writeFileSync(mark, '');
    return null;
  } catch (error) {
    return `${sdk} could not be installed: ${String((error as ExecFileException).stderr)}`;
  }
}

async function said(clientId: string): Promise<unknown> {
  const key = await watcherKey(cloud, 'device');
  const { hostname, port } = new URL(cloud.endpoints.aws);
  const words = [program, hostname, port, cloud.endpoints.mqtt.ca, region, clientId];
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: key.accessKeyId,
    AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
    AWS_SESSION_TOKEN: key.sessionToken,
  };
  const { stdout } = await execute(process.execPath, words, { cwd: folder, env, timeout: 60_000 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

test('an unchanged program speaks MQTT 3 and 5 with the keys of a session', async ({ skip }) => {
  if (missing !== null) return skip(missing);
  expect(await said('watcher-1')).toEqual(['by MQTT 3', 'by MQTT 5']);
}, 90_000);

test('a client id that no policy of the role allows is refused', async ({ skip }) => {
  if (missing !== null) return skip(missing);
  expect(await said('somebody')).toEqual([
    expect.stringContaining('Failed to connect'),
    expect.stringContaining('AWS_ERROR_MQTT5_CONNACK_CONNECTION_REFUSED'),
  ]);
}, 90_000);
