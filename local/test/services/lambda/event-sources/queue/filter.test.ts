/** The table of AWS's documentation: format of the body against format of the pattern. */
import { expect, test } from 'vitest';
import type { Json } from '../../../../../assembly/assembly.ts';
import {
  compileQueueFilter,
  filteredBody,
} from '../../../../../services/lambda/event-sources/queue/filter.ts';

test.each<[name: string, pattern: Json, body: string, passes: boolean]>([
  ['text against text', { body: ['hello'] }, 'hello', true],
  ['text against another text', { body: ['hello'] }, 'bye', false],
  ['text against a JSON pattern', { body: { a: ['1'] } }, 'hello', false],
  ['text against a JSON pattern of absence', { body: { a: [{ exists: false }] } }, 'x', false],
  ['JSON against a text pattern', { body: [{ 'anything-but': 'x' }] }, '{"a":1}', false],
  ['JSON against JSON', { body: { a: [{ numeric: ['>', 9] }] } }, '{"a":10}', true],
  ['JSON against other JSON', { body: { a: [{ numeric: ['>', 9] }] } }, '{"a":9}', false],
  ['a number as it is written', { body: { a: [300] } }, '{"a":300.0}', false],
  ['text against metadata only', { eventSource: ['aws:sqs'] }, 'hello', true],
  ['JSON against metadata only', { eventSource: ['aws:sqs'] }, '{"a":1}', true],
  ['other metadata', { attributes: { ApproximateReceiveCount: ['2'] } }, 'x', false],
])('%s', (_name, pattern, body, passes) => {
  const filter = compileQueueFilter(JSON.stringify(pattern), 'Filter');
  const attributes = { ApproximateReceiveCount: '1' };
  const record = { body: filteredBody(body), eventSource: 'aws:sqs', attributes };
  expect(filter(record)).toBe(passes);
});
