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

/** How many of the newest jobs are looked through for a name or the beginning of an id. */
export const lookupJobsMax = 500;
export const pageLimitMax = 500;
/** `--all` ends here. */
export const listItemsMax = 100_000;
/** Outputs that `logs JOB` prints before it names the rest. */
export const logChunksMax = 100;

/** A job file: the API takes bodies up to 256 KB. */
export const fileBytesMax = 256 * 1024;
/** Levels above the working directory in which a local cloud is looked for. */
export const parentDirectoriesMax = 32;

/** Simulated edges that one process runs. */
export const fleetEdgesMax = 2_000;
/** Jobs the random requester remembers in order to remove them when they are old. */
export const requesterJobsMax = 50_000;
/** Jobs it submits at the same time. */
export const requesterParallelMax = 8;
/** How long `up` waits for the local cloud, and `down` for its end. */
export const localStartMsMax = 60_000;
export const localStopMsMax = 20_000;
