/** The command line: what stands when nothing is said, and the sentence for what is wrong. */
import { expect, test } from 'vitest';
import { parseArguments, usage } from '../arguments.ts';
import { StartFailure } from '../failure.ts';

test('without a word it runs the only stack of cdk.out', () => {
  expect(parseArguments([])).toEqual({
    app: 'cdk.out',
    stack: undefined,
    portBase: 4566,
    stateDir: '.edgewise-local',
    region: 'us-east-1',
    engine: undefined,
    streamShards: 1,
    parameters: {},
    files: {},
    allowedHosts: [],
  });
});

test('what is said is taken', () => {
  const words = ['--app', 'out', '--stack', 'Shop', '--state', 'kept', '--port-base', '9000'];
  const more = ['--parameter', 'A=1', '--parameter', 'B=x=y', '--files', 'PageBucket=dist'];
  const hosts = ['--allow-host', 'box.example', '--allow-host', 'tunnel'];
  expect(parseArguments([...words, ...more, ...hosts])).toMatchObject({
    app: 'out',
    stack: 'Shop',
    stateDir: 'kept',
    portBase: 9000,
    parameters: { A: '1', B: 'x=y' },
    files: { PageBucket: 'dist' },
    allowedHosts: ['box.example', 'tunnel'],
  });
});

test.each(['0', '17', 'four'])('%s is no number of shards', (text) => {
  const sentence = '--stream-shards takes a number from 1 to 16.';
  expect(() => parseArguments(['--stream-shards', text])).toThrow(new StartFailure(sentence));
});

test('help names every flag', () => {
  expect(parseArguments(['--port-base', 'x', '-h'])).toBeUndefined();
  const flags = [
    'app',
    'stack',
    'state',
    'port-base',
    'region',
    'database',
    'stream-shards',
    'parameter',
    'files',
  ];
  for (const flag of [...flags, 'allow-host']) expect(usage).toContain(`  --${flag} `);
});

test.each([
  [['--colour', 'red'], "Unknown option '--colour'. See --help."],
  [['cdk.out'], "Unexpected argument 'cdk.out'. See --help."],
  [['--port-base', 'x'], '--port-base takes a number from 1 to 65000.'],
  [['--port-base', '0'], '--port-base takes a number from 1 to 65000.'],
  [['--database', 'mysql'], '--database takes dynoxide or dynamodb-local.'],
  [['--allow-host', 'a:80'], '--allow-host takes a name without port and path, not "a:80".'],
  [['--parameter', 'A'], '--parameter takes Name=Value, not "A".'],
])('%j is a sentence', (words, sentence) => {
  expect(() => parseArguments(words)).toThrow(new StartFailure(sentence));
});
