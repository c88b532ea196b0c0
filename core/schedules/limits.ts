/** Bounds of schedules: in the name the unit, in the comment the source. */

/** One list of them is read whole once a minute. */
export const schedulesMax = 500;
/** With the time of a run behind it the name is the id of a job, which has 64 characters. */
export const scheduleNameLengthMax = 46;
export const cronLengthMax = 128;
/** Terms of one field, `1,5,7-9` being three: more than sixty minutes there are not. */
export const cronTermsMax = 60;
/** The tick comes once a minute. */
export const everySecondsMin = 60;
export const everySecondsMax = 366 * 86_400;
/** Every combination of month, day and weekday comes within 28 years, the century included 40. */
export const scheduleDaysAheadMax = 40 * 366;
/** As many as an answer shows. */
export const nextTimesShown = 5;
/** A tick that comes so late still runs what was due: two were missed. */
export const scheduleLateMsMax = 150_000;
/** How long a tick may act on a schedule: its function ends after 50 s (`minute-tick.ts`). */
export const scheduleClaimMs = 55_000;
/** Runs that one tick makes of one schedule, the rest with the next ticks. */
export const runsAtOnceMax = 10;
/** Missed times that are still looked at; older ones are given up. */
export const missedRunsMax = 1_000;
/** How long a run is listed. */
export const runKeptMs = 30 * 86_400_000;
/** Schedules that one tick looks after, the longest due first: a job takes some 100 ms. */
export const schedulesPerTickMax = 100;
/** Zones whose clocks are remembered. */
export const zonesRememberedMax = 64;
/** A clock is set at most once in so long, but for a few islands. */
export const clockProbeMs = 3 * 3_600_000;
