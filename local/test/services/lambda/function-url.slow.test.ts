/** The address of a function whose answers stream, as a client sees it. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { functionUrlRequestsMax } from '../../../limits.ts';
import { eventually, type NotesCloud, startNotes, type TemplateEdit } from '../../notes-cloud.ts';
import { temporaryDir } from '../../temporary-dir.ts';

const cors = {
  AllowOrigins: ['*'],
  AllowMethods: ['GET', 'POST'],
  AllowHeaders: ['authorization', 'last-event-id'],
  MaxAge: 3_600,
};

const withUrl =
  (actions: readonly string[]): TemplateEdit =>
  (resources) => {
    const FunctionName = { 'Fn::GetAtt': ['Streaming', 'Arn'] };
    const streaming = structuredClone(resources['Probe']!);
    const { ReservedConcurrentExecutions: _two, ...properties } = streaming.Properties;
    const own = { Handler: 'streaming.handler', Timeout: 60 };
    resources['Streaming'] = { ...streaming, Properties: { ...properties, ...own } };
    const mode = { AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' };
    const url = {
      Type: 'AWS::Lambda::Url',
      Properties: { TargetFunctionArn: FunctionName, Cors: cors, ...mode },
    };
    resources['StreamingUrl'] = url;
    for (const [at, Action] of actions.entries()) {
      const permission = { FunctionName, Action, Principal: '*' };
      const type = { Type: 'AWS::Lambda::Permission', Properties: permission };
      resources[`Everybody${at}`] = type;
    }
  };

const both = ['lambda:InvokeFunctionUrl', 'lambda:InvokeFunction'];

let cloud: NotesCloud;
let url: string;

beforeAll(async () => {
  cloud = await startNotes({ edit: withUrl(both) });
  url = `http://127.0.0.1:${cloud.portBase + 6}/`;
});

afterAll(() => cloud.stop());

const fileOf = (name: string): string => join(cloud.stateDir, name);

async function open(query: string) {
  const answer = await fetch(`${url}any/path?${query}`);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  return { answer, next: async () => (await reader.read()).value, reader };
}

test('what is written arrives before the function has ended, under its status', async () => {
  const until = fileOf('go-on');
  const { answer, next } = await open(`until=${until}`);
  expect(answer.status).toBe(203);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  expect(answer.headers.get('x-method')).toBe('GET');
  expect(await next()).toBe('first\n');
  writeFileSync(until, '');
  expect(await next()).toBe('second\n');
  expect(await next()).toBeUndefined();
});

test('pages of any origin may ask there, as the template says', async () => {
  const page = { origin: 'https://page.example.com' };
  const wish = { ...page, 'access-control-request-method': 'POST' };
  const preflight = await fetch(url, { method: 'OPTIONS', headers: wish });
  expect(preflight.status).toBe(200);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET,POST',
    'access-control-allow-headers': 'authorization,last-event-id',
    'access-control-max-age': '3600',
  });
  const answer = await fetch(`${url}?how=plain`, { headers: page });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const plain = await fetch(`${url}?how=plain`);
  expect(plain.headers.get('access-control-allow-origin')).toBeNull();
});

test('without status and headers it is a body', async () => {
  const answer = await fetch(`${url}?how=plain`);
  expect([answer.status, await answer.text()]).toEqual([200, 'only a body']);
  expect(answer.headers.get('content-type')).toBe('application/octet-stream');
});

test('who fails before is answered for; who fails in the middle cuts the answer off', async () => {
  expect((await fetch(`${url}?how=early`)).status).toBe(502);
  for (const how of ['late', 'crash']) {
    const answer = await fetch(`${url}?how=${how}`);
    expect(answer.status).toBe(203);
    await expect(answer.text(), how).rejects.toThrow();
  }
  expect((await fetch(`${url}?how=plain`)).status).toBe(200);
});

test('who goes away does not end the function', async () => {
  const [until, after] = [fileOf('gone-on'), fileOf('ran')];
  const { next, reader } = await open(`until=${until}&after=${after}`);
  expect(await next()).toBe('first\n');
  await reader.cancel();
  expect(existsSync(after)).toBe(false);
  writeFileSync(until, '');
  await eventually(async () => (existsSync(after) ? true : undefined));
});

test('more at once than it takes are refused at once', async () => {
  const until = fileOf('all');
  const opened = await Promise.all(
    Array.from({ length: functionUrlRequestsMax }, () => open(`until=${until}`)),
  );
  const refused = await fetch(url);
  expect(refused.status).toBe(429);
  writeFileSync(until, '');
  for (const { next } of opened) expect(await next()).toMatch(/^first/);
});

test('an address that nobody may call stops the start', async () => {
  for (const [at, action] of both.entries()) {
    const stateDir = temporaryDir();
    const start = startNotes({ stateDir, edit: withUrl(both.toSpliced(at, 1)) });
    await expect(start).rejects.toThrow(`an AWS::Lambda::Permission for ${action} is missing`);
    rmSync(stateDir, { recursive: true });
  }
});
