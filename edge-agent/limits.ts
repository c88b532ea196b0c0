/**
 * Bounds that only the agent has; the ones it shares with the cloud are in `core/model/limits.ts`.
 */

/**
 * Two reports of one edge are never closer than this, even when a lease runs dry: IoT allows 20 a
 * second per shadow.
 */
export const progressEveryMsMin = 60;
/**
 * In case both the broker's message about a connection and the report that followed it were lost.
 */
export const idleReportEveryMs = 6 * 3_600_000;
/**
 * Facts that changed are sent once more after this time, in case the function that takes them
 * failed for good: longer than a message is tried there. After that as often as an idle edge
 * reports.
 */
export const factsAgainMs = 900_000;
/**
 * Mere progress is reported at least this often; the control plane writes a refill again that is
 * not applied in a minute.
 */
export const progressEveryMsMax = 45_000;
/** Of chunks that have run for so long, progress is reported by itself, so often at most. */
export const reportsProgressAfterMs = 30_000;
export const percentsReportedEveryMs = 10_000;
/** Chunks of one edge that are asked how far they are: each may cost opening a file. */
export const percentsLookedAtMax = 256;
/** Chunks of one edge of which it is read how far they print that they are, so often. */
export const percentsReadMax = 64;
/** No line that says a percent is as long: what is longer is not read again. */
export const progressLineBytesMax = 256;
/** The end of a chunk's progress file, in which its last number is. */
export const progressFileBytesMax = 64;
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
/**
 * So many starts of the agent in a row may end without contact; at the next one it waits for that,
 * for longer than a connection takes, and twice as long each time.
 */
export const startsWithoutContactMax = 3;
export const contactWaitMs = 30_000;
export const contactWaitMsMax = 600_000;

export const reconnectMsMin = 250;
export const reconnectMsMax = 30_000;
/**
 * A connection that ends sooner than this may have been taken over by another agent. While that
 * goes on the pauses grow, so that each of the two is there for long enough to report. It is above
 * the longest pause: what the other one's return ends was short.
 */
export const shortConnectionMs = 30_000;
export const crowdedMsMax = 20_000;
/** Pauses of an agent that was displaced by another one, half as much again at random. */
export const displacedMs = 60_000;
/** Over HTTPS it asks this often then: within what three announced polls allow. */
export const pollDisplacedMs = 15_000;
/** And each of the two reports this often, so that the control plane notices when one is gone. */
export const doubledReportMs = 60_000;
/**
 * IoT Core takes 30 to 1,200 seconds. The shortest finds a silent link soonest, and a ping costs
 * nothing.
 */
export const keepAliveSeconds = 30;
export const connectTimeoutMs = 15_000;
export const httpTimeoutMs = 15_000;
/** Of the trace of a defect: its words and where it happened. */
export const defectLinesMax = 4;
export const httpAnswerBytesMax = 1024 * 1024;
export const pollBusyMs = 1_000;
export const pollIdleMs = 3_000;
/** Offers that an agent in pull mode looks at together, and how often, where nobody says. */
export const offersLookedDefault = 10;
export const offersEveryDefaultMs = 5_000;
/** What is announced: the longest pause between two polls, which are jittered by a quarter. */
export const pollSecondsAnnounced = 4;
/**
 * So many edges of one process enrol at the same time: few at first, and one more after every so
 * many.
 */
export const enrolWidths = { atFirst: 2, atOnce: 8, every: 4 };
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
 * A spec that could not be had for this long is reported as missing, so that others get the work.
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
/** Records that wait for a disk that takes nothing; with more the journal is rewritten after it. */
export const journalPendingMax = 50_000;
export const journalRetryMs = 5_000;
/** Intervals in one record: with the longest numbers still far below the longest line. */
export const journalIntervalsMax = 5_000;
/** A longer line is not ours. */
export const journalLineBytesMax = 256 * 1024;

/** What a simulated chunk has worked is noted this often. */
export const simulateNoteMs = 1_000;

/**
 * Tasks that all chunks of a host may have together when they have a user of their own: enough for
 * any honest crowd, and little enough that a fork bomb leaves the host usable.
 */
