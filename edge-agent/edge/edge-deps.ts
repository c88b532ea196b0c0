import type { ExecutorName } from '../../core/model/job.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { Journal } from '../disk/journal.ts';
import type { SpecLibrary } from '../disk/spec-library.ts';
import type { ChunkName, Executor } from '../executors/executor.ts';
import type { Clock } from '../host/clock.ts';

/** What one edge is given by the process that runs it. */
export type EdgeDeps = {
  readonly name: string;
  readonly boot: string;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly specs: SpecLibrary;
  readonly executors: ReadonlyMap<ExecutorName, Executor>;
  readonly capacityPower: number;
  readonly secret: () => string;
  /** Over HTTP only a report shows that the edge is there; over MQTT the broker sees it. */
  readonly transport: 'mqtt' | 'http';
  /** Power that may be in use here at once. */
  readonly powerMax: () => number;
  /** The owner's policy: why not, or `null`. */
  readonly refusal: (spec: AgentSpec, power: number) => string | null;
  readonly keepOutput: (name: ChunkName, output: Uint8Array) => void;
  readonly log: (line: string) => void;
};
