/** Bounds of services. */

/**
 * Instances of one service: each remembers its restarts in a row of its cell, and fewer than hold
 * back fresh chunks (`retriesPerSliceHold`).
 */
export const instancesMax = 500;
/**
 * Numbers that one cell has to give to the edges of a job that runs everywhere: four times the
 * edges that a cell is filled to, for those that register at one moment.
 */
export const seatsPerCell = 1_000;
/**
 * Jobs that run everywhere and without an end, as a cell names them for cells that are new: some
 * three kilobytes of the row that every submit reads.
 */
export const spreadJobsMax = 100;
/**
 * Cells of such a job: what its user changes is written to all of them in one transaction, which
 * has 100 items at most (DynamoDB), and a few more rows than these.
 */
export const everywhereCellsMax = 80;
/**
 * Cells that such a job comes to in a minute, besides those that it had from the beginning: two
 * reads and one commit each, in a function that has a minute for all its work.
 */
export const spreadsMax = 60;
export const restartBackoffSecondsDefault = 1;
export const restartBackoffSecondsMaxDefault = 300;
export const restartResetSecondsDefault = 600;
/** An hour: who wants to wait longer wants to be asked. */
export const restartSecondsMax = 3_600;
export const resetSecondsMax = 86_400;
export const readyAfterSecondsDefault = 1;
export const readyAfterSecondsMax = 3_600;
export const stopGraceSecondsDefault = 10;
export const stopGraceSecondsMax = 600;
/** Instances of one service that are away at once, while an edge is drained or it is updated. */
export const unavailableDefault = 1;
export const minReadySecondsDefault = 5;
export const minReadySecondsMax = 3_600;
export const failAfterSecondsDefault = 300;
export const failAfterSecondsMax = 86_400;
/** Generations of one service whose specs are kept: to go back to, and to name what still runs. */
export const generationsKept = 10;
/** Of which one edge may hold instances at once: the one wanted besides. */
export const generationsHeldMax = generationsKept + 1;
/**
 * Restarts of one service that are kept apart, besides the last: more than are asked for between
 * two passes, and a few kilobytes of a row at most.
 */
export const restartsKept = 16;
/** Of the text that names instances: each number of the most there are, with its comma. */
export const rangesTextLengthMax = 4 * instancesMax;
/** Ports of one service: each is a variable, a rule of its host and a part of each report. */
export const portsMax = 8;
export const portNumberMax = 65_535;
/** Below it only the administrator of a host may listen; the owner of an edge decides that. */
export const portNumberMin = 1;
/** So that it is the end of the name of a variable. */
export const portNamePattern = /^[a-z](?:[a-z0-9-]{0,13}[a-z0-9])?$/;
export const probeSecondsDefault = 5;
export const probeSecondsMax = 300;
export const probeTimeoutSecondsDefault = 1;
export const probeTimeoutSecondsMax = 60;
export const probeFailuresDefault = 3;
export const probeFailuresMax = 100;
export const probePathLengthMax = 1_024;
