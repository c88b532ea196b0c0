/** Secrets are generated as the template asks, once. */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Json } from '../../../assembly/assembly.ts';
import { readerOf } from '../../../assembly/property.ts';
import { openStore, type StateStore } from '../../../engine/state-store.ts';
import { secretStore } from '../../../services/secrets/store.ts';
import { temporaryDir } from '../../temporary-dir.ts';

const account = { region: 'eu-west-1', stack: 'S' };
let stateDir: string;
let store: StateStore;

beforeEach(() => {
  stateDir = temporaryDir();
  store = openStore(stateDir);
});

afterEach(() => {
  store.close();
  rmSync(stateDir, { recursive: true });
});

function generated(name: string, options: Json): string {
  const secrets = secretStore(account, store);
  secrets.ensure(name, { value: undefined, generate: readerOf(options, 'At') });
  return secrets.find(name)?.value ?? '';
}

test('the same name keeps its value over restarts', () => {
  const first = generated('a', {});
  store.close();
  store = openStore(stateDir);
  expect(generated('a', {})).toBe(first);
  expect(generated('b', {})).not.toBe(first);
});

test('length and alphabet follow the template', () => {
  expect(generated('a', {})).toHaveLength(32);
  expect(generated('b', { PasswordLength: 64, ExcludePunctuation: true })).toMatch(
    /^[A-Za-z0-9]{64}$/,
  );
  expect(generated('c', { ExcludePunctuation: true, ExcludeCharacters: 'abcdefABCDEF' })).toMatch(
    /^[g-zG-Z0-9]{32}$/,
  );
});

test('a secret can be a key in a document', () => {
  const options = { SecretStringTemplate: '{"user":"u"}', GenerateStringKey: 'password' };
  expect(JSON.parse(generated('a', options))).toEqual({ user: 'u', password: expect.any(String) });
});

test('a secret is found by name, by ARN and by the ARN without its end', () => {
  const secrets = secretStore(account, store);
  const arn = secrets.ensure('a', { value: 'v', generate: undefined });
  expect([arn, arn.slice(0, -7), 'a'].map((id) => secrets.find(id)?.value)).toEqual([
    'v',
    'v',
    'v',
  ]);
  expect(secrets.find('nobody')).toBeUndefined();
});
