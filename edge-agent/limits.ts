/**
 * Bounds that only the agent has; the ones it shares with the cloud are in `core/model/limits.ts`.
 */

/**
 * Two reports of one edge are never closer than this, even when a lease runs dry: IoT allows 20 a
 * second per shadow.
 */
export const progressEveryMsMin = 60;
/** In case both the broker's word of a connection and the report that followed it were lost. */
export const idleReportEveryMs = 6 * 3_600_000;
/**
 * Mere progress is told at least this often; the cloud writes a refill again that is not applied in
 * a minute.
 */
export const progressEveryMsMax = 45_000;
/** A chunk that ends sooner is reported once, as done, and not also as running. */
export const startReportMs = 250;
/**
 * A new epoch alone is confirmed within this time: the cloud writes again after five seconds
 * without it.
 */
export const epochReportMs = 1_200;
/** How long an update may stay unanswered before it is sent again. */
export const acceptedWaitMs = 5_000;
/**
 * What `prog` grows to; the rest waits for acknowledgement. 8 KB less the envelope and the keys
 * being nulled.
 */
export const progressBytesMax = 6_500;
/** Sequence numbers are reserved in blocks, so that not every report writes to the disk. */
export const sequenceBlock = 1_000;
/** The last contact is written down this often: the grain of `offlineSeconds` over a reboot. */
export const contactEveryMs = 15_000;

export const reconnectMsMin = 250;
export const reconnectMsMax = 30_000;
/**
 * IoT Core takes 30 to 1,200 seconds. The shortest finds a silent link soonest, and a ping costs
 * nothing.
 */
export const keepAliveSeconds = 30;
export const connectTimeoutMs = 15_000;
export const httpTimeoutMs = 15_000;
export const httpAnswerBytesMax = 1024 * 1024;
export const pollBusyMs = 1_000;
export const pollIdleMs = 3_000;
/**
 * So many edges of one process enrol at the same time: few at first, and one more after every so
 * many.
 */
export const enrolTurns = { atFirst: 2, atOnce: 8, every: 4 };
/** So many edges of one process connect at the same time. */
export const connectConcurrency = 50;
export const edgesPerProcessMax = 5_000;
/**
 * The shortest a certificate's remaining life may get, as a part of its whole life, before it is
 * renewed.
 */
export const renewAtLifeLeft = 1 / 3;
export const renewAgainMs = 600_000;
export const renewCheckMs = 6 * 3_600_000;

export const specRetryMsMin = 500;
export const specRetryMsMax = 60_000;
/**
 * A spec that could not be had for this long is told to be missing, so that others get the work.
 */
export const specPatienceMs = 300_000;
export const specsInMemoryMax = 1_000;
export const specsOnDiskMax = 2_000;

/**
 * The journal is rewritten when it has grown to this, and to four times what the last rewrite
 * left.
 */
export const journalBytesMin = 1024 * 1024;
export const journalGrowthMax = 4;
/**
 * Records that wait for a disk that takes nothing; beyond this the agent only counts them as lost.
 */
export const journalPendingMax = 50_000;
export const journalRetryMs = 5_000;
/** A longer line is not ours. */
export const journalLineBytesMax = 256 * 1024;

/** What a simulated chunk has worked is noted this often. */
export const simulateNoteMs = 1_000;

/** SIGTERM, then this long, then SIGKILL. */
export const killAfterMs = 5_000;
/** A launcher whose agent died waits this long for the next one before it kills what it holds. */
export const orphanGraceMs = 10_000;
/** A chunk's output file is cut back to its tail when it has grown to this. */
export const outputFileBytesMax = 4 * 1024 * 1024;
export const outputWatchMs = 250;
/** Descendants that left their group are looked for this long after a chunk has ended. */
export const strayCheckMs = 2_000;
export const launcherFrameBytesMax = 4 * 1024 * 1024;
export const launcherStartMs = 10_000;

/** Kept outputs on disk that wait for the uplink; the oldest go first. */
export const outputsOnDiskMax = 500;
export const outputUploadsAtOnce = 4;

export const commandTimeoutMs = 60_000;
export const commandOutputBytesMax = 1024 * 1024;
export const imagePullTimeoutMs = 900_000;
export const clusterPollMs = 1_000;
export const clusterPollMsMax = 10_000;
/** Slurm's default MaxArraySize is 1001, so the largest index is 1000. */
export const arrayTasksMax = 1_000;
/** A job that the local scheduler no longer knows this often in a row was lost by it. */
export const clusterMissesMax = 5;

export const stopWaitMs = 8_000;
export const softwareCommandsMax = 50;
export const softwareTimeoutMs = 5_000;
export const clockSkewMsMax = 300_000;
export const diskFreeBytesMin = 64 * 1024 * 1024;
/** Looking costs a few milliseconds, and an idle agent shall cost nothing. */
export const factsEveryMs = 60_000;
