import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Execution, Job, Page, ScheduleRun } from '../../../core/contract/resources.ts';
import { findPython } from '../../../scripts/setup/python-tools.mjs';
import { type Ended, runClient } from '../cli/client.ts';
import { makeProduct, type Product } from '../product.ts';
import { askApi, root, until } from '../start/stage.ts';

/**
 * A day's work of somebody who uses Edgewise: a film over a directory of files on three edges, one
 * of which only has HTTPS, a sweep over a table, a job of every night, a look at what runs, a
 * receiver that is notified of each end; and the film again by a program in two languages.
 */
const scenes = 200;
const values = 1_000;
const programLinesMax = 15;
/** A minute each on a machine of its own, all of it: this is for one with much else to do. */
const timeout = 400_000;

let product: Product;
let receiver: Server;
const received: string[] = [];
const python = findPython();

beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  const more = ['--quiet', '--executor', 'process'];
  product.startAgent('one', ...more);
  product.startAgent('two', ...more);
  product.startAgent('polling', ...more, '--transport', 'http');
  await product.untilConnected(3);
  await hearOfEnds();
  await makeNightly();
  const { directory } = product.place;
  mkdirSync(join(directory, 'scenes'));
  for (let at = 0; at < scenes; at++)
    writeFileSync(join(directory, 'scenes', `${at}`), sceneOf(at));
});
afterAll(async () => {
  receiver.close();
  await product.remove();
});

const seed = randomBytes(1_000);
const sceneOf = (at: number): Buffer => Buffer.concat([Buffer.from(`scene ${at}\n`), seed]);
const frameOf = (at: number): Buffer => Buffer.concat([sceneOf(at), Buffer.from(`frame ${at}\n`)]);
const script = '{ cat "scenes/$1"; echo "frame $1"; } > "frame-$1"';
const render = ['sh', '-c', script, 'sh', '{chunk}'];

async function client(...words: string[]): Promise<Ended> {
  const ended = await runClient(product.place.directory, ...words);
  expect(ended.code, ended.err).toBe(0);
  return ended;
}

async function hearOfEnds(): Promise<void> {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    received.push(JSON.parse(body).id);
    response.writeHead(204).end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/ended`;
  await client('webhook', 'create', url, '--kinds', 'job.done,job.failed,job.cancelled');
}

/** In some zone it is about to be three o'clock at night. */
async function makeNightly(): Promise<void> {
  const next = new Date(Date.now() + 65_000);
  const shift = ((3 - next.getUTCHours() + 36) % 24) - 12;
  // Names of these zones have the sign of what is added to have UTC.
  const zone = shift === 0 ? 'UTC' : `Etc/GMT${shift > 0 ? '-' : '+'}${Math.abs(shift)}`;
  const cron = `${next.getUTCMinutes()} 3 * * *`;
  const what = ['--outputs', 'report', '--', 'sh', '-c', 'date -u > report'];
  await client('schedule', 'create', 'nightly', '--cron', cron, '--timezone', zone, ...what);
}

function expectFilm(directory: string, name: (at: number) => string): void {
  for (let at = 0; at < scenes; at++) {
    const frame = readFileSync(join(directory, String(at), name(at)));
    expect(frame.equals(frameOf(at)), `frame ${at}`).toBe(true);
  }
}

test('a film over files: three edges, every frame byte for byte', { timeout }, async () => {
  const { directory } = product.place;
  const size = ['--chunks', String(scenes), '--input', 'scenes/'];
  const film = ['--outputs', 'frame-{chunk}', '--pull', '--', ...render];
  const job = (await client('submit', '--name', 'film', ...size, ...film)).out.trim();
  expect(readdirSync(join(directory, job))).toHaveLength(scenes);
  expectFilm(join(directory, job), (at) => `frame-${at}`);
  const { items } = await askApi<Page<Execution>>(product.place, `/v1/jobs/${job}/executions`);
  expect(items.map(({ edge }) => edge).sort()).toEqual(['one', 'polling', 'two']);
});

test('a thousand values of a table, and their results as one', { timeout }, async () => {
  const { directory } = product.place;
  const rows = Array.from({ length: values }, (_, at) => `${at},${at * 7}`);
  writeFileSync(join(directory, 'values.csv'), `number,factor\n${rows.join('\n')}\n`);
  const each = ['--each-csv', 'values.csv', '--outputs', 'product'];
  const words = ['sh', '-c', 'echo "$1,$(($1 * $2))" > product', 'sh', '{number}', '{factor}'];
  const job = (await client('submit', '--name', 'sweep', ...each, '--pull', '--', ...words)).out;
  const table = Array.from({ length: values }, (_, at) =>
    readFileSync(join(directory, job.trim(), String(at), 'product'), 'utf8'),
  );
  expect(table.join('')).toBe(rows.map((_, at) => `${at},${at * at * 7}\n`).join(''));
});

test('what runs is followed while it runs', async () => {
  const go = join(product.place.directory, 'go');
  const prints = `echo begun; while [ ! -e '${go}' ]; do sleep 0.1; done; echo over`;
  const run = { process: { argv: ['sh', '-c', prints] } };
  const { id } = await product.submit({ name: 'followed', chunks: 1, run });
  await product.jobWhen(id, 'running', ({ status }) => status.state === 'running');
  const following = client('logs', '-f', id);
  await until('it is seen', async () => (await client('logs', id, '0')).out === 'begun\n');
  writeFileSync(go, '');
  expect((await following).out).toBe('begun\nover\n');
  await product.done(id);
});

const inTypeScript = `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Edgewise } from 'edgewise-client';
const edgewise = new Edgewise({ url: process.env.EDGEWISE_API, token: process.env.EDGEWISE_TOKEN });
const tree = await Promise.all(readdirSync('scenes').map(async (path) => {
  const bytes = readFileSync('scenes/' + path);
  return { path, bytes: bytes.length, ...(await edgewise.put(bytes)) };
}));
const { sha256: manifest } = await edgewise.put(Buffer.from(JSON.stringify(tree)));
const run = { process: { argv: JSON.parse(process.argv[2]) } };
const more = { inputs: [{ path: 'scenes/', manifest }], outputs: { paths: ['frame-*'] } };
const { id } = await edgewise.submit({ chunks: tree.length, run, ...more });
const { status } = await edgewise.wait(id);
for await (const file of edgewise.pull(id)) writeFileSync('ts-' + file.chunk, await file.read());
console.log(status.state);`;

const inPython = `
import json, sys, edgewise
from pathlib import Path
client = edgewise.Client()
scenes = list(Path("scenes").iterdir())
tree = [{"path": each.name, "sha256": client.put(each), "bytes": each.stat().st_size}
        for each in scenes]
