import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localstackPages } from '../../../engine/gateway/localstack.ts';
import { operationOf } from '../../../engine/gateway/named-operation.ts';
import type { GatewayRequest } from '../../../engine/gateway/request.ts';

const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

test.each(inherited)('%s is no operation', (name) => {
  expect(operationOf({ GetItem: 1 }, name)).toBeUndefined();
  expect(operationOf({ GetItem: 1 }, 'GetItem')).toBe(1);
});

test.each(inherited)('/_localstack/%s is no page', (name) => {
  let status = 0;
  const res = {
    writeHead: (code: number) => {
      status = code;
    },
    setHeader: () => {},
    end: () => {},
  } as unknown as Parameters<ReturnType<typeof localstackPages>>[1];
  const request = { method: 'GET', path: `/_localstack/${name}` } as GatewayRequest;
  expect(localstackPages([], () => 0)(request, res)).toBe(true);
  expect(status).toBe(404);
});

test('no service looks an operation up by a name of a request in any other way', () => {
  const services = join(import.meta.dirname, '../../../services');
  const files = readdirSync(services, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((path) => path.endsWith('.ts'))
    .filter((path) => /\boperations\[(name|operation)\]/.test(read(join(services, path))));
  expect(found).toEqual([]);
});

const read = (path: string): string => readFileSync(path, 'utf8');
