/** Bounds of output that is followed while it is printed (`real-work.md` §5). */

/** Chunks of one edge that are followed at once: their wishes travel in its work document. */
export const liveChunksPerEdgeMax = 20;
/**
 * All wishes of an edge in its document: what a shadow of 8 KB has beside the work (`workBytesMax`)
 * and the envelope. Where ids are long they are fewer.
 */
export const liveWishesBytesMax = 500;
/** An edge sends for so long after somebody has asked. */
export const liveWishMs = 60_000;
/** A wish is written anew when less than this is left of it: so often, however many look. */
export const liveRenewMs = 30_000;
/** Readers that write the wishes of one edge at once: one of them succeeds each time. */
export const liveWishTriesMax = 5;

/** Two such parts a second are the 256 KB/s that an edge may send. */
export const livePartBytesMax = 128 * 1024;
/** Priced like one object and a row that names it; a longer one is cheaper as an object. */
export const livePartInlineBytesMax = 4 * 1024;
/** Of what was printed before anybody looked, the last so much. */
export const liveBacklogBytesMax = 256 * 1024;
/** What a follower saw stays readable for more than a minute, whatever the job keeps. */
export const livePartKeptSeconds = 600;
/** Parts that one answer is put together of: at most as many bytes as `liveAnswerBytesMax`. */
export const livePartsReadMax = 50;
/** No output is as long: fifteen digits, as keys of parts have. */
export const liveOffsetMax = 999_999_999_999_999;
/** Pages of parts that have expired and lie there yet, before those that are looked for. */
export const livePagesMax = 20;
export const liveAnswerBytesMax = 1024 * 1024;

/** A gateway gives an answer 29 seconds (quota of API Gateway). */
export const waitSecondsMax = 25;
/** Who does not follow still gives the edge the time to send what there is. */
export const firstLookMs = 4_000;
/** Between two looks of somebody who waits: one small read each. */
export const livePartsLookMs = 250;
/** Whether the chunk has ended is looked at this often: that is several reads. */
export const livePlaceLookMs = 2_000;
