/** Filter patterns of words. */
import { expect, test } from 'vitest';
import { logFilter } from '../../../services/cloudwatch/log-filter.ts';

test.each([
  ['', 'anything', true],
  ['ERROR', 'an ERROR', true],
  ['ERROR', 'an error', false],
  ['ERROR down', 'down with ERROR', true],
  ['ERROR down', 'ERROR', false],
  ['"went down"', 'it went down', true],
  ['"went down"', 'down it went', false],
  ['?ERROR ?WARN', 'a WARN', true],
  ['?ERROR ?WARN', 'an INFO', false],
  ['ERROR -Exiting', 'ERROR, Exiting', false],
  ['ERROR -Exiting', 'ERROR', true],
  ['"say \\"hi\\""', 'say "hi"', true],
])('%s on %s', (pattern, message, isThere) => {
  expect(logFilter(pattern)?.(message)).toBe(isThere);
});

test.each(['{ $.level = "ERROR" }', '[ip, user]', '%5\\d\\d%'])('%s is refused', (pattern) => {
  expect(logFilter(pattern)).toBeUndefined();
});
