import type { EdgeName } from '../../core/model/names.ts';
import type { ControlPlane } from '../../core/ports/control-plane.ts';
import type { Outputs } from '../../core/ports/outputs.ts';
import type { EdgeShadows, WorkShadows } from '../../core/ports/shadows.ts';
import type { EdgeRemovals, Timers } from '../../core/ports/timers.ts';

/** The ports that reach other services than the table, and what of those a contract looks at. */
export type Services = {
  readonly work: WorkShadows;
  readonly shadows: EdgeShadows;
  readonly outputs: Outputs;
  readonly controlPlane: ControlPlane;
  readonly timers: Timers;
  readonly removals: EdgeRemovals;
  /** Certificates with which the edge may connect. */
  certificatesOf(edge: EdgeName): Promise<readonly string[]>;
  readonly timerQueue: Queue;
  readonly removalQueue: Queue;
};

export type Queue = {
  /** Bodies of the messages that have come by now, each once. */
  receive(): Promise<readonly string[]>;
  /** How many have not come yet. */
  waiting(): Promise<number>;
};

export type ServicesContract = (services: () => Services) => void;
