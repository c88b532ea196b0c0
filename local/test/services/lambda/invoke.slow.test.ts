/** Lambda's Invoke with the official SDK: what it answers and what it refuses. */
import { InvokeCommand, type InvokeCommandOutput } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { physicalName } from '../../../account.ts';
import { type NotesClients, notesClients } from '../../notes-clients.ts';
import { eventually, type NotesCloud, startNotes } from '../../notes-cloud.ts';

let cloud: NotesCloud;
let clients: NotesClients;

beforeAll(async () => {
  cloud = await startNotes({
    edit: (resources) => {
      const probe = resources['Probe'];
      resources['Callback'] = structuredClone(probe!);
      resources['Callback'].Properties['Handler'] = 'callback.handler';
    },
  });
  clients = notesClients(cloud);
});

afterAll(async () => {
  clients.close();
  await cloud.stop();
});

function invoke(event: object, rest: object = {}): Promise<InvokeCommandOutput> {
  const Payload = Buffer.from(JSON.stringify(event));
  const FunctionName = cloud.output('Probe');
  return clients.functions.send(new InvokeCommand({ FunctionName, Payload, ...rest }));
}

function payloadOf(answer: InvokeCommandOutput) {
  return JSON.parse(Buffer.from(answer.Payload ?? []).toString());
}

test('the end of the log comes along on demand, under the id of the request', async () => {
  const answer = await invoke({ do: 'context' }, { LogType: 'Tail' });
  const log = Buffer.from(answer.LogResult ?? '', 'base64').toString();
  const { requestId } = answer.$metadata;
  expect(log).toContain(`START RequestId: ${requestId} Version: $LATEST`);
  expect(log).toContain(`${requestId}\tINFO\tprobing context`);
  expect(log).toContain(`REPORT RequestId: ${requestId}\tDuration: `);
  expect(payloadOf(answer).awsRequestId).toBe(requestId);
  expect(answer.ExecutedVersion).toBe('$LATEST');
  expect((await invoke({ do: 'pid' })).LogResult).toBeUndefined();
});

test('the log of a timeout says so', async () => {
  const answer = await invoke({ do: 'spin' }, { LogType: 'Tail' });
  const log = Buffer.from(answer.LogResult ?? '', 'base64').toString();
  expect(log).toMatch(/Task timed out after 1\.00 seconds/);
});

test('the log is at most its last 4 KB', async () => {
  const answer = await invoke({ do: 'print', bytes: 10_000 }, { LogType: 'Tail' });
  const log = Buffer.from(answer.LogResult ?? '', 'base64').toString();
  expect(log).toHaveLength(4_096);
  expect(log).toContain('REPORT RequestId');
});

test('what the client says about itself is handed on', async () => {
  const ClientContext = Buffer.from('{"custom":{"a":"ä\\n"}}').toString('base64');
  const answer = await invoke({ do: 'context' }, { ClientContext });
  expect(payloadOf(answer).clientContext).toEqual({ custom: { a: 'ä\n' } });
});

test('a dry run runs nothing', async () => {
  const before = payloadOf(await invoke({ do: 'calls' }));
  const answer = await invoke({ do: 'calls' }, { InvocationType: 'DryRun' });
  expect(answer.StatusCode).toBe(204);
  expect(payloadOf(await invoke({ do: 'calls' }))).toBe(before + 1);
});

test.each(['000000000000:function:', 'arn:aws:lambda:eu-west-1:000000000000:function:', ''])(
  'a function is found by %s…',
  async (head) => {
    for (const tail of ['', ':$LATEST']) {
      const FunctionName = `${head}${cloud.output('Probe')}${tail}`;
      expect((await invoke({ do: 'pid' }, { FunctionName })).StatusCode).toBe(200);
    }
  },
);

test('a version that is not there is not found', async () => {
  const message = expect.stringMatching(/^Function not found: arn:.*:prod$/);
  const missing = { name: 'ResourceNotFoundException', message };
  await expect(invoke({}, { Qualifier: 'prod' })).rejects.toMatchObject(missing);
});

test.each([
  ['a type that does not exist', { InvocationType: 'Later' }, 'ValidationException'],
  ['a payload that is no JSON', { Payload: Buffer.from('{') }, 'InvalidRequestContentException'],
  [
    'more than 1 MB for later',
    { InvocationType: 'Event', Payload: Buffer.from(`"${'x'.repeat(1_048_576)}"`) },
    'RequestTooLargeException',
  ],
])('%s is refused', async (_name, rest, name) => {
  await expect(invoke({}, rest)).rejects.toMatchObject({ name });
});

test('more than the reserved concurrency is refused with the reason', async () => {
  const busy = Promise.all([invoke({ do: 'wait', ms: 500 }), invoke({ do: 'wait', ms: 500 })]);
  const refused = await Promise.any(
    Array.from({ length: 8 }, () =>
      invoke({ do: 'pid' }).then(
        () => Promise.reject(new Error('was served')),
        (error: unknown) => error,
      ),
    ),
  );
  expect(refused).toMatchObject({
    name: 'TooManyRequestsException',
    Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded',
    Type: 'User',
    message: 'Rate Exceeded.',
    $metadata: { httpStatusCode: 429 },
  });
  await busy;
});

test('a result that is no JSON is a failure', async () => {
  const answer = await invoke({ do: 'circle' });
  expect(answer.FunctionError).toBe('Unhandled');
  expect(payloadOf(answer)).toMatchObject({
    errorType: 'Runtime.MarshalError',
    errorMessage: 'Unable to stringify response body',
  });
});

test('a promise that nobody catches is a failure, and the process ends', async () => {
  const { errorType, errorMessage } = payloadOf(await invoke({ do: 'reject' }));
  expect(errorType).toBe('Runtime.UnhandledPromiseRejection');
  const pid = Number(/^Error: nobody looks in (\d+)$/.exec(errorMessage)?.[1]);
  await eventually(async () => (isAlive(pid) ? undefined : true));
});

test('a handler with a callback fails at its start, as with Node 24 on AWS', async () => {
  const answer = await invoke(
    {},
    {
      FunctionName: physicalName({ region: 'eu-west-1', stack: 'Notes' }, 'Callback', 64),
    },
  );
  expect(payloadOf(answer)).toMatchObject({ errorType: 'Runtime.CallbackHandlerDeprecated' });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
