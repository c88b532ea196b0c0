/** Bounds of an edge that is a deployment: in the name the unit, in the comment the source. */

/** Jobs below are looked at this often while something happens to them, and ever more rarely. */
export const downstreamPollMs = 500;
export const downstreamPollMsMax = 5_000;
/** Requests to the deployment below that are under way at once. */
export const downstreamRequestsMax = 4;
/** How often the pool below is asked what is free in it. */
export const siteStatsEveryMs = 10_000;
/** How often its edges are read through: what all have changes when edges come and go. */
export const siteEdgesEveryMs = 30_000;
/** Edges of the pool below that are read; those beyond are believed to be like these. */
export const siteEdgesMax = 5_000;
/** Pages of a list, as the API allows them. */
export const downstreamPageMax = 500;
/** Chunks that become one job below: a document of work holds their numbers, not more. */
export const partChunksMax = 20_000;
/** A job that nothing below can run is offered to it again after this. */
export const downstreamRefusalKeptMs = 120_000;
/** One look may fall between two things that belong together. */
export const hopelessLooksMax = 3;
/** Cancelled jobs below whose ids are in use although nothing of them runs. */
export const partTriesMax = 1_000;
/** A text that comes up as the reason of a refusal (`reasonLengthMax`). */
export const downstreamReasonMax = 256;
/** Pieces of ranges that one request cancels: 6 KB of an address, of which gateways take 8. */
export const cancelledIntervalsMax = 400;
