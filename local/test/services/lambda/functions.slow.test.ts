/** How functions run: their environment, their limits and what is left of them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NotesClients, notesClients } from '../../notes-clients.ts';
import { eventually, type NotesCloud, startNotes } from '../../notes-cloud.ts';

let cloud: NotesCloud;
let clients: NotesClients;

beforeAll(async () => {
  cloud = await startNotes({ parameters: { Volume: 'high' } });
  clients = notesClients(cloud);
});

afterAll(async () => {
  clients.close();
  await cloud.stop();
});

function logText(): string {
  return readFileSync(join(cloud.stateDir, 'logs', `${cloud.output('Probe')}.log`), 'utf8');
}

test('the environment is that of the template, with the addresses of this machine', async () => {
  process.env['SHELL_SECRET'] = 'not for functions';
  const { answer } = await clients.probe({ do: 'environment' });
  const environment = answer as Record<string, string>;
  expect(environment['GREETING']).toBe('HELLO');
  expect(environment['AUTHORITY']).toContain('BEGIN CERTIFICATE');
  expect(environment['TABLE']).toBe(cloud.output('TableName'));
  expect(environment['AWS_REGION']).toBe('eu-west-1');
  expect(environment['AWS_ENDPOINT_URL_DYNAMODB']).toBe(cloud.endpoints.aws);
  expect(environment['AWS_LAMBDA_FUNCTION_MEMORY_SIZE']).toBe('256');
  expect(environment['SHELL_SECRET']).toBeUndefined();
});

test('one process serves one invocation after the other', async () => {
  const first = await clients.probe({ do: 'pid' });
  const second = await clients.probe({ do: 'pid' });
  expect(second.answer).toBe(first.answer);
});

test('two invocations at once get two processes, a third is throttled', async () => {
  const wait = () => clients.probe({ do: 'wait', ms: 400 });
  const throttled = async (): Promise<Error | undefined> => {
    try {
      await clients.probe({ do: 'pid' });
      return undefined;
    } catch (error) {
      return error as Error;
    }
  };
  // On a busy machine the first is over before the second's process has started: then once more.
  await eventually(async () => {
    let over = false;
    const both = Promise.all([wait(), wait()]).finally(() => {
      over = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    const third = await eventually(async () => (over ? null : await throttled()));
    const [one, two] = await both;
    if (third === null || one.answer === two.answer) return undefined;
    expect(third.name).toBe('TooManyRequestsException');
    return true;
  });
});

describe('a failure', () => {
  test('that the handler throws keeps its type and message', async () => {
    const { error, answer } = await clients.probe({ do: 'fail', message: 'no luck' });
    expect(error).toBe('Unhandled');
    expect(answer).toMatchObject({ errorType: 'TypeError', errorMessage: 'no luck' });
  });

  test('by timeout kills the process, even in a busy loop', async () => {
    const { answer } = await clients.probe({ do: 'spin' });
    expect(answer).toMatchObject({ errorType: 'Sandbox.Timedout' });
    expect((answer as { errorMessage: string }).errorMessage).toMatch(
      /Task timed out after 1\.00 seconds$/,
    );
    expect((await clients.probe({ do: 'calls' })).error).toBeUndefined();
  });

  test('by exit of the process is reported, and the next invocation starts anew', async () => {
    const { answer } = await clients.probe({ do: 'exit' });
    expect(answer).toMatchObject({ errorType: 'Runtime.ExitError' });
    expect((await clients.probe({ do: 'calls' })).error).toBeUndefined();
  });
});

test('the log shows starts, lines with the request, duration and memory', async () => {
  await clients.probe({ do: 'pid' });
  const text = await eventually(async () => {
    const lines = logText();
    return /REPORT RequestId: \S+\tDuration: .*Init Duration/.test(lines) ? lines : undefined;
  });
  expect(text).toMatch(/^INIT_START Runtime Version: nodejs24\.x/m);
  expect(text).toMatch(/^START RequestId: \S+ Version: \$LATEST$/m);
  expect(text).toMatch(/^\d{4}-\S+Z\t[0-9a-f-]{36}\tINFO\tprobing pid$/m);
  expect(text).toMatch(/Memory Size: 256 MB\tMax Memory Used: \d+ MB/);
});

test('an asynchronous invocation is accepted at once and done later', async () => {
  const marker = `later-${Date.now()}`;
  const answer = await clients.functions.send(
    new InvokeCommand({
      FunctionName: cloud.output('Probe'),
      InvocationType: 'Event',
      Payload: Buffer.from(JSON.stringify({ do: 'fail', message: marker })),
    }),
  );
  expect(answer.StatusCode).toBe(202);
  await eventually(async () => (logText().includes(marker) ? true : undefined));
  expect(existsSync(join(cloud.stateDir, 'iam.log'))).toBe(false);
});

test('an unknown function is AWS’s own error', async () => {
  const invoke = new InvokeCommand({ FunctionName: 'nobody' });
  await expect(clients.functions.send(invoke)).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});
