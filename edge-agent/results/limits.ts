/** Bounds of results on their way: in the name the unit, in the comment the source. */

/** Files that go at once: the store takes a few hundred megabits a second of each. */
export const uploadsAtOnce = 4;
/** Chunks whose results are looked through and sent at once; the others wait. */
export const chunksSentAtOnce = 4;
/** An upload of which nothing has gone for so long is begun again. */
export const uploadStallMs = 30_000;
export const sendRetryMsMin = 500;
export const sendRetryMsMax = 60_000;
/** Rounds of parts beyond those that a file of the largest size takes, before it is put off. */
export const partRoundsBeside = 4;
/** A file is read in pieces of this size, and is never whole in memory. */
export const readBytes = 256 * 1024;
/** What is another one so often when it is read again is still being written. */
export const changesMax = 3;
/**
 * Chunks that have ended and whose results are on their way take no slot, so that the next may
 * begin; with more of them than this they do, so that a slow link does not fill the disk.
 */
export const sendingBesideMax = 64;
/** What a walk looks at: a chunk that leaves more names patterns that mean less. */
export const entriesSeenMax = 200_000;
/** Of a path in a reason, which has 64 characters altogether (`failureTextLengthMax`). */
export const shownLengthMax = 18;
