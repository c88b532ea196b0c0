import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeSafeText } from '../../../core/live/safe-text.ts';

function safe(...parts: string[]): string {
  const text = makeSafeText();
  return parts.map((part) => text.add(part)).join('') + text.end();
}

test('colours stay, and end with the text', () => {
  expect(safe('\u001b[1;31mred\u001b[0m and plain\n')).toBe(
    '\u001b[1;31mred\u001b[0m and plain\n\u001b[0m',
  );
  expect(safe('nothing\tspecial\r\n')).toBe('nothing\tspecial\r\n');
});

test.each([
  ['a title of the window', '\u001b]0;pwned\u0007', '␛]0;pwned^G'],
  ['an answer in the name of who reads', '\u001b[6n', '␛[6n'],
  ['a cleared screen', '\u001b[2J\u001b[H', '␛[2J␛[H'],
  ['a device control', '\u001bP+q544e\u001b\\', '␛P+q544e␛\\'],
  ['controls of eight bits', '\u009b2J\u0090x', '<U+009B>2J<U+0090>x'],
  ['text that runs backwards', 'a\u202Eb', 'a<U+202E>b'],
  ['what rubs out', 'secret\u0008\u0008\u007f', 'secret^H^H^?'],
  ['a colour without end', `\u001b[${'1;'.repeat(30)}m`, `␛[${'1;'.repeat(30)}m`],
])('%s is shown, not done', (_, hostile, shown) => {
  expect(safe(hostile)).toBe(shown);
});

test('however the text is cut, it comes to the same', () => {
  const pieces = fc.constantFrom('\u001b', '[', '31', ';', 'm', 'J', 'x', '\u0007', ']', '\n');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (words) => {
      expect(safe(...words)).toBe(safe(words.join('')));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what may not come through
      expect(safe(...words).replace(/\u001b\[[\d;]*m/g, '')).not.toMatch(/[\u001b\u0007]/);
    }),
  );
});
