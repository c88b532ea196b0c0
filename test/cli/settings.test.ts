import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contextPath, writeContexts } from '../../cli/config/context-file.ts';
import { accessOf, resolveSettings } from '../../cli/settings.ts';
import { scriptedTerminal } from './scripted-terminal.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'edgewise-settings-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const none = { api: undefined, token: undefined, context: undefined };
const terminalWith = (env: Record<string, string> = {}) =>
  scriptedTerminal({ directory: home, env });

function runLocalCloud(): void {
  mkdirSync(join(home, '.edgewise'), { recursive: true });
  const endpoints = { api: 'http://local.test', token: 'local', pid: 1 };
  writeFileSync(join(home, '.edgewise', 'endpoints.json'), JSON.stringify(endpoints));
}

function storeContext(): void {
  const lab = { api: 'http://lab.test', token: 'lab' };
  writeContexts(terminalWith(), { current: 'lab', contexts: { lab } });
}

test('flag before environment before context before the local cloud', () => {
  runLocalCloud();
  expect(resolveSettings(none, terminalWith())).toMatchObject({
    api: 'http://local.test',
    token: 'local',
  });
  storeContext();
  expect(resolveSettings(none, terminalWith())).toMatchObject({
    api: 'http://lab.test',
    token: 'lab',
  });
  const env = { EDGEWISE_API: 'http://env.test', EDGEWISE_TOKEN: 'env' };
  expect(resolveSettings(none, terminalWith(env))).toMatchObject({
    api: 'http://env.test',
    token: 'env',
  });
  const given = { ...none, api: 'http://flag.test', token: 'flag' };
  expect(resolveSettings(given, terminalWith(env))).toMatchObject({
    api: 'http://flag.test',
    token: 'flag',
  });
});

test('a stored token goes to the address it was stored for, and to no other', () => {
  storeContext();
  expect(resolveSettings({ ...none, api: 'http://evil.test' }, terminalWith()).token).toBeNull();
  expect(resolveSettings({ ...none, api: 'http://lab.test/' }, terminalWith()).token).toBe('lab');
});

test('the local cloud is found from a directory below', () => {
  runLocalCloud();
  const below = join(home, 'a', 'b');
  mkdirSync(below, { recursive: true });
  const terminal = scriptedTerminal({ directory: below });
  expect(resolveSettings(none, terminal).api).toBe('http://local.test');
});

test('a context that nobody stored is not there, whatever its name', () => {
  storeContext();
  const asked = { ...none, context: 'constructor' };
  expect(() => resolveSettings(asked, terminalWith())).toThrow('There is no context');
});

test('the file with tokens is readable by its owner only, and half of it is never seen', () => {
  storeContext();
  expect(statSync(contextPath(terminalWith())).mode & 0o777).toBe(0o600);
});

test('what is wrong is said with its source', () => {
  expect(() => accessOf(resolveSettings(none, terminalWith()), terminalWith())).toThrow(
    'No API is configured.',
  );
  expect(() => resolveSettings(none, terminalWith({ EDGEWISE_API: 'localhost:1' }))).toThrow(
    '"localhost:1" (from EDGEWISE_API) is not an address.',
  );
  expect(() => resolveSettings({ ...none, context: 'gone' }, terminalWith())).toThrow(
    'no context "gone"',
  );
  const path = contextPath(terminalWith());
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, '{"contexts":{"lab":{}}}');
  expect(() => resolveSettings(none, terminalWith())).toThrow('is not a configuration');
});
