import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluateExpression, type Scalar } from '../../../core/selection/evaluate-expression.ts';
import { selectionExpressionLengthMax } from '../../../core/selection/limits.ts';
import { parseExpression } from '../../../core/selection/parse-expression.ts';
import { anyText } from '../../any-text.ts';

const map = (values: Record<string, Scalar> = {}) => new Map(Object.entries(values));

function said(source: string, state: Record<string, Scalar> = {}, fuel = 1_000): Scalar {
  const parsed = parseExpression(source);
  if (!parsed.ok) return `refused: ${parsed.message}`;
  const scope = { state: map(state), parameters: map({ p: 2 }), calculated: map({ c: 3 }) };
  const result = evaluateExpression(parsed.expression, scope, { left: fuel });
  return result.ok ? result.value : `out: ${result.reason}`;
}

test.each([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 - 4 - 3', 3],
  ['16 / 4 / 2', 2],
  ['7 % 4', 3],
  ['-2 * -3', 6],
  ['1.5e2', 150],
  ['.5 + 1.', 1.5],
  ['1 < 2 && 2 <= 2', true],
  ['1 > 2 || !(3 != 3)', true],
  ['\'a\' == "a"', true],
  ["'a\\'b' == \"a'b\"", true],
  ["'abc' < 'abd'", true],
  ["1 == '1'", false],
  ['true == !false', true],
  ['min(100, 200 - 100)', 100],
  ['max(1, 5, 3)', 5],
  ['abs(-4) + floor(1.9) + ceil(1.1) + round(2.5)', 10],
  ['a + p + c', 6],
  ['state.a + parameter.p', 3],
  ['`cost-per-node` * 2', 8],
  ['state.`cost-per-node`', 4],
])('%s comes to %s', (source, value) => {
  expect(said(source, { a: 1, 'cost-per-node': 4 })).toBe(value);
});

test('a name is a state before it is a parameter, and a parameter before it was calculated', () => {
  expect(said('p', { p: 9 })).toBe(9);
  expect(said('parameter.p', { p: 9 })).toBe(2);
  expect(said('state.p')).toBe('out: state.p is not known');
});

test.each([
  ['nodes_free > 0', 'out: nodes_free is not known'],
  ['1 / 0', 'out: a division by zero'],
  ['5 % (2 - 2)', 'out: a division by zero'],
  ["1 + 'a'", 'out: "+" needs a number, not "a"'],
  ["1 < 'a'", 'out: "<" needs a number, not "a"'],
  ['1 && true', 'out: "&&" needs true or false, not 1'],
  ['1e300 * 1e300', 'out: a number beyond all bounds'],
  ['constructor + __proto__', 'out: constructor is not known'],
  ['toString', 'out: toString is not known'],
])('%s leaves the cluster out: %s', (source, reason) => {
  expect(said(source)).toBe(reason);
});

test.each([
  ['', 'The expression is empty.'],
  ['1 +', 'The expression ends too early.'],
  ['(1', 'A ")" is missing.'],
  ['1 2', '"2" at character 3 is not expected here.'],
  ['a = 1', '"=" at character 3 has no meaning in an expression.'],
  ['a; b', '";" at character 2 has no meaning in an expression.'],
  ['"open', 'The text that begins at character 1 has no end.'],
  ['`open', 'The name that begins at character 1 has no end.'],
  ['9007199254740993', 'The number 9007199254740993 is too large to calculate with.'],
  ['1e999', 'The number 1e999 is too large to calculate with.'],
  ['eval(1)', 'There is no function "eval"; there are min max abs floor ceil round.'],
  ['constructor(1)', 'There is no function "constructor"; there are min max abs floor ceil round.'],
  ['abs(1, 2)', '"abs" takes one number.'],
  ['min()', '"min" takes 1 to 16 numbers.'],
  ['node.free', 'Only "state." and "parameter." go before a name; write `node.…`.'],
  ['('.repeat(100), 'An expression nests at most 32 levels.'],
  ['!'.repeat(200), 'An expression nests at most 32 levels.'],
  ['1+'.repeat(129), 'An expression has at most 256 characters.'],
])('%s is refused: %s', (source, message) => {
  expect(said(source)).toBe(`refused: ${message}`);
});

test('without fuel nothing is calculated', () => {
  expect(said('1 + 1 + 1', {}, 3)).toBe('out: the expressions cost too much to calculate');
});

const pieces = fc.constantFrom(
  ...'( ) ! - + * / % && || == != < <= > >= , . ` \' " 0 1 1e308 9007199254740992 state'.split(' '),
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty', 'min', 'max', 'floor', 'true'],
  ...['a', '\u0000', '\ud800', '🙂', '\\', ' ', '=', ';', '{', '[', '$', '#'],
);
const hostile = fc.oneof(
  fc.array(pieces, { maxLength: 300 }).map((parts) => parts.join('')),
  fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(' ')),
  anyText(400),
  fc
    .tuple(fc.constantFrom('(', '!', '-', 'min(', '`', '"'), fc.nat(300))
    .map(([it, n]) => it.repeat(n)),
);

test('whatever is written ends within its bounds, in a value or in a sentence', () => {
  fc.assert(
    fc.property(hostile, (source) => {
      const value = said(source, { a: 1, constructor: 'x' });
      if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
      if (source.length > selectionExpressionLengthMax) expect(value).toMatch(/^refused: /);
      if (typeof value === 'string') expect(value.length).toBeLessThan(700);
    }),
    { numRuns: 2_000 },
  );
});

/** Trees of arithmetic with the value that JavaScript gives them: a judge of signs and order. */
const arithmetic = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.integer({ min: 0, max: 99 }).map(String),
    fc
      .tuple(tie('tree'), fc.constantFrom('+', '-', '*', '/', '%'), tie('tree'))
      .map(([a, sign, b]) => `${a} ${sign} ${b}`),
    tie('tree').map((inner) => `(${inner})`),
    tie('tree').map((inner) => `-(${inner})`),
  ),
})).tree;

test('signs bind as everywhere', () => {
  fc.assert(
    fc.property(arithmetic, (source) => {
      fc.pre(source.length <= selectionExpressionLengthMax);
      const value = said(source);
      fc.pre(typeof value === 'number');
      expect(value).toBe(new Function(`return ${source}`)());
    }),
  );
});
