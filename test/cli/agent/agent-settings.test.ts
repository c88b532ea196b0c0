import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentEnvironment, takeClientFlags } from '../../../cli/agent/agent-settings.ts';
import { resolveSettings } from '../../../cli/settings.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-agent-settings-'));
  mkdirSync(join(directory, '.edgewise'));
  const endpoints = { api: 'http://127.0.0.1:4567', token: 'admin', pid: process.pid };
  writeFileSync(join(directory, '.edgewise', 'endpoints.json'), JSON.stringify(endpoints));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function environmentOf(argv: readonly string[], env: Record<string, string> = {}) {
  const terminal = scriptedTerminal({ directory, env });
  const { given } = takeClientFlags(argv);
  return agentEnvironment(terminal, resolveSettings(given, terminal), given.token);
}

test('an agent beside a local cloud joins it, and keeps its state beside it', () => {
  expect(environmentOf(['--name', 'edge-1'])).toEqual({
    EDGEWISE_API: 'http://127.0.0.1:4567',
    EDGEWISE_ENROL_TOKEN: 'admin',
    EDGEWISE_DATA: join(directory, '.edgewise', 'edges'),
  });
});

test('a token that is stored for one address is not given to another', () => {
  for (const argv of [['--api', 'https://other.example'], ['--api=https://other.example']]) {
    expect(environmentOf(argv)).toEqual({ EDGEWISE_API: 'https://other.example' });
  }
});

test('flags win over the environment, and the enrol token over the token of the user', () => {
  const env = { EDGEWISE_API: 'https://one.example', EDGEWISE_ENROL_TOKEN: 'enrol' };
  expect(environmentOf([], env)).toEqual(env);
  expect(environmentOf(['--api', 'https://two.example', '--token', 'mine'], env)).toEqual({
    EDGEWISE_API: 'https://two.example',
    EDGEWISE_ENROL_TOKEN: 'mine',
  });
});

test('a file with the enrol token stands over the token of the user', () => {
  const env = { EDGEWISE_ENROL_TOKEN_FILE: '/etc/edgewise/enrol-token' };
  expect(environmentOf(['--api', 'http://127.0.0.1:4567'], env)).toEqual({
    ...env,
    EDGEWISE_API: 'http://127.0.0.1:4567',
    EDGEWISE_DATA: join(directory, '.edgewise', 'edges'),
  });
});

test('the agent is left what is its own', () => {
  const { words, given } = takeClientFlags(['--name', 'a', '--context', 'lab', '--count=2']);
  expect(words).toEqual(['--name', 'a', '--count=2']);
  expect(given).toEqual({ api: undefined, token: undefined, context: 'lab' });
  expect(() => takeClientFlags(['--name', 'a', '--token'])).toThrow('--token needs a value');
});
