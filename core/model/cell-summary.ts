import { type JobStateCounts, noJobStates } from './job.ts';
import type { JobId } from './names.ts';

/** Absolute figures of the cell: what submit chooses cells by, and what the fleet adds up. */
export type CellSummary = {
  readonly edges: {
    readonly total: number;
    readonly connected: number;
    readonly disconnected: number;
    readonly lost: number;
    readonly busy: number;
    readonly free: number;
    readonly cordoned: number;
    /** Quarantined because everything failed there; the row calls them so. */
    readonly quarantined: number;
  };
  readonly power: {
    readonly total: number;
    readonly free: number;
    readonly reserved: number;
    /** Power of all chunks ever done here: never falls. */
    readonly served: number;
  };
  readonly chunks: {
    readonly pending: number;
    readonly scheduled: number;
    readonly running: number;
    /** Ever ended here, ended jobs included: these three never fall. */
    readonly done: number;
    readonly dead: number;
    readonly cancelled: number;
  };
  /** Power of the chunks that wait for an edge. */
  readonly backlogPower: number;
  /**
   * The part of it for which no edge of the cell is of the right kind: only another cell can run
   * it.
   */
  readonly strandedPower: number;
  /** Largest capacity among edges that may get work. */
  readonly largestEdgePower: number;
  /** Jobs in the cell now. */
  readonly jobs: number;
  /** What passes of this cell have added to the fleet's counts: each may be below zero. */
  readonly jobStates: JobStateCounts;
  /** Rows of it that cannot be read; missing when there is none. */
  readonly unreadable?: number;
  /** Jobs that are to run on every edge of the pool; missing when there is none. */
  readonly everywhere?: readonly JobId[];
  /** Label values of the edges that may get work; `null` when there are too many to list. */
  readonly labels: Readonly<Record<string, readonly string[] | null>>;
};

export const noEdges: CellSummary['edges'] = {
  total: 0,
  connected: 0,
  disconnected: 0,
  lost: 0,
  busy: 0,
  free: 0,
  cordoned: 0,
  quarantined: 0,
};

export const emptySummary: CellSummary = {
  edges: noEdges,
  power: { total: 0, free: 0, reserved: 0, served: 0 },
  chunks: { pending: 0, scheduled: 0, running: 0, done: 0, dead: 0, cancelled: 0 },
  backlogPower: 0,
  strandedPower: 0,
  largestEdgePower: 0,
  jobs: 0,
  jobStates: noJobStates,
  labels: {},
};
