/** Every operator that AWS documents for event filtering, as a table. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../../assembly/assembly.ts';
import { compileFilter } from '../../../../../services/lambda/event-sources/filter/pattern.ts';

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
  address: '10.0.0.77',
  address6: '2001:db8::1',
  file: 'a/lib/x.TXT',
  star: '5*4\\x',
  none: [],
  organizations: { L: [{ S: 'Sales' }, { S: 'Support', N: '2' }, { N: '3' }] },
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
  ['anything-but prefixes', { eventName: [{ 'anything-but': { prefix: ['I', 'R'] } }] }, true],
  [
    'anything-but prefixes miss',
    { eventName: [{ 'anything-but': { prefix: ['I', 'M'] } }] },
    false,
  ],
  ['anything-but suffix', { file: [{ 'anything-but': { suffix: '.txt' } }] }, true],
  [
    'anything-but suffixes miss',
    { file: [{ 'anything-but': { suffix: ['.rtf', '.TXT'] } }] },
    false,
  ],
  ['anything-but without case', butFolded('insert'), true],
  ['anything-but without case miss', butFolded('insert', 'mOdIfY'), false],
  ['anything-but wildcard', { file: [{ 'anything-but': { wildcard: '*/bin/*' } }] }, true],
  ['anything-but wildcards miss', butWildcards('*/bin/*', '*/lib/*'), false],
  ['anything-but in a list by another element', { tags: [{ 'anything-but': ['red'] }] }, true],
  ['anything-but against null', { nothing: [{ 'anything-but': ['x'] }] }, true],
  ['cidr', { address: [{ cidr: '10.0.0.0/24' }] }, true],
  ['cidr miss', { address: [{ cidr: '10.0.1.0/24' }] }, false],
  ['cidr of IPv6', { address6: [{ cidr: '2001:db8::/32' }] }, true],
  ['cidr of another version', { address6: [{ cidr: '10.0.0.0/8' }] }, false],
  ['cidr against no address', { eventName: [{ cidr: '10.0.0.0/8' }] }, false],
  ['suffix without case', { file: [{ suffix: { 'equals-ignore-case': '.txt' } }] }, true],
  ['wildcard with a literal star', { star: [{ wildcard: '5\\*4*' }] }, true],
  ['wildcard with a literal backslash', { star: [{ wildcard: '*\\\\x' }] }, true],
  ['wildcard star is not a star', { eventName: [{ wildcard: 'MOD\\*' }] }, false],
  ['numeric less than', { count: [{ numeric: ['<', 10] }] }, true],
  ['numeric equals in another notation', { count: [{ numeric: ['=', 5.0] }] }, true],
  ['into the objects of a list', { organizations: { L: { S: ['Support'] } } }, true],
  ['into the objects of a list, same element', inList({ S: ['Support'], N: ['2'] }), true],
  ['into the objects of a list, two elements', inList({ S: ['Sales'], N: ['3'] }), false],
  ['exists in the objects of a list', inList({ S: [{ exists: true }] }), true],
  ['does not exist in some objects of a list', inList({ S: [{ exists: false }] }), false],
  ['does not exist in any object of a list', inList({ B: [{ exists: false }] }), true],
  ['an empty list has no leaf', { none: [{ exists: true }] }, false],
  ['an intermediate node has no leaf of its own', { organizations: [{ exists: false }] }, true],
  ['does not exist under a missing parent', { gone: { x: [{ exists: false }] } }, true],
  ['does not exist or is', { count: [{ exists: false }, 5] }, true],
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

function butFolded(...texts: string[]): Json {
  return { eventName: [{ 'anything-but': { 'equals-ignore-case': texts } }] };
}

function butWildcards(...texts: string[]): Json {
  return { file: [{ 'anything-but': { wildcard: texts } }] };
}

function inList(pattern: Json): Json {
  return { organizations: { L: pattern } };
}

test.each(cases)('%s', (_name, pattern, matches) => {
  expect(compileFilter(JSON.stringify(pattern), 'Filter')(record)).toBe(matches);
});

test.each([
  ['{"n":[300]}', true],
  ['{"n":[300.0]}', false],
  ['{"n":[3.0e2]}', false],
  ['{"n":[{"numeric":["=",3.0e2]}]}', true],
  ['{"n":[{"anything-but":[300.0]}]}', true],
])('numbers compare as they are written: %s', (pattern, matches) => {
  expect(compileFilter(pattern, 'Filter')({ n: 300 })).toBe(matches);
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
    ['{"$or":[{"a":[1]}]}', /two at least/],
    ['{}', /names at least one field/],
    ['{"a":[{"numeric":["<",5,">",1]}]}', /a range is > or >= followed/],
    ['{"a":[{"numeric":[">",5,"<",5]}]}', /lower end of a range is below/],
    ['{"a":[{"numeric":["=",1e17]}]}', /too large/],
    ['{"a":[{"anything-but":["x",1]}]}', /texts or numbers, not both/],
    ['{"a":[{"anything-but":[]}]}', /texts or numbers/],
    ['{"a":[{"anything-but":[null]}]}', /texts or numbers/],
    ['{"a":[{"anything-but":{"near":"x"}}]}', /near: .* does not know/],
    ['{"a":[{"anything-but":{"prefix":""}}]}', /an empty text/],
    ['{"a":[{"wildcard":"a**b"}]}', /two wildcards/],
    ['{"a":[{"wildcard":"a\\\\b"}]}', /escapes nothing/],
    ['{"a":[{"cidr":"10.0.0.0"}]}', /address range/],
    ['{"a":[{"cidr":"10.0.0.0/33"}]}', /address range/],
    ['{"a":[{"prefix":"x","suffix":"y"}]}', /one operator at a time/],
  ])('%s', (text, sentence) => {
    expect(() => compileFilter(text, 'Filter')).toThrow(sentence);
  });
});
