/** Every operator that AWS documents for event filtering, as a table. */
import { describe, expect, test } from 'vitest';
import { compileFilter } from '../../../local/events/filter-pattern.ts';
import type { Json } from '../../../local/template/assembly.ts';

const record = {
  eventName: 'MODIFY',
  dynamodb: {
    Keys: { PK: { S: 'CELL#1' }, SK: { S: 'META' } },
    NewImage: { state: { S: 'Open' }, size: { N: '5' }, gone: { NULL: true } },
  },
  count: 5,
  price: 9.99,
  nothing: null,
  empty: '',
  tags: ['red', 'blue'],
  flag: true,
} satisfies Json;

const cases: [name: string, pattern: Json, matches: boolean][] = [
  ['equals', { eventName: ['MODIFY'] }, true],
  ['equals one of', { eventName: ['INSERT', 'MODIFY'] }, true],
  ['not equal', { eventName: ['INSERT'] }, false],
  ['nested', { dynamodb: { Keys: { PK: { S: ['CELL#1'] } } } }, true],
  ['and of two fields', { eventName: ['MODIFY'], count: [5] }, true],
  ['and with one miss', { eventName: ['MODIFY'], count: [6] }, false],
  ['null', { nothing: [null] }, true],
  ['null against a value', { count: [null] }, false],
  ['empty', { empty: [''] }, true],
  ['empty against a text', { eventName: [''] }, false],
  ['boolean', { flag: [true] }, true],
  ['number is not its text', { count: ['5'] }, false],
  ['prefix', { dynamodb: { Keys: { PK: { S: [{ prefix: 'CELL#' }] } } } }, true],
  ['prefix miss', { eventName: [{ prefix: 'mod' }] }, false],
  ['prefix without case', { eventName: [{ prefix: { 'equals-ignore-case': 'mod' } }] }, true],
  ['suffix', { eventName: [{ suffix: 'FY' }] }, true],
  ['suffix miss', { eventName: [{ suffix: 'ERT' }] }, false],
  ['equals-ignore-case', { eventName: [{ 'equals-ignore-case': 'modify' }] }, true],
  ['wildcard', { eventName: [{ wildcard: 'M*F*' }] }, true],
  ['anything-but', { eventName: [{ 'anything-but': ['INSERT'] }] }, true],
  ['anything-but miss', { eventName: [{ 'anything-but': ['MODIFY', 'X'] }] }, false],
  ['anything-but one text', { eventName: [{ 'anything-but': 'REMOVE' }] }, true],
  ['anything-but number', { count: [{ 'anything-but': [5] }] }, false],
  ['anything-but prefix', { eventName: [{ 'anything-but': { prefix: 'INS' } }] }, true],
  ['anything-but prefix miss', { eventName: [{ 'anything-but': { prefix: 'MOD' } }] }, false],
  ['anything-but needs the field', { missing: [{ 'anything-but': ['x'] }] }, false],
  ['numeric equals', { count: [{ numeric: ['=', 5] }] }, true],
  ['numeric range', { price: [{ numeric: ['>', 9, '<=', 10] }] }, true],
  ['numeric out of range', { price: [{ numeric: ['>', 9.99] }] }, false],
  ['numeric at the border', { price: [{ numeric: ['>=', 9.99, '<', 10] }] }, true],
  ['numeric never matches DynamoDB numbers, which are texts', numberOfItem(), false],
  ['exists', { dynamodb: { NewImage: { state: { S: [{ exists: true }] } } } }, true],
  ['exists miss', { dynamodb: { NewImage: { other: { S: [{ exists: true }] } } } }, false],
  ['does not exist', { dynamodb: { OldImage: { state: { S: [{ exists: false }] } } } }, true],
  ['does not exist miss', { eventName: [{ exists: false }] }, false],
  ['exists is for leaves', { dynamodb: [{ exists: true }] }, false],
  ['mixed alternatives', { eventName: ['INSERT', { prefix: 'MOD' }] }, true],
  ['a list matches by one element', { tags: ['blue'] }, true],
  ['a list without a match', { tags: ['green'] }, false],
  ['$or by its first', { $or: [{ eventName: ['MODIFY'] }, { count: [9] }] }, true],
  ['$or by its second', { $or: [{ eventName: ['INSERT'] }, { count: [5] }] }, true],
  ['$or by none', { $or: [{ eventName: ['INSERT'] }, { count: [6] }] }, false],
  ['$or and a field', { flag: [false], $or: [{ count: [5] }, { count: [6] }] }, false],
];

function numberOfItem(): Json {
  return { dynamodb: { NewImage: { size: { N: [{ numeric: ['=', 5] }] } } } };
}

test.each(cases)('%s', (_name, pattern, matches) => {
  expect(compileFilter(JSON.stringify(pattern), 'Filter')(record)).toBe(matches);
});

describe('a pattern that AWS would refuse stops with its path', () => {
  test.each([
    ['{', /^Filter: the filter pattern is not JSON/],
    ['{"a":{"b":[{"near":5}]}}', /^Filter\.a\.b\[0\]\.near: .* does not know/],
    ['{"a":"text"}', /^Filter\.a: a filter pattern is an object/],
    ['{"a":[]}', /^Filter\.a: an empty list/],
    ['{"a":[{"numeric":["=","5"]}]}', /^Filter\.a\[0\]\.numeric: compares with numbers/],
    ['{"a":[{"numeric":["~",5]}]}', /comparison ~ does not exist/],
    ['{"a":[{"exists":"yes"}]}', /takes true or false/],
    ['{"$or":[]}', /\$or takes a list/],
  ])('%s', (text, sentence) => {
    expect(() => compileFilter(text, 'Filter')).toThrow(sentence);
  });
});
