import type { ExecutorName } from '../../core/model/job.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { WorkEntry } from '../../core/protocol/work.ts';
import type { Journal } from '../disk/journal.ts';
import type { KeptText } from '../disk/kept-text.ts';
import type { SpecLibrary } from '../disk/spec-library.ts';
import type { ChunkName, Executor } from '../executors/executor.ts';
import type { Clock } from '../host/clock.ts';
import type { Log } from '../host/log-lines.ts';
import type { InputLibrary } from '../inputs/input-library.ts';
import type { ParameterLibrary } from '../inputs/parameter-library.ts';
import type { PortBook } from '../instances/port-book.ts';
import type { OutputPart } from '../launcher/launcher-protocol.ts';
import type { ResultSender } from '../results/result-sender.ts';
import type { Handover } from './next-steps.ts';

/** What one edge is given by the process that runs it. */
export type EdgeDeps = {
  readonly name: string;
  readonly boot: string;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly specs: SpecLibrary;
  readonly executors: ReadonlyMap<ExecutorName, Executor>;
  readonly capacityPower: () => number;
  /** Of an edge that hands all that it is given over to another scheduler. */
  readonly handover?: Handover | null;
  readonly secret: () => string;
  /** Over HTTP only a report shows that the edge is there; over MQTT the broker sees it. */
  readonly transport: 'mqtt' | 'http';
  /** Power that may be in use here at once. */
  readonly powerMax: () => number;
  /** The owner's policy: why not, or `null`. */
  readonly refusal: (spec: AgentSpec, entry: WorkEntry) => string | null;
  /** Why no chunk of a job may be started now, though what runs goes on; or `null`. */
  readonly obstacle: (spec: AgentSpec) => string | null;
  readonly inputs: Pick<InputLibrary, 'of' | 'fetch'>;
  /** How far a running chunk says it is; `null` where it says nothing. */
  readonly percentOf: (name: ChunkName) => number | null;
  /** A part of what a running chunk has printed; `null`: it does not run, or nobody keeps it. */
  readonly look?: (name: ChunkName, from: number) => Promise<OutputPart | null>;
  readonly parameters: ParameterLibrary;
  /** What instances were given; absent where nothing has ports. */
  readonly ports?: Pick<PortBook, 'of'>;
  readonly results: ResultSender;
  /** `total`: how much was printed of which this is the end. */
  readonly keepOutput: (name: ChunkName, kept: KeptText) => void;
  readonly log: Log;
};
