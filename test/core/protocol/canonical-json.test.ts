import { expect, test } from 'vitest';
import { canonicalJson } from '../../../core/protocol/canonical-json.ts';

/** Sections 3.2.2 and 3.2.3 of the standard. */
test('is written as RFC 8785 writes its examples', () => {
  const primitives = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  expect(canonicalJson(JSON.parse(primitives))).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
  const sorted = String.raw`{"\u20ac": "Euro Sign", "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One", "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}`;
  const order = Object.values(JSON.parse(canonicalJson(JSON.parse(sorted))) as object);
  expect(canonicalJson(JSON.parse(sorted)).startsWith(String.raw`{"\r":`)).toBe(true);
  expect(order.filter((name) => name !== 'One')).toEqual([
    'Carriage Return',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ]);
});

test('any name is kept, and what is null, too', () => {
  const named = JSON.parse('{"__proto__":1,"constructor":null}');
  expect(canonicalJson(named)).toBe('{"__proto__":1,"constructor":null}');
  expect(canonicalJson({ b: undefined, a: [undefined, {}] })).toBe('{"a":[null,{}]}');
});
