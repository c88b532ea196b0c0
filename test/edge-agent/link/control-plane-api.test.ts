import { expect, test } from 'vitest';
import { makeControlPlaneApi } from '../../../edge-agent/link/control-plane-api.ts';

test.each([
  ['https://api.test', 'https://api.test/v1/edges/e/work'],
  ['https://api.test/v1/', 'https://api.test/v1/edges/e/work'],
  ['https://front.test/edgewise/', 'https://front.test/edgewise/v1/edges/e/work'],
  ['http://127.0.0.1:1/api/a1/$default', 'http://127.0.0.1:1/api/a1/$default/v1/edges/e/work'],
])('the API may be below a path: %s', async (address, asked) => {
  const urls: string[] = [];
  const answering = async (url: unknown) => {
    urls.push(String(url));
    return new Response('{}');
  };
  await makeControlPlaneApi(address, answering as typeof fetch).getWork('secret', 'e');
  expect(urls).toEqual([asked]);
});
