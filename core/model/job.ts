import type { ChunkOffsets } from '../federation/chunk-offsets.ts';
import type { Pod } from '../runs/pod.ts';
import { type ServiceSpec, serviceStates } from '../services/service.ts';
import type { Sweep } from '../sweeps/sweep.ts';
import type { EndReceiver } from '../webhooks/end-receiver.ts';
import type { JobId } from './names.ts';
import { count, has, type RangeSet } from './ranges.ts';

/**
 * What one chunk needs of an edge, and what an edge has: power and any number of other named
 * amounts.
 */
export type ResourceVector = Readonly<Record<string, number>> & { readonly power: number };

export type Run =
  | {
      /** Neither: it runs for ever, as an instance of a service may. */
      readonly simulate:
        | { readonly seconds: number }
        | { readonly wattSeconds: number }
        | Readonly<Record<string, never>>;
    }
  | {
      readonly process: {
        readonly argv: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string | null;
        readonly timeoutSeconds: number | null;
      };
    }
  | {
      readonly container: {
        readonly image: string;
        readonly argv: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly timeoutSeconds: number | null;
      };
    }
  | { readonly pod: Pod }
  | { readonly slurm: BatchRun }
  | { readonly flux: BatchRun }
  | {
      readonly vm: {
        readonly rootfs: string;
        readonly env: Readonly<Record<string, string>>;
        readonly timeoutSeconds: number | null;
      };
    };

export type BatchRun = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | null;
  readonly timeoutSeconds: number | null;
  readonly options: readonly string[];
};

export const executorNames = [
  'simulate',
  'process',
  'container',
  'pod',
  'slurm',
  'flux',
  'vm',
] as const;
export type ExecutorName = (typeof executorNames)[number];

export function executorOf(run: Run): ExecutorName {
  return Object.keys(run)[0] as ExecutorName;
}

export type ExpressionOp =
  | 'in'
  | 'notIn'
  | 'exists'
  | 'notExists'
  | '='
  | '!='
  | '>'
  | '>='
  | '<'
  | '<=';

export type Expression = {
  readonly key: string;
  readonly op: ExpressionOp;
  readonly value?: string | number | boolean | readonly (string | number)[];
};

export type Requires = {
  readonly labels: Readonly<Record<string, string>>;
  readonly expressions: readonly Expression[];
  readonly edges: readonly string[];
};

export type PlacementPolicy = 'spread' | 'pack' | 'fastest';

/**
 * What a chunk finds in its directory: one file, or a tree of them. Files are named by the SHA-256
 * of what is in them.
 */
export type JobInput = {
  /** Below the directory of the chunk. */
  readonly path: string;
  readonly sha256?: string;
  /** Where an edge fetches that file, in place of the files that are stored here. */
  readonly url?: string;
  /** The digest of the list of files that lie below `path`. */
  readonly manifest?: string;
  /** The chunk gets a copy of its own, which it may change. */
  readonly writable?: boolean;
  /** The file is an archive of this kind, and what is in it lies below `path`. */
  readonly unpack?: 'tar.gz';
  /** One file that may be run as a program; a list says it of each of its files. */
  readonly executable?: boolean;
};

export function haveArchives(inputs: readonly JobInput[]): boolean {
  return inputs.some(({ unpack }) => unpack !== undefined);
}

/** By which edges know that somebody they trust wrote the job: Ed25519. */
export type JobSignature = {
  /** The public key that it was made with, and the signature: base64url. */
  readonly key: string;
  readonly value: string;
  /** Nothing of the job is started later than this, an instant in ISO 8601. */
  readonly until?: string | null;
};

/** Which files that a chunk leaves are its results, and of which ends. */
export type JobOutputs = {
  /** Patterns, below the directory of the chunk or that of its outputs. */
  readonly paths: readonly string[];
  readonly on: 'done' | 'always';
  /** Of one chunk. */
  readonly maxMb: number;
};

/**
 * The spec of a job with every default filled in and the chunking decided. Config: users write it,
 * nothing else does. Chunk `chunks - 1` reserves `lastChunkPower`, all others `chunkPower`.
 */
export type JobSpec = Partial<ServiceSpec> & {
  readonly name: string | null;
  readonly pool: string;
  readonly queue: string;
  readonly priority: number;
  /** As the user gave it: exactly one of the two is a number. */
  readonly power: number | null;
  readonly chunkPower: number | null;
  readonly chunks: number;
  readonly resources: Readonly<Record<string, number>>;
  readonly run: Run;
  readonly requires: Requires;
  readonly placement: {
    readonly policy: PlacementPolicy;
    readonly maxEdges: number | null;
    readonly nodes: number | null;
  };
  readonly retries: {
    readonly attempts: number;
    readonly backoffSeconds: number;
    readonly maxFailedChunks: number | null;
  };
  readonly lostAfterSeconds: number;
  readonly offlineSeconds: number | null;
  readonly deadlineSeconds: number | null;
  readonly keepOutput: 'none' | 'failed' | 'all';
  /** Up to how much an output is kept whole; absent: its beginning and its end. */
  readonly outputMb?: number;
  /** Standard error is kept by itself; absent: in one with standard output. */
  readonly stderr?: 'apart';
  /** Of which attempts an edge keeps the directory for a look: of none where this is absent. */
  readonly keepDirectory?: 'none' | 'failed';
  /** Absent: none. */
  readonly inputs?: readonly JobInput[];
  /** Absent: its chunks differ in nothing but their numbers. */
  readonly params?: Sweep;
  /** It is a part of a job that is elsewhere. */
  readonly chunkOffsets?: ChunkOffsets;
  /** Absent: no files. */
  readonly outputs?: JobOutputs;
  /** For how long results are kept. */
  readonly keepDays?: number;
  /** Absent: nobody is notified by the job itself. */
  readonly onEnd?: EndReceiver;
  /** Absent: edges that ask for one do not run it. */
  readonly signature?: JobSignature;
  readonly dependsOn: readonly JobId[];
  readonly labels: Readonly<Record<string, string>>;
  readonly kind: JobKind;
};

