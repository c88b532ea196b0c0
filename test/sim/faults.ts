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
  /** Of an edge, just after it has sent a report. */
  readonly powerLossOnReport: number;
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
  readonly planeOutageEveryMs: number;
  readonly userActionEveryMs: number;
  /** Of a report of an edge: it calls done what it has not done. */
  readonly forgeReport: number;
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
  powerLossOnReport: 0,
  syncMsMax: 10,
  specMsMax: 300,
  refuseShadow: 0,
  agentKillEveryMs: 0,
  powerLossEveryMs: 0,
  disconnectEveryMs: 0,
  cellDisconnectEveryMs: 0,
  planeOutageEveryMs: 0,
  userActionEveryMs: 0,
  forgeReport: 0,
};

/** Each kind of trouble is present in half of the seeds, so that every combination comes up. */
export function drawFaults(random: SeededRandom): Faults {
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
    planeOutageEveryMs: every(60_000, 200_000),
    userActionEveryMs: every(1_500, 15_000),
    forgeReport: often(0.3),
  };
}
