import { expect, test } from 'vitest';
import { edgePowerDefault } from '../../../core/model/limits.ts';
import { parseAgentOptions, UsageError } from '../../../edge-agent/program/agent-options.ts';

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
    transport: 'mqtt',
    policyFile: null,
    drawPower: false,
    quiet: false,
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
  };
  expect(parse('', env)).toMatchObject({
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
  [`--name e --api ${api} --transport pigeon`, '--transport is mqtt or http, not "pigeon"'],
  [`--name e --api ${api} --colour red`, "Unknown option '--colour'"],
])('%j is refused in words', (words, sentence) => {
  expect(() => parse(words)).toThrow(UsageError);
  expect(() => parse(words)).toThrow(sentence);
});
