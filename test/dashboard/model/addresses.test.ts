import { expect, test } from 'vitest';
import { chunkNumber } from '../../../dashboard/model/chunk-number.ts';
import { webAddress } from '../../../dashboard/model/web-address.ts';

test.each([
  ['https://files.test/a%20b?x=1', 'https://files.test/a%20b?x=1'],
  ['http://127.0.0.1:9000/a', 'http://127.0.0.1:9000/a'],
  ['javascript:alert(1)', null],
  ['data:text/html,<b>', null],
  ['/v1/jobs', null],
  ['', null],
])('a link to %s leads to %s', (text, href) => {
  expect(webAddress(text)).toBe(href);
});

test.each([
  ['0', 0],
  ['7', 7],
  ['8', null],
  ['-1', null],
  ['1e0', null],
  ['99999999999999999999', null],
  ['', null],
])('of eight chunks %j is %s', (text, number) => {
  expect(chunkNumber(text, 8)).toBe(number);
});
