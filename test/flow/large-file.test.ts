import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filePartBytes } from '../../core/files/limits.ts';
import { type Client, runClient } from './cli/client.ts';
import { makeProduct, type Product } from './product.ts';
import { until } from './start/stage.ts';

/** A gigabyte to an edge and back: nobody holds it in memory, and a killed agent goes on. */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
});
afterAll(() => product.remove());

const bytes = 1024 ** 3;
/** More than a program of ours comes to, and far less than the file. */
const residentBytesMax = 400 * 1024 ** 2;
const waitMsMax = 120_000;

/** The most memory that each process of the stage has had so far. */
function peaks(directory: string, into: Map<string, number>): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const isOurs = `${readlinkSync(`/proc/${pid}/cwd`)} ${line}`.includes(directory);
      const most = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      if (isOurs && most !== undefined) {
        into.set(`${pid} ${line.slice(0, 150)}`, Number(most) * 1024);
      }
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function digestOf(path: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  return sum.digest('hex');
}

/** Files below a directory, each with its size and its time. */
function filesIn(directory: string): Map<string, { size: number; mtimeMs: number }> {
  if (!existsSync(directory)) return new Map();
  const names = readdirSync(directory, { recursive: true }).map(String);
  const found = names.map((name) => [name, statSync(join(directory, name))] as const);
  return new Map(found.filter(([, stat]) => stat.isFile()));
}

async function kill(agent: Client): Promise<void> {
  agent.process.kill('SIGKILL');
  await agent.ended;
}

test('a gigabyte goes to an edge and comes back, over a kill in the middle of each', async () => {
  const { directory, state } = product.place;
  const make = `head -c ${bytes} /dev/urandom > large`;
  expect(spawnSync('sh', ['-c', make], { cwd: directory }).status).toBe(0);
  const start = () => product.startAgent('edge', '--quiet', '--executor', 'process');
  const first = start();
  await product.untilConnected(1);
  const seen = new Map<string, number>();
  const sampling = setInterval(() => peaks(directory, seen), 200);
  const ask = ['--chunks', '1', '--input', 'large', '--outputs', 'copy', '--pull'];
  const asked = runClient(directory, 'submit', ...ask, '--', 'cp', 'large', 'copy');
  try {
    const parts = join(directory, 'agents', 'edge', 'edge', 'cache', 'parts');
    const here = () => [...filesIn(parts).values()][0]?.size ?? 0;
    await until('the edge fetches it', async () => here() > bytes / 8, waitMsMax);
    await kill(first);
    const fetched = here();
    expect(fetched).toBeLessThan(bytes);
    const second = start();
    const uploads = join(state, 'queues', 'uploads');
    const sent = () => [...filesIn(uploads)].filter(([, { size }]) => size === filePartBytes);
    let least = fetched;
    const stored = async () => {
      least = Math.min(least, here() || fetched);
      return sent().length >= 3;
    };
    await until('the edge sends it', stored, waitMsMax);
    expect(least).toBe(fetched);
    await kill(second);
    const before = sent();
    expect(before.length).toBeLessThan(bytes / filePartBytes);
    start();
    expect(await asked, (await asked).err).toMatchObject({ code: 0 });
    const objects = filesIn(join(state, 'queues', 'objects'));
    for (const [name, { mtimeMs }] of before) expect(objects.get(name)?.mtimeMs).toBe(mtimeMs);
  } finally {
    clearInterval(sampling);
  }
  const copy = join(directory, (await asked).out.trim(), '0', 'copy');
  const [given, back] = await Promise.all([join(directory, 'large'), copy].map(digestOf));
  expect(back).toBe(given);
  expect(seen.size).toBeGreaterThan(3);
  for (const [line, most] of seen) {
    expect(most, line).toBeLessThan(residentBytesMax);
  }
}, 600_000);
