import { shownChunk, shownChunks, shownJob } from '../../core/federation/chunk-offsets.ts';
import type { ExecutorName } from '../../core/model/job.ts';
import { type JobId, parseJobId } from '../../core/model/names.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { Failure } from '../../core/protocol/progress-report.ts';
import type { OutputPart } from '../launcher/launcher-protocol.ts';

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

/** `stopped`: somebody stopped it, and what it left says nothing about the chunk. */
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
  /** How it began, where `output` is not all of it and that is known. */
  readonly head?: Uint8Array | null;
  readonly durationMs: number | null;
  /** What it printed in all, where that is known. */
  readonly printedBytes?: number;
  /** What it said on standard error, where that is kept by itself. */
  readonly errors?: Omit<PrintedOutput, 'errors'>;
  /** Its output may lie in a file that is to be removed, unless it is kept whole. */
  readonly mayBeWhole?: boolean;
  /** Called when its end is written down: whoever keeps it until then may forget it. */
  readonly taken?: () => void;
};

export type PrintedOutput = Pick<EndedChunk, 'output' | 'head' | 'printedBytes' | 'errors'>;

export type Executor = {
  readonly name: ExecutorName | 'edgewise';
  /** Its chunks go on while the agent is stopped in order, and are found again. */
  readonly outlivesAgent: boolean;
  /** Orders of one job. */
  start(orders: readonly ChunkOrder[]): void;
  stop(name: ChunkName): void;
  /** How far a chunk is, where the executor knows by itself; `null` of one that it does not run. */
  percentOf?(name: ChunkName): number | null;
  /**
   * A part of what a running chunk has printed; `null` of one that it does not run, or whose output
   * nobody keeps. Below zero `from` counts from the end.
   */
  look?(name: ChunkName, from: number): Promise<OutputPart | null>;
  /**
   * Runs a program where a running chunk runs, and as whom it runs; true: it ended well and in
   * time.
   */
  probe?(order: ChunkOrder, argv: readonly string[], timeoutMs: number): Promise<boolean>;
  /** What waits in its own queue, whoever submitted it; `null` when it does not answer. */
  queued?(): Promise<number | null>;
  /** Chunks of these edges that survived the agent's last life; called once, before any start. */
  recover(edges: readonly string[]): Promise<ChunkName[]>;
  /** The edges know what was recovered, so from now on it may end. */
  resume(): void;
  close(): Promise<void>;
};

/** The two directories in that of every chunk. */
export const inputName = 'input';
export const outputName = 'output';
/** The file in it in which a chunk says how far it is. */
export const progressName = 'progress';

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

/** As the file is called in which its output is kept whole; names hold no underscore. */
export function wholeNameOf(name: ChunkName): string {
  return keyOf(name).replaceAll('/', '_');
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
    EDGEWISE_JOB: shownJob(order.spec, order.job),
    EDGEWISE_CHUNK: String(shownChunk(order.spec, order.chunk)),
    EDGEWISE_CHUNKS: String(shownChunks(order.spec)),
    EDGEWISE_ATTEMPT: String(order.attempt),
    EDGEWISE_EDGE: order.edge,
    EDGEWISE_POWER: String(order.power),
  };
}

/** What a chunk learns of its directory, by the path under which it sees it. */
export function directoryEnvironment(path: string): Record<string, string> {
  return {
    EDGEWISE_DIR: path,
    EDGEWISE_INPUT: `${path}/${inputName}`,
    EDGEWISE_OUTPUT: `${path}/${outputName}`,
    EDGEWISE_PROGRESS: `${path}/${progressName}`,
  };
}

export function wantsOutput(
  { spec }: { readonly spec: Pick<AgentSpec, 'keepOutput'> },
  end: ChunkEnd,
): boolean {
  if (end.kind === 'stopped' || spec.keepOutput === 'none') return false;
  return spec.keepOutput === 'all' || end.kind === 'failed';
}
