/**
 * Bounds that only the dashboard has; the bounds of the system are in `core/model/limits.ts`.
 */

/** Newest jobs from which the first screen counts what goes on. */
export const fleetJobsMax = 1_000;
/** Jobs that the list holds; older ones are found by a filter. */
export const listedJobsMax = 5_000;
/** As many as there can be. */
export const listedTokensMax = 1_000;
/** Jobs that the page of an edge goes back. */
export const edgeHistoryMax = 200;
/** Intervals of chunks that are drawn one by one: more than a screen has columns. */
export const chunkIntervalsMax = 4_000;
/** Characters of one value in an address; a longer one is not ours. */
export const routeTextLengthMax = 512;
/** The number of a page in an address. */
export const pageNumberMax = 99_999;
/** One request, answer included. */
export const requestTimeoutMs = 15_000;
/** Answers kept for comparison; the oldest go first. */
export const rememberedAnswersMax = 64;
/** Lines of facts that are shown. */
export const factLinesMax = 80;
/** Events of a timeline that are asked for, and how many of them are shown at first. */
export const timelineEventsMax = 1_000;
export const timelineShownMax = 100;
export const timelineFirstShown = 8;
/** Rows of a part of a page that has pages of its own: as many as a screen shows. */
export const pagedRowsMax = 25;
/** A list as short as this is drawn whole, also where nobody sees it. */
export const drawnWholeMax = 40;
/** Files of one chunk that are listed. */
export const listedFilesMax = 200;
/** As many services as a list shows, and instances as one service has. */
export const listedServicesMax = 1_000;
export const listedSchedulesMax = 1_000;
/** Times of a schedule that are looked back on. */
export const scheduleRunsShownMax = 200;
/** Changes that are listed; older ones are found by a shorter time. */
export const listedAuditMax = 2_000;
/** What a search shows: more words find what is not among them. */
export const searchHitsMax = 30;
export const instancesShownMax = 500;
/** Instances of which is shown how they ended. */
export const lastExitsShownMax = 50;
/** Failed chunks of a job that are listed. */
export const failedChunksMax = 500;
/** Executions that a job carries itself (`executionsShownMax` of the API). */
export const executionsInlineMax = 100;
/** What is done to many at once: to how many, how many of them together, and how often each. */
export const bulkItemsMax = 500;
export const bulkAtOnceMax = 4;
export const bulkTriesMax = 4;
/** Refusals of those that are shown. */
export const refusedShownMax = 20;
/** Places of a dry run that are shown. */
export const dryrunShownMax = 20;
/**
 * Failed jobs that are asked why, chunks of one that are looked at, and reasons that are shown.
 */
export const failedJobsAskedMax = 20;
export const failedChunksAskedMax = 100;
export const failureReasonsShownMax = 6;
/** Jobs under way on the first screen. */
export const runningShownMax = 8;
/** The longest pause between two looks, whatever they cost. */
export const pauseMsMax = 30_000;
/** Between two looks where figures say that nothing changes; labels are in none of them. */
export const quietLookMs = 600_000;
/** Until the first sign of a stream; what lies between may hold everything back. */
export const streamOpenMsMax = 5_000;
/** Its signs of life come every 15 seconds (`eventStreamBeatMs`). */
export const streamSilenceMsMax = 40_000;
/** Between the end of a stream and the next one (`eventStreamRetryMs`). */
export const streamAgainMs = 1_000;
/** Where no stream was to be had, how long nobody tries again. */
export const streamMissingMs = 600_000;
/** One message; longer ones are not of ours. */
export const streamTextLengthMax = 65_536;
/** How long a request waits for the next event (as long as the API lets it), and is waited for. */
export const eventWaitSeconds = 25;
export const eventWaitMsMax = 35_000;
/** Fewer chunks than this need no map: the bar shows them. */
export const drawnChunksMin = 12;

/** Jobspecs in their list: each is read with all of its jobs, fifty to a page. */
export const listedJobspecsMax = 100;
/** Offers that are shown of an edge; their number is of all. */
export const offersShownMax = 50;
/** Characters of a name in the box of a task: as many as its width has room for. */
export const taskNameShownMax = 20;
/** Levels of a graph that are drawn: as many as the API accepts. */
export const treeLevelsMax = 16;
