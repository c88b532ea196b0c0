import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Edgewise } from '../../clients/typescript/edgewise.ts';
import { filePartBytes } from '../../core/files/limits.ts';
import { standing } from './emulated.ts';

/** Uploads in parts on buckets that nobody here wrote: what adapters ask of S3, it answers. */
test('a file in parts is stored, gone on with, and known by its parts', async () => {
  const { api, token } = await standing('Edgewise-trial');
  const bytes = new Uint8Array(randomBytes(filePartBytes + 1_000));
  const digestOf = (part: Uint8Array) => createHash('sha256').update(part).digest('hex');
  const parts = [bytes.subarray(0, filePartBytes), bytes.subarray(filePartBytes)].map(digestOf);
  const body = { sha256: digestOf(bytes), bytes: bytes.length, parts };
  const client = new Edgewise({ url: api, token });
  const begun = await client.request('POST /v1/files', { body });
  if (!('parts' in begun)) throw new Error(`no parts: ${JSON.stringify(begun)}`);
  const [, { uploadUrl, headers }] = begun.parts as [object, (typeof begun.parts)[number]];
  const last = bytes.subarray(filePartBytes);
  expect((await fetch(uploadUrl, { method: 'PUT', headers, body: last })).status).toBe(200);
  const goneOn = await client.request('POST /v1/files', { body });
  expect('parts' in goneOn ? goneOn.parts.map(({ number }) => number) : []).toEqual([1]);
  expect((await client.put(bytes)).sha256).toBe(body.sha256);
  expect(await client.request('POST /v1/files', { body })).toMatchObject({ present: true });
  const way = { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' } as const;
  const read = await fetch(`${api}/v1/files/${body.sha256}`, way);
  const back = new Uint8Array(await (await fetch(read.headers.get('location')!)).arrayBuffer());
  expect(digestOf(back)).toBe(body.sha256);
});
