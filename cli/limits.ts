/** Bounds of the command line client itself; the bounds of the system are in core. */

/** One HTTP request, answer included. The API's own limit is 29 seconds. */
export const requestMsMax = 30_000;
/**
 * First try and repetitions together, for answers that say "later" and for connections that broke.
 */
export const requestAttemptsMax = 5;
/** What a `Retry-After` may make us wait; a longer one is passed on to the user. */
export const retryAfterMsMax = 20_000;
export const retryFirstMs = 200;
/** An answer larger than this is not one of ours. */
export const answerBytesMax = 32 * 1024 * 1024;

/** `--wait` without `--timeout`. */
export const waitMsDefault = 24 * 3_600_000;
/** `--wait=placed` without `--timeout`: placing takes well under a second when it is possible. */
export const placedMsDefault = 30_000;
/** While something is waited for it is asked for after 100 ms, then ever less often. */
export const pollFirstMs = 100;
export const pollMsMax = 1_000;
/**
 * How long an API may be away while something is waited for or watched: a restart, a new address.
 */
export const unreachableMsMax = 60_000;
/** How often `--watch` draws, unless `--every` says otherwise. */
export const watchEveryMs = 1_000;

/** `login` waits for the browser this long: some issuers ask for a second factor first. */
export const signInMsMax = 300_000;
/** An answer of an issuer: a document of a few KB, or a token with many groups in it. */
export const issuerBytesMax = 256 * 1024;
/** Between two looks whether another process has renewed the token. */
export const renewalPollMs = 100;

/** How many of the newest jobs are looked through for a name or the beginning of an id. */
export const lookupJobsMax = 500;
export const pageLimitMax = 500;
/** `--all` ends here. */
export const listItemsMax = 100_000;
/** Chunks that one command names: each is a request. */
export const namedChunksMax = 500;
/** Outputs that `logs JOB` prints before it names the rest. */
export const logChunksMax = 100;
/** What `logs --limit` takes: at 64 KB each they are some hundred megabytes. */
export const logLimitMax = 10_000;
/** Chunks that `logs -f` follows at once: as many as one edge sends. */
export const followedChunksMax = 20;
/** An output follows the end of its chunk within seconds, or not at all. */
export const outputMsMax = 15_000;
/** How long one request waits for more of an output. */
export const followWaitSeconds = 20;

/** What lasts longer than this is followed by events; most waits are over sooner. */
export const liveAfterMs = 5_000;
/** How often it is looked at all the same, while events say when something has changed. */
export const liveLookMs = 5_000;
/** Until the first sign of a stream; what lies between may hold everything back. */
export const streamOpenMsMax = 5_000;
/** Its signs of life come every 15 seconds (`eventStreamBeatMs`). */
export const streamSilenceMsMax = 40_000;
/** One event has a few hundred bytes. */
export const serverSentBytesMax = 65_536;

/** A job file: the API takes bodies up to 256 KB. */
export const fileBytesMax = 256 * 1024;
/** A list in one piece of JSON is read whole; lines are not. */
export const jsonListBytesMax = 64 * 1024 * 1024;
/** Values of one range of a matrix, which the body of the job holds. */
export const matrixRangeMax = 10_000;
/** Files that are sent at once. */
export const uploadsAtOnce = 4;
/** What is read of a file at once. */
export const readBytes = 262_144;
/** What is summed at once of a large file, and how many of these lie between its two threads. */
export const summedBytes = 1_048_576;
export const summedAtOnceMax = 8;
/** Rounds of parts beyond those that a file of the largest size takes, before it is given up. */
export const partRoundsBeside = 4;
/** A file that does not move for so long is sent again. */
export const uploadStallMs = 30_000;
/** Files of subsystems in a directory: as many as a cluster may have. */
export const userSubsystemsMax = 32;
/** Levels above the working directory in which a local cloud is looked for. */
export const parentDirectoriesMax = 32;

/** Simulated edges that one process runs. */
export const fleetEdgesMax = 2_000;
/** Jobs the random requester remembers in order to remove them when they are old. */
export const requesterJobsMax = 50_000;
/** The list of a pool shows a new job within this time. */
export const countedMsMax = 1_000;
/** Jobs it submits at the same time. */
export const requesterParallelMax = 8;
/** How long `up` waits for the local cloud, and `down` for its end. */
export const localStartMsMax = 60_000;
export const localStopMsMax = 20_000;
/** How often a change of an edge is made again on what is there now. */
export const changeAttemptsMax = 5;
/** What one screen shows of an edge's facts, of a set of ranges and of executions. */
export const factsShownMax = 24;
export const rangesShownMax = 24;
export const executionsShownMax = 12;
/** Items of a list without `--limit`: a screen or two. */
export const listLimitDefault = 50;
/** The shortest `--every`: ten requests a second. */
export const watchEveryMsMin = 100;
/** Old jobs that the random requester removes after one submission. */
export const removedAtOnceMax = 20;
/** Simulated edges that get a directory each; more of them share one journal. */
export const ownDirectoriesMax = 64;
/** One Ctrl-C may arrive twice, from the terminal and from the program that started this one. */
export const sameInterruptMs = 500;
/** So many lines or columns at least: a window may say that it has none. */
export const screenRowsMin = 4;
export const screenColumnsMin = 20;
/** A graph above this is sent packed: the API takes 256 KB as they come. */
export const packedBytesMin = 64 * 1024;

/** Between two looks at what a cluster has accepted and not yet done. */
export const receiveEveryMs = 1_000;
/** Files of a job that come at once: many are small, and each costs a round trip. */
export const downloadsAtOnce = 8;
/** Jobs of a wide list whose last words are read: a screen, and two small requests each. */
export const lastWordsJobsMax = 50;
export const lastWordsAtOnce = 8;
/** Characters of the last line that a job printed. */
export const lastLineShownMax = 20;
/** A failed update is believed after so long: a pass of its cell takes about a second. */
export const failedUpdateMs = 3_000;
/** Instances of a service on its page. */
export const instancesShownMax = 100;
/** How long a signature may count, when it says an end: ten years. */
export const signatureMsMax = 3_650 * 86_400_000;

/** Stages that one description is about: a person has named each of them as a context. */
export const stagesMax = 32;
/** Of each kind; a deployment has no more pools or queues than that many. */
export const describedNamesMax = 1_000;
