import type { EdgeName } from '../../core/model/names.ts';
import type { GraphDocuments } from '../../core/ports/clusters.ts';
import type { ControlPlane } from '../../core/ports/control-plane.ts';
import type { FileAddress, Files, ResultFiles } from '../../core/ports/files.ts';
import type { Outputs } from '../../core/ports/outputs.ts';
import type { EdgeShadows, LiveShadows, WorkShadows } from '../../core/ports/shadows.ts';
import type { EdgeRemovals, Timers } from '../../core/ports/timers.ts';
import type { AdminToken } from '../../core/ports/tokens.ts';

/** The ports that reach other services than the table, and what of those a contract looks at. */
export type Services = {
  readonly work: WorkShadows;
  readonly shadows: EdgeShadows;
  readonly liveShadows: LiveShadows;
  readonly outputs: Outputs;
  readonly graphs: GraphDocuments;
  readonly files: Files;
  readonly results: ResultFiles;
  /** What the store answers to these bytes at an address. */
  putFile(address: Pick<FileAddress, 'url' | 'headers'>, bytes: Uint8Array): Promise<number>;
  /** `null`: nothing is there. */
  getFile(url: string): Promise<Uint8Array | null>;
  readonly controlPlane: ControlPlane;
  readonly timers: Timers;
  readonly removals: EdgeRemovals;
  readonly adminToken: AdminToken;
  /** Puts another token in the place of the one that the stack keeps. */
  rotateAdminToken(text: string): Promise<void>;
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
