import { expect, test } from 'vitest';
import { makeCallCounts } from '../../../engine/gateway/call-counts.ts';
import type { GatewayRequest } from '../../../engine/gateway/request.ts';
import { callNamesMax } from '../../../limits.ts';

function request(over: Partial<GatewayRequest>): GatewayRequest {
  const body = Buffer.alloc(0);
  return {
    target: '',
    body,
    method: 'POST',
    query: new URLSearchParams(),
    ...over,
  } as GatewayRequest;
}

test('operations are counted by the name that their protocol gives them', () => {
  const counts = makeCallCounts();
  counts.count('dynamodb', request({ target: 'DynamoDB_20120810.GetItem' }));
  counts.count('dynamodb', request({ target: 'DynamoDB_20120810.GetItem' }));
  counts.count('sns', request({ query: new URLSearchParams('Action=Publish') }));
  counts.count('iot', request({ method: 'DELETE' }));
  expect(counts.shown()).toEqual({ 'dynamodb GetItem': 2, 'iot DELETE': 1, 'sns Publish': 1 });
});

test('of transactions their rows are counted, and what was refused', () => {
  const counts = makeCallCounts();
  const target = 'DynamoDB_20120810.TransactWriteItems';
  const row = { Put: { TableName: 'notes', Item: {} } };
  const body = Buffer.from(JSON.stringify({ TransactItems: [row, row, row] }));
  counts.count('dynamodb', request({ target, body }));
  counts.refused('dynamodb', request({ target, body }));
  expect(counts.shown()).toEqual({
    'dynamodb TransactWriteItems': 1,
    'dynamodb TransactWriteItems refused': 1,
    'dynamodb TransactWriteItems rows': 3,
  });
});

test('names that somebody invents are counted only so far', () => {
  const counts = makeCallCounts();
  for (let at = 0; at <= callNamesMax; at++) counts.count('x', request({ target: `y.z${at}` }));
  counts.count('x', request({ target: 'y.z0' }));
  expect(Object.keys(counts.shown())).toHaveLength(callNamesMax);
  expect(counts.shown()['x z0']).toBe(2);
});
