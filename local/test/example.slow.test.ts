/**
 * The example of the README, as its reader has it: synthesized by the CDK, started by the package's
 * own command, and used over HTTP. It is the proof that an app of somebody else runs.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Endpoints } from '../endpoints-file.ts';
import { engineFlags } from './engine.ts';
import { eventually, freePortBase } from './notes-cloud.ts';
import { temporaryDir } from './temporary-dir.ts';

const packageDir = join(import.meta.dirname, '..');

let home: string;
let cloud: ChildProcess;
let endpoints: Endpoints;

beforeAll(async () => {
  home = temporaryDir();
  // Its functions find the AWS SDK as those of any project do: from their folder upwards.
  symlinkSync(join(packageDir, '..', 'node_modules'), join(home, 'node_modules'));
  execFileSync(process.execPath, [join(packageDir, 'example', 'app.ts')], {
    env: { ...process.env, CDK_OUTDIR: join(home, 'cdk.out') },
  });
  const command = join(packageDir, 'bin', 'edgewise-local.mjs');
  const where = ['--port-base', String(await freePortBase()), ...engineFlags];
  cloud = spawn(process.execPath, [command, '--app', 'cdk.out', ...where], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [cloud.stdout, cloud.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  await eventually(async () => {
    if (cloud.exitCode !== null) throw new Error(output);
    return output.includes('ready') ? true : undefined;
  });
  endpoints = JSON.parse(readFileSync(join(home, '.edgewise-local', 'endpoints.json'), 'utf8'));
});

afterAll(async () => {
  const ended = once(cloud, 'exit');
  cloud.kill('SIGINT');
  const [code] = await ended;
  rmSync(home, { recursive: true });
  expect(code).toBe(0);
});

async function order(goods: string): Promise<string> {
  const response = await fetch(`${endpoints.api}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ goods }),
  });
  const { id, state } = (await response.json()) as { id: string; state: string };
  expect([response.status, state]).toEqual([201, 'ordered']);
  return id;
}

test('an order goes from the API over table, stream and queue to being packed', async () => {
  const id = await order('books');
  const packed = await eventually(async () => {
    const response = await fetch(`${endpoints.api}/orders/${id}`);
    const found = (await response.json()) as { state: string };
    return found.state === 'packed' ? found : undefined;
  });
  expect(packed).toEqual({ id, goods: 'books', state: 'packed' });
});

test('an order that nobody made is not there', async () => {
  expect((await fetch(`${endpoints.api}/orders/none`)).status).toBe(404);
});
