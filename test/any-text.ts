import fc from 'fast-check';

/**
 * Any characters, as `fc.string({ unit: 'binary' })` draws them; that makes a table of all of them
 * first, which takes a second.
 */
const character = fc
  .oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point));

export function anyText(maxLength?: number): fc.Arbitrary<string> {
  const constraints = maxLength === undefined ? {} : { maxLength };
  return fc.array(character, constraints).map((characters) => characters.join(''));
}
