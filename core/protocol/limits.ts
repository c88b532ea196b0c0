/** Bounds of what cloud and agent say to each other, beside those of `core/model/limits.ts`. */

/** Running chunks of one job whose progress a report tells: 700 bytes of it at most. */
export const percentsMax = 64;
/** The longest text of them: `9999999:99,` so many times. */
export const percentsLengthMax = 768;
/** The longest text of what an edge has given its instances: a quarter of its report. */
export const instancePortsLengthMax = 2_048;
/** Programs that a release names: two for each kind of machine, with room. */
export const releaseProgramsMax = 32;
