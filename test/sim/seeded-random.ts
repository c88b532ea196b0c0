/**
 * Randomness from a seed: xoshiro128** over a splitmix32 start. One stream per purpose, so that one
 * more draw in the network does not renumber the ids of the jobs.
 */
export type SeededRandom = {
  /** In [0, 1). */
  next(): number;
  /** An integer in [from, to]. */
  between(from: number, to: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  bytes(count: number): Uint8Array;
  /** An independent stream named after its purpose. */
  stream(name: string): SeededRandom;
};

export function seededRandom(seed: number): SeededRandom {
  const state = expandSeed(seed);
  const nextInteger = () => {
    const result = Math.imul(rotateLeft(Math.imul(state[1]!, 5), 7), 9) >>> 0;
    const shifted = state[1]! << 9;
    state[2]! ^= state[0]!;
    state[3]! ^= state[1]!;
    state[1]! ^= state[2]!;
    state[0]! ^= state[3]!;
    state[2]! ^= shifted;
    state[3] = rotateLeft(state[3]!, 11);
    return result;
  };
  const random: SeededRandom = {
    next: () => nextInteger() / 2 ** 32,
    between: (from, to) => from + Math.floor(random.next() * (to - from + 1)),
    chance: (probability) => random.next() < probability,
    pick: (items) => items[Math.floor(random.next() * items.length)]!,
    bytes: (count) => Uint8Array.from({ length: count }, () => nextInteger() & 0xff),
    stream: (name) => seededRandom(seed ^ hashText(name)),
  };
  return random;
}

function expandSeed(seed: number): Int32Array {
  const state = new Int32Array(4);
  let z = seed | 0;
  for (let i = 0; i < 4; i++) {
    z = (z + 0x9e3779b9) | 0;
    let mixed = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    state[i] = mixed ^ (mixed >>> 16);
  }
  return state;
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** FNV-1a, 32 bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash | 0;
}
