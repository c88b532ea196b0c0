import { factTextLengthMax } from '../model/limits.ts';

/**
 * Which files an edge has, in a text that fits one fact: a Bloom filter of five bits a character.
 * It says of some that they are there though they are not, and it is the word of an edge: it may
 * decide between edges that are equal, and nothing else. Characters that mean nothing say nothing.
 */
const bitsPerCharacter = 5;
const filterBits = factTextLengthMax * bitsPerCharacter;

export function heldText(digests: Iterable<string>): string {
  const groups = new Uint8Array(factTextLengthMax);
  for (const bit of [...digests].flatMap(bitsOf)) {
    groups[Math.floor(bit / bitsPerCharacter)]! |= 1 << (bit % bitsPerCharacter);
  }
  return [...groups].map((group) => group.toString(32)).join('');
}

/** Whether the text says that every bit is set. */
export function says(held: unknown, bits: readonly number[]): boolean {
  if (typeof held !== 'string') return false;
  return bits.every((bit) => {
    const group = held.charAt(Math.floor(bit / bitsPerCharacter));
    return ((Number.parseInt(group, 32) >> (bit % bitsPerCharacter)) & 1) === 1;
  });
}

/** A digest is as good as random: its own digits say where its bits are. */
export function bitsOf(digest: string): number[] {
  return [0, 4, 8, 12].map((at) => Number.parseInt(digest.slice(at, at + 4), 16) % filterBits);
}
