import { expect, test } from 'vitest';
import { keepLoopbackDirect } from '../../../edge-agent/program/proxies.ts';

test('loopback is asked directly, whatever the host says of proxies', () => {
  const env: Record<string, string | undefined> = { NO_PROXY: 'example.com, 127.0.0.1' };
  keepLoopbackDirect(env);
  expect(env.NO_PROXY).toBe('example.com,127.0.0.1,localhost,::1');
  expect(env.no_proxy).toBe('localhost,127.0.0.1,::1');
});

test('a host that uses no proxy at all keeps it so', () => {
  const env: Record<string, string | undefined> = { NO_PROXY: '*', no_proxy: '*' };
  keepLoopbackDirect(env);
  expect(env).toEqual({ NO_PROXY: '*', no_proxy: '*' });
});
