import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** A state directory whose cloud became ready while another start was still building. */
let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'edgewise-state-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

test('a start that comes second leaves what the first one wrote', () => {
  const endpoints = join(state, 'endpoints.json');
  writeFileSync(endpoints, JSON.stringify({ api: 'http://127.0.0.1:1', pid: process.pid }));
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'local-cloud.mjs');
  const code = `
    import { startCloud } from '${script}';
    await startCloud({ state: '${state}', portBase: 1 }).catch((error) => console.log(error.message));`;
  const words = ['--input-type=module', '-e', code];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(stdout).toMatch(/^A local cloud already runs on \S+ \(process \d+, http:\/\/127/);
  expect(existsSync(endpoints)).toBe(true);
});