export const chunkTasksMax = 4_096;
/** Tasks of one container whose job does not say: as many as podman allows by itself. */
export const containerTasksMax = 2_048;
/** Whether what was killed is gone is looked at this often, less and less. */
export const goneCheckMsMin = 10;
export const goneCheckMsMax = 1_000;

/** SIGTERM, then this long, then SIGKILL. */
export const killAfterMs = 5_000;
/** A launcher whose agent died waits this long for the next one before it kills what it holds. */
export const orphanGraceMs = 10_000;
/**
 * And keeps the ends that no agent has taken in for so long, as long as the data directory is
 * there. They are no more than what ran when the agent went.
 */
export const unclaimedEndsKeptMs = 24 * 3_600_000;
/** A chunk's output file is cut back to its tail when it has grown to this. */
export const outputFileBytesMax = 4 * 1024 * 1024;
/** A chunk that never pauses is shortened all the same after this many looks at its end. */
export const cutTriesMax = 20;
/** UTF-8 (RFC 3629). */
export const characterBytesMax = 4;
/** An exit code and its line break, as a script leaves them. */
export const exitBytesMax = 16;
export const outputWatchMs = 250;
/** Descendants that left their group are looked for this long after a chunk has ended. */
export const strayCheckMs = 2_000;
export const launcherFrameBytesMax = 4 * 1024 * 1024;
export const launcherStartMs = 10_000;
/** Whether the launcher is there is looked at this often, while it is awaited. */
export const launcherLookMs = 2;
/** Data directories that one launcher serves; a fleet gives its edges fewer of their own. */
export const launcherPlacesMax = 128;
/** A path and the words before it; what is reported of it is shorter still. */
export const launcherFailureBytesMax = 512;

/** Kept outputs on disk that wait for the uplink; the oldest go first. */
export const outputsOnDiskMax = 500;
export const outputUploadsAtOnce = 4;

/** Far more than any token, and far less than a file that was named by mistake. */
export const tokenFileBytesMax = 4_096;
export const commandTimeoutMs = 60_000;
export const commandOutputBytesMax = 1024 * 1024;
export const imagePullTimeoutMs = 900_000;
export const clusterPollMs = 1_000;
export const clusterPollMsMax = 10_000;
/** Slurm's default MaxArraySize is 1001, so the largest index is 1000. */
export const arrayTasksMax = 1_000;
/** A job that the local scheduler no longer knows this often in a row was lost by it. */
export const clusterMissesMax = 5;

/** So that nobody guesses the name of another chunk's directory: 64 bits. */
export const directorySuffixBytes = 8;
/** Directories of chunks that are removed side by side: a disk is not faster with more. */
export const removalsAtOnce = 2;
/** Directories that wait to be removed; a disk that cannot keep up slows the agent down. */
export const removalsWaitingMax = 1_000;
/** Of failed chunks, for a look: what a person looks through, and what a small disk can spare. */
export const keptDirectoriesMax = 10;
export const keptDirectoryBytesMax = 1024 * 1024 * 1024;
/** Looking at so many files takes a second; a tree of more is not kept. */
export const keptDirectoryEntriesMax = 50_000;
/** How much is free is asked for at most this often: a chunk may start every millisecond. */
export const diskLookEveryMs = 1_000;
/** A disk that took no directory is asked again after this. */
export const diskTroubleMs = 5_000;

export const stopWaitMs = 8_000;
export const softwareCommandsMax = 50;
export const softwareTimeoutMs = 5_000;
export const clockSkewMsMax = 300_000;
export const diskFreeBytesMin = 64 * 1024 * 1024;
/** Looking costs a few milliseconds, and an idle agent shall cost nothing. */
export const factsEveryMs = 60_000;
/** A figure of the load is reported anew when it has moved by this part of the last one. */
export const loadMovedPart = 0.1;
/** And by so much at least: less is the noise of a host that does nothing. */
export const loadMovedFloors = {
  cpuFreePercent: 5,
  memoryFreeMb: 64,
  diskFreeGb: 0.5,
  jobsQueued: 1,
} as const;
/** As browsers follow twenty and programs five: a mirror sends on once or twice. */
export const redirectsMax = 5;
/** The control plane refuses twice, this far apart, before the edge believes it. */
export const secondQuestionMs = 1_500;
/**
 * Deciding again after the steps gives none, so two looks do; chunks that end at once may ask for
 * a few more.
 */
