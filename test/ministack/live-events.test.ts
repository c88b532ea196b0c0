import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startClient } from '../flow/cli/client.ts';
import { until } from '../flow/start/stage.ts';
import { ask, clientEnvironment, emulator, firstRegion, standing } from './emulated.ts';

/**
 * The address of the stream of events is there, and the emulator has no `awslambda` for a function
 * that streams its answer: whoever follows what happens has it by requests that wait.
 */
const stack = 'Edgewise-trial';
const place = mkdtempSync(join(tmpdir(), 'edgewise-live-'));
afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 20 }));

test('the API sends who asks for the stream to the address of its function', async () => {
  const { api, token } = await standing(stack);
  const headers = { authorization: `Bearer ${token}` };
  const way = `${api}/v1/events/stream?after=now`;
  const answer = await fetch(way, { headers, redirect: 'manual' });
  expect(answer.status).toBe(307);
  const address = new URL(answer.headers.get('location')!);
  const [id, ...rest] = address.hostname.split('.');
  expect(rest.join('.')).toBe(`lambda-url.${firstRegion}.on.aws`);
  const there = `${emulator.url}/_aws/lambda-url/${id}${address.pathname}${address.search}`;
  const refused = await fetch(there, { headers });
  expect([refused.status, await refused.text()]).toEqual([502, expect.stringContaining('rror')]);
});

test('the command line follows a job all the same', async () => {
  const { api, token } = await standing(stack);
  const { cursor } = await ask<{ cursor: string }>({ api, token }, '/v1/events?after=now');
  const kinds = ['--kinds', 'job.submitted,job.cancelled'];
  const words = ['events', '-f', ...kinds, '--after', cursor, '-o', 'json'];
  const env = { ...clientEnvironment, EDGEWISE_API: api, EDGEWISE_TOKEN: token };
  const client = startClient(place, words, env);
  const seen = (id: string) => client.text().includes(id);
  const { id } = await ask<{ id: string }>({ api, token }, '/v1/jobs', { power: 1 });
  try {
    await until('the job is seen', async () => seen(id));
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${api}/v1/jobs/${id}`, { method: 'DELETE', headers });
    await until('its end is seen', async () => client.text().includes('job.cancelled'));
  } finally {
    client.process.kill('SIGKILL');
    await client.ended;
  }
});
