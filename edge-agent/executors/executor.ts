import type { ExecutorName } from '../../core/model/job.ts';
import { type JobId, parseJobId } from '../../core/model/names.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { Failure } from '../../core/protocol/progress-report.ts';

/**
 * What every way of running a chunk has in common. An executor serves all edges of the process.
 * Each order that is started ends exactly once, in `ended`; a stop only hastens that.
 */
export type ChunkOrder = {
  readonly edge: string;
  readonly job: JobId;
  readonly chunk: number;
  readonly attempt: number;
  readonly power: number;
  readonly spec: AgentSpec;
};

/** `stopped`: it was told to stop, and what it left says nothing about the chunk. */
export type ChunkEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'stopped' };

export type ChunkName = Pick<ChunkOrder, 'edge' | 'job' | 'chunk' | 'attempt'>;

export type EndedChunk = {
  readonly name: ChunkName;
  readonly end: ChunkEnd;
  /** The last part of what it printed, when that was asked for. */
  readonly output: Uint8Array | null;
  readonly durationMs: number | null;
};

export type Executor = {
  readonly name: ExecutorName;
  /** Its chunks go on while the agent is stopped in order, and are found again. */
  readonly outlivesAgent: boolean;
  /** Orders of one job. */
  start(orders: readonly ChunkOrder[]): void;
  stop(name: ChunkName): void;
  /** Chunks of these edges that survived the agent's last life; called once, before any start. */
  recover(edges: readonly string[]): Promise<ChunkName[]>;
  /** The edges know what was recovered, so from now on it may end. */
  resume(): void;
  close(): Promise<void>;
};

export type ExecutorDeps = {
  readonly ended: (chunk: EndedChunk) => void;
  readonly notes: ExecutorNotes;
};

/** What an executor writes down to find its chunks again; kept in the journal. */
export type ExecutorNotes = {
  all(): ReadonlyMap<string, string>;
  put(key: string, value: string): void;
  remove(key: string): void;
};

export function keyOf({ edge, job, chunk, attempt }: ChunkName): string {
  return `${edge}/${job}/${chunk}/${attempt}`;
}

export function nameOfKey(key: string): ChunkName | null {
  const [edge, name, chunk, attempt, more] = key.split('/');
  const job = parseJobId(name ?? '');
  if (edge === undefined || job === null || more !== undefined) return null;
  const numbers = { chunk: Number(chunk), attempt: Number(attempt) };
  if (!Number.isSafeInteger(numbers.chunk) || !Number.isSafeInteger(numbers.attempt)) return null;
  return { edge, job, ...numbers };
}

/** What every chunk sees, whatever runs it. */
export function chunkEnvironment(order: ChunkOrder): Record<string, string> {
  return {
    EDGEWISE_JOB: order.job,
    EDGEWISE_CHUNK: String(order.chunk),
    EDGEWISE_CHUNKS: String(order.spec.chunks),
    EDGEWISE_ATTEMPT: String(order.attempt),
    EDGEWISE_EDGE: order.edge,
    EDGEWISE_POWER: String(order.power),
  };
}

export function wantsOutput(order: Pick<ChunkOrder, 'spec'>, end: ChunkEnd): boolean {
  if (end.kind === 'stopped' || order.spec.keepOutput === 'none') return false;
  return order.spec.keepOutput === 'all' || end.kind === 'failed';
}
