/** Bounds of what a chunk runs. */

/** What browsers and servers agree on for an address. */
export const rootfsLengthMax = 2_048;
