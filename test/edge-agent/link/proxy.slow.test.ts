import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTunnel, proxyFor } from '../../../edge-agent/link/proxy.ts';
import { waitUntil } from '../../wait-until.ts';
import { startAgentProcess } from '../agent-runner.ts';
import { AgentStage } from '../agent-stage.ts';
import { type ProxyDouble, startProxy } from './proxy-double.ts';

const broker = { host: 'broker.test', port: 8883 };

describe('which proxy it is', () => {
  const of = (env: Record<string, string>, host = 'broker.test', port = 8883) =>
    proxyFor('https', { host, port }, env);

  test('small letters come first, a user and a password are kept, a scheme may be left out', () => {
    expect(of({})).toBeNull();
    expect(of({ HTTP_PROXY: 'http://other:1' })).toBeNull();
    const one = { host: 'one', port: 3128, isTls: false, authorization: null };
    expect(of({ HTTPS_PROXY: 'http://other:1', https_proxy: 'one:3128' })).toEqual(one);
    const authorization = `Basic ${Buffer.from('ann:p@ss:ä').toString('base64')}`;
    const url = 'https://ann:p%40ss%3A%C3%A4@[::1]';
    expect(of({ HTTPS_PROXY: url })).toEqual({
      host: '::1',
      port: 443,
      isTls: true,
      authorization,
    });
  });

  test.each([
    ['*', true],
    ['broker.test', true],
    ['.test', true],
    ['*.test', true],
    ['example.com, TEST', true],
    ['broker.test:8883', true],
    ['broker.test:443', false],
    ['roker.test', false],
    ['test.broker', false],
    ['', false],
  ])('NO_PROXY=%s has it asked directly: %s', (noProxy, isDirect) => {
    expect(of({ HTTPS_PROXY: 'http://one:1', NO_PROXY: noProxy }) === null).toBe(isDirect);
  });

  test.each(['localhost', '127.0.0.1', '::1'])('%s is never asked through one', (host) => {
    expect(of({ HTTPS_PROXY: 'http://one:1' }, host)).toBeNull();
  });

  test('numbers of hosts are compared whole', () => {
    const env = { HTTPS_PROXY: 'http://one:1', NO_PROXY: '10.0.0.1,fd00::1' };
    expect([of(env, '10.0.0.1'), of(env, 'fd00::1')]).toEqual([null, null]);
    expect(of({ ...env, NO_PROXY: '0.0.1' }, '10.0.0.1')).not.toBeNull();
  });

  test.each(['socks5://ann:secret@one:1080', 'http://', '://ann:secret@'])(
    '%s is refused in words that keep its secret',
    (HTTPS_PROXY) => {
      expect(() => of({ HTTPS_PROXY })).toThrow('HTTPS_PROXY is not understood');
      expect(() => of({ HTTPS_PROXY })).not.toThrow('secret');
    },
  );
});

describe('a tunnel', () => {
  const answering = (answer: string): Promise<Server> =>
    new Promise((resolve) => {
      const server = createServer((socket) => {
        socket.on('error', () => {}).once('data', () => socket.end(answer));
      });
      server.listen(0, '127.0.0.1', () => resolve(server));
    });

  test.each([
    ['HTTP/1.1 407 No\r\n\r\n', 'wants a user and a password, or others (407)'],
    ['HTTP/1.1 403 No\r\n\r\n', 'opens no tunnel (403)'],
    ['SSH-2.0-x\r\n\r\n', 'does not answer as a proxy'],
    [`HTTP/1.1 200 OK\r\n${'x'.repeat(10_000)}`, 'opens no tunnel (200)'],
    ['', 'hung up'],
  ])('%j is no tunnel', async (answer, words) => {
    const server = await answering(answer);
    const { port } = server.address() as { port: number };
    const proxy = { host: '127.0.0.1', port, isTls: false, authorization: null };
    await expect(openTunnel(proxy, broker, 60_000)).rejects.toThrow(words);
    server.close();
  });

  test('what comes with the answer is not lost', async () => {
    const server = await answering('HTTP/1.1 200 OK\r\nVia: x\r\n\r\nhello');
    const { port } = server.address() as { port: number };
    const proxy = { host: '127.0.0.1', port, isTls: false, authorization: null };
    const socket = await openTunnel(proxy, broker, 60_000);
    const [said] = await Promise.all([socket.toArray()]);
    expect(Buffer.concat(said).toString()).toBe('hello');
    server.close();
  });
});

describe('an agent behind a proxy that wants a user', () => {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];
  const before = names.map((name) => [name, process.env[name]] as const);
  let stage: AgentStage;
  let proxy: ProxyDouble;
  beforeEach(async () => {
    stage = await AgentStage.open();
    proxy = await startProxy('ann', 'p@ss/word');
    for (const name of names) delete process.env[name];
  });
  afterEach(async () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await stage.close();
    await proxy.close();
  });

  function start(url: string) {
    const { controlPlane } = stage;
    process.env.HTTP_PROXY = url;
    process.env.HTTPS_PROXY = url;
    const api = controlPlane.url.replace('127.0.0.1', 'api.test');
    const mqttEndpoint = controlPlane.shadows.endpoint.replace('127.0.0.1', 'broker.test');
    return stage.add(startAgentProcess(stage.options({ api, mqttEndpoint })));
  }

  test('enrols, works and reports through it, by HTTP and by MQTT with its certificate', async () => {
    const { controlPlane } = stage;
    controlPlane.addJob('job-a', { chunks: 2, chunkPower: 1, run: { simulate: { seconds: 0 } } });
    start(proxy.url);
    controlPlane.grant('edge-1', 'job-a', '0-1', 2);
    const { done } = controlPlane.jobs.get('job-a')!;
    await controlPlane.until(() => done.size === 2, 'all is done');
    const hosts = new Set(proxy.passed.map((what) => /[a-z]+\.test/.exec(what)?.[0]));
    expect([...hosts].sort()).toEqual(['api.test', 'broker.test']);
    expect(proxy.refused).toEqual([]);
  });

  test('says that its password is not right, and not which it has', async () => {
    const agent = start(proxy.url.replace('p%40ss', 'wrong'));
    await waitUntil(() => agent.lines.some((line) => line.includes('Trying on')));
    expect(agent.lines.join('\n')).not.toMatch(/wrong/);
    expect(proxy.passed).toEqual([]);
  });
});
