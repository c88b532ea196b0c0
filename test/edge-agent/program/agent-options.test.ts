import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { edgePowerDefault } from '../../../core/model/limits.ts';
import { parseAgentOptions } from '../../../edge-agent/program/agent-options.ts';
import { UsageError } from '../../../edge-agent/program/usage-error.ts';
import { makeDirectory } from '../agent-runner.ts';

const api = 'https://api.example.com';
const parse = (words: string, env: Record<string, string> = {}) =>
  parseAgentOptions(words.split(' ').filter(Boolean), { HOME: '/home/ann', ...env });

test('a name and an address are enough', () => {
  expect(parse(`--name edge-1 --api ${api}`)).toEqual({
    names: ['edge-1'],
    api,
    enrolToken: null,
    pool: null,
    power: edgePowerDefault,
    labels: {},
    executors: null,
    dataDirectory: '/home/ann/.local/state/edgewise/edge-1',
    workDirectory: null,
    address: null,
    cacheBytes: null,
    chunkUser: null,
    transport: 'mqtt',
    mqttEndpoint: null,
    pull: null,
    downstream: null,
    edgeSecret: null,
    policyFile: null,
    drawPower: false,
    quiet: false,
    log: { format: 'text', level: 'info' },
    metrics: null,
  });
});

test('the environment says what the flags do not, and a flag wins', () => {
  const env = {
    EDGE_NAME: 'from-env',
    EDGE_COUNT: '2',
    EDGE_POWER: '40',
    EDGEWISE_API: api,
    EDGEWISE_ENROL_TOKEN: 'secret',
    EDGEWISE_DATA: '/data',
    EDGEWISE_POOL: 'north',
    EDGEWISE_POLICY: '/etc/policy.json',
    EDGEWISE_TRANSPORT: 'http',
    EDGEWISE_MQTT_ENDPOINT: 'broker.test:8884',
  };
  expect(parse('', env)).toMatchObject({
    mqttEndpoint: 'broker.test:8884',
    names: ['from-env-0', 'from-env-1'],
    power: 40,
    enrolToken: 'secret',
    dataDirectory: '/data/from-env',
    pool: 'north',
    policyFile: '/etc/policy.json',
    transport: 'http',
  });
  const flags = '--name mine --count 1 --power measured --transport mqtt --data /mine --pool south';
  expect(parse(flags, env)).toMatchObject({
    names: ['mine-0'],
    power: null,
    transport: 'mqtt',
    dataDirectory: '/mine/mine',
    pool: 'south',
  });
});

test('a variable without a value says nothing', () => {
  const names = ['EDGE_COUNT', 'EDGE_POWER', 'EDGEWISE_ENROL_TOKEN', 'EDGEWISE_TRANSPORT'];
  const env = Object.fromEntries([...names, 'EDGEWISE_POOL'].map((name) => [name, '']));
  expect(parse(`--name edge-1 --api ${api}`, env)).toEqual(parse(`--name edge-1 --api ${api}`));
  expect(() => parse(`--api ${api}`, { EDGE_NAME: '' })).toThrow('Name the edge');
});

test('an executor that there is not is refused, and so is none at all', () => {
  for (const words of ['docker', 'process,docker', ',']) {
    expect(() => parse(`--name e --api ${api} --executor ${words}`)).toThrow(UsageError);
  }
});

test('labels and executors may be repeated', () => {
  const labels = '--label site=north --label zone=a=b';
  const words = `--name e --api ${api} ${labels} --executor process,slurm`;
  expect(parse(`${words} --executor flux`)).toMatchObject({
    labels: { site: 'north', zone: 'a=b' },
    executors: ['process', 'slurm', 'flux'],
  });
});

test('under a service manager the state is where it says', () => {
  const words = `--name e --api ${api}`;
  expect(parse(words, { STATE_DIRECTORY: '/var/lib/edgewise' }).dataDirectory).toBe(
    '/var/lib/edgewise/e',
  );
  expect(parse(words, { XDG_STATE_HOME: '/state' }).dataDirectory).toBe('/state/edgewise/e');
});

test.each([
  ['', 'Name the edge'],
  ['--name Edge_1', '"Edge_1" cannot name an edge'],
  ['--name e', 'Say where the API is'],
  ['--name e --api example.com', '--api is a URL'],
  [`--name e --api ${api} --count 0`, '--count is a number from 1'],
  [`--name e --api ${api} --count many`, '--count is a number from 1'],
  [`--name e --api ${api} --power 0`, '--power is a positive number'],
  [`--name e --api ${api} --power much`, '--power is a positive number'],
  [`--name e --api ${api} --label north`, '--label is KEY=VALUE'],
  [`--name e --api ${api} --mqtt-endpoint mqtt://far.test`, '--mqtt-endpoint is HOST:PORT'],
  [`--name e --api ${api} --transport pigeon`, '--transport is mqtt or http, not "pigeon"'],
  [`--name e --api ${api} --colour red`, "Unknown option '--colour'"],
])('%j is refused in words', (words, sentence) => {
  expect(() => parse(words)).toThrow(UsageError);
  expect(() => parse(words)).toThrow(sentence);
});