export const stepLooksMax = 16;
/** Node's timers take no more: a signed number of 32 bits. */
export const timerMsMax = 2_147_483_647;
/** A journal that is written anew goes to disk in pieces of this size. */
export const compactionPieceLengthMax = 256 * 1024;
/** Of what a program prints as its version: longer ones are none. */
export const versionLengthMax = 64;
/**
 * Looks for processes that a dead launcher left, and the pause between two: one that is being
 * killed may just have forked, and dies within milliseconds.
 */
export const ownedLooksMax = 100;
export const ownedLookMs = 10;
/** A report that got no answer, or was refused, is sent again after this. */
export const reportAgainMs = 1_000;
/** A process may hold thousands of edges; the first few show what is wrong with all. */
export const edgesExaminedMax = 5;
/** With more edges than this in one process, only what concerns all of them is worth a line. */
export const namesLoggedMax = 20;
/** A simulated device draws the same for up to this many times ten seconds. */
export const powerDrawsMax = 20;
/**
 * Whatever is lost is ordered again at once, so a launcher that cannot start must not end its
 * orders at once.
 */
export const launcherAgainMs = 1_000;
/**
 * The kernel takes 107 bytes; a deeper data directory gets its socket in a private directory of
 * the user.
 */
export const socketPathBytesMax = 100;
/** How often two starts may get in each other's way before one gives up. */
export const lockTriesMax = 5;
/** A spec may be asked for before it can be read everywhere. */
export const specNotFoundTriesMax = 4;
/**
 * The control plane has to refuse this often in a row before the edge believes that it is not
 * wanted.
 */
export const linkRefusalsMax = 2;
/** A report is often answered with new work; a pass takes about this long. */
export const pollAfterReportMs = 150;

/** Files of jobs that come at once: the store gives each a few hundred megabits a second. */
export const downloadsAtOnce = 4;
/** A download that brings nothing for so long is begun again where it stopped. */
export const downloadStallMs = 30_000;
/** What is written of a download at once, so that writing costs less than what comes. */
export const downloadWriteBytes = 1_048_576;
/**
 * What is asked of a large file by one request: S3 is quick from 8 MB on, and what came ahead of
 * its turn is lost when the agent is killed.
 */
export const rangeBytes = 8_388_608;
/** Such requests of one file at once; what they bring waits in memory for its turn. */
export const rangesAtOnce = 3;
/** How often one is asked for that breaks off, each time where it stood, before it is put off. */
export const rangeAsksMax = 4;
/** For so long inputs that cannot be reached are waited for before the edge says so. */
export const inputPatienceMs = 10_000;
export const inputRetryMsMin = 500;
export const inputRetryMsMax = 60_000;
/** What has arrived of a file that nobody asked for again is of no more use. */
export const partsKeptMs = 86_400_000;
/** Of the disk, for files that chunks and jobs share, unless the edge's owner says otherwise. */
export const cacheShare = 0.1;
/** Parameters of a sweep that are asked for at once: what one answer of the API holds. */
export const parametersAheadMax = 500;
/** As soon as one of so many chunks that are started next has none, they are asked for. */
export const parametersLowMax = 100;
/** After an answer without any of them: the row of the lease may be a moment late. */
export const parametersRetryMs = 1_000;
/** More than this is no answer to a CONNECT: servers take no larger head either. */
export const tunnelAnswerBytesMax = 8 * 1024;

/** A manifest names some ten programs. */
export const manifestBytesMax = 64 * 1024;
export const manifestMsMax = 30_000;
/** Three times what the agent is today. */
export const programBytesMax = 512 * 1024 * 1024;
/** An agent of a hundred megabytes over a megabit a second. */
export const programMsMax = 900_000;
/** A new program has so long to say its version: on a small machine it takes seconds. */
export const trialMsMax = 60_000;

/** What a tar says of an entry before it comes, its name for the most part. */
export const archiveNameBytesMax = 64 * 1024;
/** Entries of an archive that are looked at: five for each file that a tree may have. */
export const archiveHeadersMax = 100_000;
