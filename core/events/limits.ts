/** Bounds of the fleet's timeline (`second-wave.md` §8). */

/** As long as a receiver may be away and miss nothing. */
export const eventsKeptSeconds = 86_400;
/** Events of one row: it is priced by the kilobyte, and an event takes some 300 bytes. */
export const eventsPerRowMax = 100;
/** Rows that one read takes. */
export const eventRowsReadMax = 20;
/** Writers that append at once: each time one of them succeeds. */
export const appendTriesMax = 50;
/** Between two looks of somebody who waits for an event: one small read each. */
export const eventsLookMs = 400;
/**
 * How long a stream of events lasts; then its reader goes on where it was. Lambda lets a function
 * run on when its reader has gone, and bills that ("Response streaming for Lambda functions").
 */
export const eventStreamMsMax = 120_000;
/** A sign of life for what lies between; the caller is looked up again with it. */
export const eventStreamBeatMs = 15_000;
/** What a reader shall wait before it asks again. */
export const eventStreamRetryMs = 1_000;
/** A reader that takes nothing for so long is left; it asks again where it was. */
export const eventStreamStallMs = 10_000;
/** What an event says in words. */
export const eventDetailLengthMax = 300;
/** Between two looks of a subscription at what it shows (`second-wave.md` §8: two a second). */
export const graphLookMs = 500;
/** The same for each point that a look may cost: what reads a hundred items is read as often. */
export const graphLookMsPerCost = 5;
/** A subscription reads for no more than a sixth of the time, as pages of the dashboard do. */
export const graphPauseFactor = 5;
/** Subscriptions of one token at once (`second-wave.md` §8). */
export const graphStreamsPerTokenMax = 50;
/** A subscription whose function ended without a word gives up its place: it has 150 s in all. */
export const graphStreamPlaceMs = 160_000;