test('a token comes from a file, or from one that the environment names; a flag wins', () => {
  const directory = makeDirectory();
  const file = join(directory.path, 'token');
  const other = join(directory.path, 'other');
  writeFileSync(file, 'secret\n');
  writeFileSync(other, 'two words');
  const named = { EDGEWISE_ENROL_TOKEN_FILE: file };
  const words = ['--name', 'e', '--api', api];
  const tokenOf = (more: string[], env = {}) =>
    parseAgentOptions([...words, ...more], env).enrolToken;
  try {
    expect(tokenOf(['--enrol-token-file', file])).toBe('secret');
    expect(tokenOf([], named)).toBe('secret');
    expect(tokenOf(['--enrol-token', 'mine'], named)).toBe('mine');
    expect(tokenOf([], { ...named, EDGEWISE_ENROL_TOKEN: 'theirs' })).toBe('theirs');
    expect(tokenOf(['--enrol-token-file', `${file}-gone`])).toBeNull();
    expect(() => tokenOf(['--enrol-token-file', other])).toThrow('holds more than a token');
    expect(() => tokenOf(['--enrol-token-file', directory.path])).toThrow(UsageError);
    expect(() => tokenOf(['--enrol-token-file', file, '--enrol-token', 'x'])).toThrow('not both');
  } finally {
    directory.remove();
  }
});

test('a host says where it is reached, and nothing that could stand for more', () => {
  const flags = `--name e --api ${api}`;
  expect(parse(flags, { EDGEWISE_ADDRESS: 'box.lan' }).address).toBe('box.lan');
  expect(parse(`${flags} --address 10.0.0.7`).address).toBe('10.0.0.7');
  expect(() => parse(`${flags} --address javascript:alert(1)`)).toThrow('--address');
});

test('chunks have their place where it is said, or where the service has one', () => {
  const flags = `--name e --api ${api}`;
  expect(parse(flags).workDirectory).toBeNull();
  expect(parse(flags, { CACHE_DIRECTORY: '/var/cache/edgewise' }).workDirectory).toBe(
    '/var/cache/edgewise/e',
  );
  const env = { EDGEWISE_WORK_DIR: '/scratch', CACHE_DIRECTORY: '/var/cache/edgewise' };
  expect(parse(flags, env).workDirectory).toBe('/scratch/e');
  expect(parse(`${flags} --work-dir /shared`, env).workDirectory).toBe('/shared/e');
  expect(parse(`${flags} --chunk-user none`, { EDGEWISE_CHUNK_USER: 'x' }).chunkUser).toBe('none');
});

test('an agent that takes its work by itself asks over HTTPS', () => {
  const named = `--name edge-1 --api ${api}`;
  expect(parse(`${named} --pull`)).toMatchObject({
    transport: 'http',
    pull: { max: 10, everyMs: 5_000, offers: 'pool' },
  });
  const said = parse(`${named} --pull --max 2 --every 30s --offers named`);
  expect(said.pull).toEqual({ max: 2, everyMs: 30_000, offers: 'named' });
  for (const wrong of [
    '--max 2',
    '--pull --transport mqtt',
    '--pull --max 0',
    '--pull --every x',
  ]) {
    expect(() => parse(`${named} ${wrong}`)).toThrow(UsageError);
  }
});

test('an edge that is a deployment is named where that is, and with a token of it', () => {
  const below = '--name b --executor edgewise --downstream-api https://b.test/v1';
  const token = { EDGEWISE_DOWNSTREAM_TOKEN: 'secret' };
  const of = (words: string, env = {}) => parse(words, { EDGEWISE_API: api, ...env }).downstream;
  expect(of(below, token)).toEqual({ api: 'https://b.test', token: 'secret', pool: 'default' });
  const flags = `${below} --downstream-token mine --downstream-pool gpu`;
  expect(of(flags, token)).toMatchObject({ token: 'mine', pool: 'gpu' });
  expect(of('--name b')).toBeNull();
  for (const wrong of [
    below,
    '--name b --executor edgewise --downstream-token x',
    '--name b --downstream-token x',
    `${flags} --executor process`,
    `${flags} --pull`,
    `${flags} --downstream-token-file f`,
    `${below} --downstream-token x --downstream-pool NO`,
  ]) {
    expect(() => of(wrong), wrong).toThrow(UsageError);
  }
});
