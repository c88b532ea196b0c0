import fc from 'fast-check';
import { expect, test } from 'vitest';
import { styledText } from '../../../dashboard/model/styled-text.ts';

const shown = (text: string) => styledText(text).map(({ text, style }) => [text, style.join(' ')]);

test.each([
  ['nothing of it', 'plain\n', [['plain\n', '']]],
  [
    'a colour and its end',
    '\u001b[31mred\u001b[0m!',
    [
      ['red', 'fg-1'],
      ['!', ''],
    ],
  ],
  ['bright, bold, on a ground', '\u001b[1;92;44mx', [['x', 'bold fg-10 bg-4']]],
  [
    'an end without a number',
    '\u001b[1mx\u001b[my',
    [
      ['x', 'bold'],
      ['y', ''],
    ],
  ],
  ['one of the table', '\u001b[38;5;9mx', [['x', 'fg-9']]],
  ['finer ones, and what follows them', '\u001b[38;2;1;2;31;1mx', [['x', 'bold']]],
  ['finer ones of the table', '\u001b[31m\u001b[38;5;200mx', [['x', '']]],
  [
    'only a part of it ends',
    '\u001b[1;4;31mx\u001b[22;39my',
    [
      ['x', 'bold underline fg-1'],
      ['y', 'underline'],
    ],
  ],
  ['what no page knows', '\u001b[5;53;999mx', [['x', '']]],
  ['a title of the window', '\u001b]0;pwned\u0007x', [['␛]0;pwned^Gx', '']]],
  ['text that runs backwards', 'a\u202Eb', [['a<U+202E>b', '']]],
])('%s', (_, text, pieces) => {
  expect(shown(text)).toEqual(pieces);
});

test('no sequence comes through, and no text is lost', () => {
  const pieces = fc.constantFrom('\u001b', '[', '31', ';', 'm', '38;5', 'J', 'x', '<b>', '\n');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (words) => {
      const text = words.join('');
      const all = styledText(text);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what may not come through
      expect(all.map((piece) => piece.text).join('')).not.toMatch(/\u001b/);
      const count = (of: string): number => of.split('x').length;
      expect(count(all.map((piece) => piece.text).join(''))).toBe(count(text));
      for (const { style } of all) {
        for (const word of style) expect(word).toMatch(/^(bold|faint|italic|[fb]g-\d{1,2}|\w+)$/);
      }
    }),
  );
});
