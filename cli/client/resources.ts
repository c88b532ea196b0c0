/**
 * The shapes of the API's answers, as far as commands read them; `-o json` prints what came, whole.
 */

export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

export type JobState =
  | 'waiting'
  | 'pending'
  | 'scheduled'
  | 'running'
  | 'done'
  | 'failed'
  | 'cancelled';

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

export type Execution = {
  readonly edge: string;
  readonly chunks: string;
  readonly power: number;
  readonly percent: number;
  readonly done: string;
  readonly running: string;
  readonly dead: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
};

export type Waiting = {
  readonly reason: string;
  readonly chunks: number;
  readonly edges: number;
  readonly detail: string;
};

export type JobStatus = {
  readonly state: JobState;
  readonly percent: number;
  readonly chunks: ChunkCounts;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly reason: string | null;
  readonly executions?: readonly Execution[];
  readonly waiting?: readonly Waiting[];
  readonly receipt?: Readonly<Record<string, number>> | null;
};

export type Job = {
  readonly id: string;
  readonly name: string | null;
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly pool?: string;
    readonly queue?: string;
    readonly priority?: number;
    readonly power?: number | null;
    readonly chunkPower?: number | null;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly generation: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly status: JobStatus;
};

export type Chunk = {
  readonly chunk: number;
  readonly state: string;
  readonly edge: string | null;
  readonly attempts: number;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly output?: string | null;
};

export type JobEvent = {
  readonly at: string;
  readonly kind: string;
  readonly by: string;
  readonly detail: string;
};

export type EdgeLease = {
  readonly job: string;
  readonly chunks: string;
  readonly slots: number;
  readonly percent: number;
};

export type Edge = {
  readonly name: string;
  readonly pool: string;
  readonly cell: string;
  readonly state: string;
  readonly lastSeenAt: string | null;
  readonly connectedAt: string | null;
  readonly capacity: Readonly<Record<string, number>>;
  readonly free: Readonly<Record<string, number>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cordoned: boolean;
  readonly draining: boolean;
  readonly removing: boolean;
  readonly busy: boolean;
  readonly reason: string | null;
  readonly leases?: readonly EdgeLease[];
  readonly totals?: { readonly chunksDone: number; readonly powerServed: number };
};

export type Stats = {
  readonly jobs: Readonly<Record<string, number>>;
  readonly chunks: Readonly<Record<string, number>>;
  readonly edges: Readonly<Record<string, number>>;
  readonly power: Readonly<Record<string, number>>;
  readonly rates: Readonly<Record<string, number>>;
  readonly cells: readonly Readonly<Record<string, unknown>>[];
};

export function isFinal(state: JobState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}
