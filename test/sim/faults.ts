import type { SeededRandom } from './seeded-random.ts';

/**
 * What may go wrong, and how often: drawn from the seed, printed first when a seed fails. While
 * `calm` nothing goes wrong any more, so that every job must come to its end.
 */
export type Faults = {
  /** Of a message between an edge and the broker. */
  readonly dropMessage: number;
  readonly duplicateMessage: number;
  readonly delayMsMax: number;
  /** Of a call of a function to the table, the shadows or the timers. */
  readonly throttleCall: number;
  readonly loseAnswer: number;
  readonly killFunction: number;
  readonly callMsMax: number;
  /** Of an event that wakes a function. */
  readonly duplicateEvent: number;
  readonly slowEvent: number;
  /** Of a commit: another transaction has one of its rows. */
  readonly contendTransaction: number;
  /** How far the wall clock of an edge may be off, and a function's; it is set now and then. */
  readonly edgeClockOffMsMax: number;
  readonly functionClockOffMsMax: number;
  readonly setClockEveryMs: number;
  /** Of an edge that is cut off: its clock is set while nobody can tell it the time. */
  readonly setClockOnCut: number;
  readonly membershipEveryMs: number;
  /** Of an edge: it has no MQTT. */
  readonly httpsEdges: number;
  /** Of the table: it is restored to an earlier time. */
  readonly restoreTable: number;
  /** Between splits of a shard of the stream, in milliseconds; 0 is never. */
  readonly splitShardEveryMs: number;
  /** Of an edge, just after it has sent a report. */
  readonly powerLossOnReport: number;
  /** Of an edge, just after it has rewritten its journal. */
  readonly powerLossOnRewrite: number;
  /** Of agents, and of rows that are written: by an earlier version, or a later one. */
  readonly otherVersions: number;
  /** Between copies of an edge that are started beside it; 0 is never. */
  readonly copyEdgeEveryMs: number;
  /** Between disks that fill up for a while; 0 is never. */
  readonly diskFullEveryMs: number;
  /** Of a disk that was full: soon after it has room again, its agent dies. */
  readonly killOnDiskFree: number;
  /** How long a disk may take to sync. */
  readonly syncMsMax: number;
  /** How long an edge may have to wait for the spec of a job. */
  readonly specMsMax: number;
  /** Of a shadow request. */
  readonly refuseShadow: number;
  /** Means between events of the whole fleet, in milliseconds; 0 is never. */
  readonly agentKillEveryMs: number;
  readonly powerLossEveryMs: number;
  readonly disconnectEveryMs: number;
  readonly cellDisconnectEveryMs: number;
  readonly controlPlaneOutageEveryMs: number;
  readonly userActionEveryMs: number;
  /** How long a user's change may wait for the end of its job, once it has read the job. */
  readonly dawdleMsMax: number;
  /** Of a report of an edge: it calls done what it has not done. */
  readonly forgeReport: number;
  /** Between reports of somebody else in the name of one edge, in milliseconds; 0 is never. */
  readonly intrudeEveryMs: number;
};

export const calm: Faults = {
  dropMessage: 0,
  duplicateMessage: 0,
  delayMsMax: 20,
  throttleCall: 0,
  loseAnswer: 0,
  killFunction: 0,
  callMsMax: 5,
  duplicateEvent: 0,
  slowEvent: 0,
  contendTransaction: 0,
  splitShardEveryMs: 0,
  edgeClockOffMsMax: 0,
  functionClockOffMsMax: 0,
  setClockEveryMs: 0,
  setClockOnCut: 0,
  restoreTable: 0,
  httpsEdges: 0,
  membershipEveryMs: 0,
  powerLossOnReport: 0,
  powerLossOnRewrite: 0,
  diskFullEveryMs: 0,
  killOnDiskFree: 0,
  copyEdgeEveryMs: 0,
  otherVersions: 0,
  syncMsMax: 10,
  specMsMax: 300,
  refuseShadow: 0,
  agentKillEveryMs: 0,
  powerLossEveryMs: 0,
  disconnectEveryMs: 0,
  cellDisconnectEveryMs: 0,
  controlPlaneOutageEveryMs: 0,
  userActionEveryMs: 0,
  dawdleMsMax: 0,
  forgeReport: 0,
  intrudeEveryMs: 0,
};

/**
 * Each kind of trouble is present in half of the seeds, so that every combination comes up. What
 * was added later has a stream of its own, and the seeds that do not draw it live as before.
 */
export function drawFaults(seeded: SeededRandom): Faults {
  const random = seeded.stream('faults');
  const dawdling = seeded.stream('dawdling');
  const intruding = seeded.stream('intruding');
  const freeing = seeded.stream('freeing');
  const often = (max: number) => (random.chance(0.5) ? random.next() * max : 0);
  const every = (min: number, max: number) => (random.chance(0.5) ? random.between(min, max) : 0);
  return {
    dropMessage: often(0.3),
    duplicateMessage: often(0.3),
    delayMsMax: random.chance(0.3) ? random.between(500, 5_000) : random.between(5, 200),
    throttleCall: often(0.15),
    loseAnswer: often(0.1),
    killFunction: often(0.05),
    callMsMax: random.chance(0.3) ? random.between(100, 600) : random.between(2, 40),
    duplicateEvent: often(0.4),
    slowEvent: often(0.2),
    powerLossOnReport: random.chance(0.3) ? random.next() * 0.03 : 0,
    syncMsMax: random.chance(0.3) ? random.between(200, 4_000) : 10,
    specMsMax: random.chance(0.3) ? random.between(1_000, 30_000) : 300,
    refuseShadow: often(0.2),
    agentKillEveryMs: every(8_000, 60_000),
    powerLossEveryMs: every(15_000, 90_000),
    disconnectEveryMs: every(8_000, 60_000),
    cellDisconnectEveryMs: every(60_000, 200_000),
    controlPlaneOutageEveryMs: every(60_000, 200_000),
    userActionEveryMs: every(1_500, 15_000),
    forgeReport: often(0.3),
    contendTransaction: often(0.2),
    splitShardEveryMs: every(10_000, 60_000),
    edgeClockOffMsMax: random.chance(0.6) ? random.pick([2_000, 600_000, 7_200_000]) : 0,
    functionClockOffMsMax: random.chance(0.5) ? random.between(10, 1_500) : 0,
    setClockEveryMs: every(5_000, 40_000),
    httpsEdges: random.chance(0.4) ? random.pick([0.3, 0.6, 1]) : 0,
    restoreTable: random.chance(0.3) ? 1 : 0,
    membershipEveryMs: every(15_000, 60_000),
    diskFullEveryMs: every(8_000, 50_000),
    copyEdgeEveryMs: random.chance(0.3) ? random.between(20_000, 80_000) : 0,
    otherVersions: random.chance(0.4) ? random.pick([0.2, 0.6]) : 0,
    powerLossOnRewrite: random.chance(0.5) ? 0.1 : 0,
    intrudeEveryMs: intruding.chance(0.2) ? intruding.between(1_000, 15_000) : 0,
    killOnDiskFree: freeing.chance(0.2) ? 0.7 : 0,
    setClockOnCut: freeing.chance(0.3) ? 1 : 0,
    dawdleMsMax: dawdling.chance(0.1) ? dawdling.between(5_000, 60_000) : 0,
  };
}