export const jobKinds = ['batch', 'service', 'everywhere'] as const;
export type JobKind = (typeof jobKinds)[number];

export type Chunking = {
  readonly chunks: number;
  readonly chunkPower: number;
  readonly lastChunkPower: number;
  /** Of a service: numbers below its highest that no instance has; absent without any. */
  readonly gaps?: readonly number[];
};

/**
 * How a job is cut into chunks. `power: P, chunks: n` gives each chunk `floor(P/n)` and the last
 * one the remainder as well. `power` alone: four chunks, or as many as are needed so that each fits
 * the largest eligible edge; a power too small to be divided is one chunk.
 */
export function chunkJob(
  intent: { power: number | null; chunkPower: number | null; chunks: number | null },
  defaults: { chunks: number; largestEdgePower: number | null },
): Chunking {
  if (intent.power === null) {
    const chunkPower = intent.chunkPower ?? 1;
    return { chunks: intent.chunks ?? 1, chunkPower, lastChunkPower: chunkPower };
  }
  const power = intent.power;
  let chunks = intent.chunks ?? (power < defaults.chunks ? 1 : defaults.chunks);
  const largest = defaults.largestEdgePower;
  if (intent.chunks === null && largest !== null && largest > 0) {
    while (chunks < power && lastPower(power, chunks) > largest) {
      chunks = Math.max(chunks + 1, Math.ceil(power / largest));
    }
  }
  chunks = Math.min(chunks, power);
  return {
    chunks,
    chunkPower: Math.floor(power / chunks),
    lastChunkPower: lastPower(power, chunks),
  };
}

function lastPower(power: number, chunks: number): number {
  return power - Math.floor(power / chunks) * (chunks - 1);
}

/** The power of a set of chunks, the last chunk's remainder included. */
export function powerOf(chunking: Chunking, set: RangeSet): number {
  const extra = has(set, chunking.chunks - 1) ? chunking.lastChunkPower - chunking.chunkPower : 0;
  return count(set) * chunking.chunkPower + extra;
}

export const jobStates = [
  'waiting',
  'pending',
  'scheduled',
  'running',
  ...serviceStates,
  'done',
  'failed',
  'cancelled',
] as const;
export type JobState = (typeof jobStates)[number];

/** Jobs in each state, and all of them. */
export type JobStateCounts = Readonly<Record<JobState | 'total', number>>;

export const noJobStates: JobStateCounts = {
  waiting: 0,
  pending: 0,
  scheduled: 0,
  running: 0,
  degraded: 0,
  stopped: 0,
  done: 0,
  failed: 0,
  cancelled: 0,
  total: 0,
};

export function statesBy<T>(of: (state: JobState) => T): Record<JobState, T> {
  return Object.fromEntries(jobStates.map((state) => [state, of(state)])) as Record<JobState, T>;
}

export function isFinal(state: JobState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

export type ChunkCounts = {
  readonly total: number;
  readonly waiting: number;
  readonly pending: number;
  readonly scheduled: number;
  readonly running: number;
  readonly done: number;
  readonly dead: number;
  readonly cancelled: number;
};

export const noChunks: ChunkCounts = {
  total: 0,
  waiting: 0,
  pending: 0,
  scheduled: 0,
  running: 0,
  done: 0,
  dead: 0,
  cancelled: 0,
};

export function addCounts(a: ChunkCounts, b: ChunkCounts): ChunkCounts {
  return {
    total: a.total + b.total,
    waiting: a.waiting + b.waiting,
    pending: a.pending + b.pending,
    scheduled: a.scheduled + b.scheduled,
    running: a.running + b.running,
    done: a.done + b.done,
    dead: a.dead + b.dead,
    cancelled: a.cancelled + b.cancelled,
  };
}

/** A job's state is a fold of its chunks: there is no running job with only finished chunks. */
export function stateOfCounts(
  counts: ChunkCounts,
  ended: { cancelled: boolean; failed: boolean },
): JobState {
  const open = counts.waiting + counts.pending + counts.scheduled + counts.running;
  if (open === 0) {
    if (ended.cancelled && counts.done < counts.total) return 'cancelled';
    return counts.dead > 0 || ended.failed || counts.cancelled > 0 ? 'failed' : 'done';
  }
  if (counts.waiting > 0 && counts.waiting === open) return 'waiting';
  if (counts.running > 0 || counts.done > 0 || counts.dead > 0) return 'running';
  return counts.scheduled > 0 ? 'scheduled' : 'pending';
}

/** What a job that a jobspec became knows of it: which one, and how many tasks it has in all. */
export type SubmissionPart = { readonly id: JobId; readonly tasks: number };

/** A jobspec that an edge took whole; `fits`: a host, which gets no more than there is room for. */
export type TakenSubmission = { readonly id: JobId; readonly fits: boolean };
