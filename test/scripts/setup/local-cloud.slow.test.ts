import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../wait-until.ts';

const execFileLater = promisify(execFile);
const script = join(import.meta.dirname, '..', '..', '..', 'scripts', 'setup', 'local-cloud.mjs');

/** A state directory whose cloud became ready while another start was still building. */
let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'edgewise-state-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

/**
 * The refusal in its words, or nothing. Not waited for in one go, because a child that ended has to
 * be taken note of.
 */
async function refusalOn(place: string): Promise<string> {
  const code = `
    import { refuseSecond } from '${script}';
    await refuseSecond('${place}').catch((error) => console.log(error.message));`;
  const words = ['--input-type=module', '-e', code];
  return (await execFileLater(process.execPath, words)).stdout;
}

test('a cloud that is on its way out is waited for, one that stays is not', async () => {
  const ending = spawn('sleep', ['0.3']);
  const endpoints = join(state, 'endpoints.json');
  writeFileSync(endpoints, JSON.stringify({ api: 'http://127.0.0.1:1', pid: ending.pid }));
  expect(await refusalOn(state)).toBe('');
  writeFileSync(endpoints, JSON.stringify({ api: 'http://127.0.0.1:1', pid: process.pid }));
  expect(await refusalOn(state)).toContain('already runs');
});

const noProc = process.platform === 'linux' ? null : 'only Linux shows how a process is';

test('one that was killed and that nobody has asked how it ended is gone', async (it) => {
  if (noProc !== null) it.skip(noProc);
  const words = 'read _ <&3 & echo $!; exec sleep 60 3<&-';
  const careless = spawn('sh', ['-c', words], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  const ofProc = (pid: number, name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
  try {
    const pid = Number(await new Promise((resolve) => careless.stdout!.once('data', resolve)));
    await waitUntil(() => ofProc(careless.pid!, 'comm') === 'sleep\n');
    (careless.stdio[3] as Writable).end('\n');
    await waitUntil(() => ofProc(pid, 'stat').includes(') Z '));
    const endpoints = join(state, 'endpoints.json');
    writeFileSync(endpoints, JSON.stringify({ api: 'http://127.0.0.1:1', pid }));
    expect(await refusalOn(state)).toBe('');
    expect(process.kill(pid, 0)).toBe(true);
  } finally {
    careless.kill('SIGKILL');
  }
});

test('a start that comes second leaves what the first one wrote', async () => {
  const endpoints = join(state, 'endpoints.json');
  writeFileSync(endpoints, JSON.stringify({ api: 'http://127.0.0.1:1', pid: process.pid }));
  const code = `
    import { startCloud } from '${script}';
    const say = (error) => console.log(error.message);
    await startCloud({ state: '${state}', portBase: 1 }).catch(say);`;
  const words = ['--input-type=module', '-e', code];
  const { stdout } = await execFileLater(process.execPath, words);
  expect(stdout).toMatch(/^A local cloud already runs on .+ \(process \d+, http:\/\/127/);
  expect(existsSync(endpoints)).toBe(true);
});