inputs = [{"path": "scenes/", "manifest": client.put(json.dumps(tree).encode())}]
run = {"process": {"argv": json.loads(sys.argv[1])}}
job = client.submit({"chunks": len(tree), "inputs": inputs, "run": run,
                     "outputs": {"paths": ["frame-*"]}})
ended = client.wait(job["id"])
client.pull(job["id"], "python")
print(ended["status"]["state"])`;

/** Beside what this process does itself: the receiver answers meanwhile. */
async function runProgram(
  program: string,
  words: readonly string[],
  more: NodeJS.ProcessEnv,
): Promise<string> {
  const { api, token } = product.place.endpoints()!;
  const address = { EDGEWISE_API: api, EDGEWISE_TOKEN: token ?? '', PATH: process.env.PATH };
  const place = { cwd: product.place.directory, env: { ...address, ...more } };
  const { stdout } = await promisify(execFile)(program, words, place);
  return stdout;
}

const linesOf = (program: string): number => program.trim().split('\n').length;

test('the same by a program of the TypeScript client', { timeout }, async () => {
  const { directory } = product.place;
  const outdir = join(directory, 'node_modules', 'edgewise-client');
  mkdirSync(outdir, { recursive: true });
  const build = [join(root, 'scripts', 'build-client.ts'), '--outdir', outdir];
  await runProgram(process.execPath, build, {});
  const file = join(directory, 'film.mjs');
  writeFileSync(file, inTypeScript);
  const printed = await runProgram(process.execPath, [file, JSON.stringify(render)], {});
  expect(printed).toBe('done\n');
  for (let at = 0; at < scenes; at++) {
    expect(readFileSync(join(directory, `ts-${at}`)).equals(frameOf(at))).toBe(true);
  }
  expect(linesOf(inTypeScript)).toBeLessThan(programLinesMax);
});

test('the same by a program of the Python client', { timeout }, async ({ skip }) => {
  if (python === undefined) return skip('there is no Python 3.10 or newer here');
  const { directory } = product.place;
  const file = join(directory, 'film.py');
  writeFileSync(file, inPython);
  const path = join(root, 'clients', 'python');
  const env = { PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' };
  expect(await runProgram(python, [file, JSON.stringify(render)], env)).toBe('done\n');
  expectFilm(join(directory, 'python'), (at) => `frame-${at}`);
  expect(linesOf(inPython)).toBeLessThan(programLinesMax);
});

test('the job of the night was made when its time came', async () => {
  const runs = () => askApi<Page<ScheduleRun>>(product.place, '/v1/schedules/nightly/runs');
  const made = await until('it is made', async () => (await runs()).items[0], 150_000);
  expect(made).toMatchObject({ outcome: 'made', job: expect.stringMatching(/^nightly-/) });
  await product.done(made.job ?? '');
  const shown = await client('schedule', 'get', 'nightly', '-o', 'json');
  const { next } = JSON.parse(shown.out);
  expect(next).toHaveLength(5);
  const dayMs = 86_400_000;
  expect(next.map((at: string) => Date.parse(at) - Date.parse(made.at))).toEqual(
    [1, 2, 3, 4, 5].map((day) => day * dayMs),
  );
});

type Events = { readonly items: readonly { readonly id: string }[]; readonly cursor: string };

/** A page may have none of them and yet not be the last. */
async function endsInLog(): Promise<string[]> {
  const path = '/v1/events?kinds=job.done,job.failed,job.cancelled';
  const ids: string[] = [];
  for (let after = '', page: Events; ; after = page.cursor) {
    const from = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    page = await askApi<Events>(product.place, `${path}${from}`);
    ids.push(...page.items.map(({ id }) => id));
    if (page.cursor === after) return ids;
  }
}

test('the receiver got each end, once and in their order', async () => {
  const jobs = (await askApi<Page<Job>>(product.place, '/v1/jobs?limit=100')).items;
  // The log is a moment behind the last job.
  const happened = await until('each has its end in the log', async () => {
    const ids = await endsInLog();
    return ids.length >= jobs.length ? ids : null;
  });
  expect(happened).toHaveLength(jobs.length);
  await until('all have come', () => received.length >= happened.length);
  expect(received).toEqual(happened);
});
