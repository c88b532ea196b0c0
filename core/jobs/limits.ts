/** Bounds of what users decide about jobs: in the name the unit, in the comment the source. */

/** Of one job, as text: each of its cells reads it with every pass, and a cell has many jobs. */
export const cancelledRangesLengthMax = 8 * 1024;
