/** Random bytes, so that ids can come from a seed. */
export type Randomness = { bytes(count: number): Uint8Array };
