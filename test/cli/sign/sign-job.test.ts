import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../../../cli/run.ts';
import { parseRanges } from '../../../core/model/ranges.ts';
import { parseAgentSpec } from '../../../edge-agent/disk/spec-store.ts';
import { parseSigners } from '../../../edge-agent/host/job-signature.ts';
import { adminSecret, type ServedFleet, startServedFleet } from '../api/served-fleet.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

let api: ServedFleet;
let directory: string;
beforeEach(async () => {
  api = await startServedFleet();
  directory = mkdtempSync(join(tmpdir(), 'edgewise-sign-'));
});
afterEach(async () => {
  await api.close();
  rmSync(directory, { recursive: true });
});

async function edgewise(...words: string[]) {
  const env = { EDGEWISE_API: api.url, EDGEWISE_TOKEN: adminSecret };
  const terminal = scriptedTerminal({ directory, env, startMs: api.nowMs(), pass: api.pass });
  return { code: await run(words, terminal), out: terminal.data(), said: terminal.talk() };
}

const write = (name: string, body: object): void =>
  writeFileSync(join(directory, name), JSON.stringify(body));

async function judge(publicKey: string, job: string): Promise<string | null> {
  const { json } = await api.api.request('GET', `/v1/jobs/${job}/spec`);
  const spec = parseAgentSpec(json)!;
  return parseSigners({ someone: publicKey }).refusalOf(spec, parseRanges(`0-${spec.chunks - 1}`)!);
}

test('a new key is its owner’s alone, and nothing private is ever printed', async () => {
  const made = await edgewise('sign', '--new-key', 'key.pem');
  expect(made.code).toBe(0);
  expect(made.out).toMatch(/^[A-Za-z0-9_-]{43}\n$/);
  expect(statSync(join(directory, 'key.pem')).mode & 0o777).toBe(0o600);
  const secret = readFileSync(join(directory, 'key.pem'), 'utf8');
  expect(secret).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  write('job.json', { chunks: 2, run: { process: { argv: ['true'] } } });
  const printed = [made, await edgewise('sign', '--key', 'key.pem')];
  expect(printed[1]!.out).toBe(made.out);
  printed.push(await edgewise('sign', '--key', 'key.pem', 'job.json'));
  const body = secret.split('\n')[1]!;
  for (const { out, said } of printed) expect(out + said).not.toContain(body.slice(-43));
  const again = await edgewise('sign', '--new-key', 'key.pem');
  expect([again.code, readFileSync(join(directory, 'key.pem'), 'utf8')]).toEqual([5, secret]);
});

test('a key that others can read is not used', async () => {
  await edgewise('sign', '--new-key', 'key.pem');
  chmodSync(join(directory, 'key.pem'), 0o640);
  const { code, said } = await edgewise('sign', '--key', 'key.pem');
  expect([code, said]).toEqual([2, expect.stringContaining('chmod 600 key.pem')]);
});

const inputs = [{ path: 'data/', sha256: 'b'.repeat(64) }];
const process = { argv: ['work', '{chunk}'], env: { MODE: 'fast' } };

/** Whatever the API fills in, stores and answers, an edge finds what was signed. */
test.each([
  ['as little as possible', { run: { process: { argv: ['true'] } } }],
  ['divided power', { power: 10, chunks: 3, run: { process } }],
  [
    'everything',
    { chunks: 2, resources: { gpus: 1 }, run: { process }, outputs: { paths: ['*'] } },
  ],
  ['a container', { run: { container: { image: 'alpine:3' } } }],
  ['a batch of Slurm', { run: { slurm: { argv: ['x'], options: ['--exclusive'] } } }],
  ['simulated work', { chunks: 3 }],
  [
    'a sweep',
    { run: { process: { argv: ['{a}'] } }, params: { matrix: { b: [2.5], a: [true, 'x'] } } },
  ],
  [
    'a service',
    {
      kind: 'service',
      run: { process },
      ports: [{ name: 'web' }],
      ready: { http: { port: 'web' } },
    },
  ],
  ['one everywhere', { kind: 'everywhere', run: { process }, restart: { policy: 'never' } }],
  ['a part', { run: { process }, chunkOffsets: { numbers: '3-4', total: 9, job: 'all' } }],
])('a signature survives submission: %s', async (_, body) => {
  const publicKey = (await edgewise('sign', '--new-key', 'key.pem')).out.trim();
  write('job.json', body);
  const signed = await edgewise('sign', '--key', 'key.pem', '--for', '1d', 'job.json');
  expect(signed.said).toBe('');
  writeFileSync(join(directory, 'signed.json'), signed.out);
  expect(JSON.parse(signed.out)).toMatchObject({
    ...body,
    signature: { key: publicKey, until: '2026-01-02T12:00:00Z' },
  });
  const submitted = await edgewise('submit', '--file', 'signed.json');
  expect(submitted.said).toContain('edgewise watch');
  expect(await judge(publicKey, submitted.out.trim())).toBeNull();
  const other = (await edgewise('sign', '--new-key', 'other.pem')).out.trim();
  expect(await judge(other, submitted.out.trim())).toMatch(/not trusted/);
});

test('a job is signed while it is submitted, with all that the flags add to it', async () => {
  const publicKey = (await edgewise('sign', '--new-key', 'key.pem')).out.trim();
  writeFileSync(join(directory, 'data.txt'), 'data');
  const words = ['--chunks', '2', '--matrix', 'lr=1,2', '--input', 'data.txt', '--sign', 'key.pem'];
  const { out, said } = await edgewise('submit', ...words, '--', 'train', '{lr}');
  expect(said).toContain('edgewise watch');
  expect(await judge(publicKey, out.trim())).toBeNull();
});

test('what an API would decide is not signed', async () => {
  await edgewise('sign', '--new-key', 'key.pem');
  const sign = async (body: object) => {
    write('job.json', body);
    const { code, said } = await edgewise('sign', '--key', 'key.pem', 'job.json');
    return [code, said];
  };
  expect(await sign({ power: 500 })).toEqual([2, expect.stringContaining('Add "chunks"')]);
  const params = { file: 'a'.repeat(64) };
  expect(await sign({ params })).toEqual([2, expect.stringContaining('from a file')]);
  expect(await sign({ inputs, power: 'x' })).toEqual([2, expect.stringContaining('/power')]);
});

test.each([
  [[], 'Give either --key or --new-key'],
  [['--key', 'none.pem'], 'The key none.pem does not exist'],
  [['--key', 'job.json'], 'holds no private key'],
  [['--key', 'none.pem', '--for', '1d'], '--for is about a job'],
  [['--new-key', 'new.pem', '--for', '99999d', 'job.json'], 'more than ten years'],
])('%j is refused in words', async (words, sentence) => {
  write('job.json', { chunks: 1 });
  chmodSync(join(directory, 'job.json'), 0o600);
  const { code, said } = await edgewise('sign', ...words);
  expect([code, said]).toEqual([2, expect.stringContaining(sentence)]);
});
