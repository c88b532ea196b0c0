/**
 * What the API answers, as far as the pages use it. Fields a server may leave out of a list are optional here, so a
 * page shows what it has instead of failing on what it lacks.
 */

export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

export const jobStates = [
  'waiting',
  'pending',
  'scheduled',
  'running',
  'done',
  'failed',
  'cancelled',
] as const;
export type JobState = (typeof jobStates)[number];

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
  readonly edges?: number;
  readonly examples?: readonly string[];
  readonly detail?: string;
};

export type JobSpec = {
  readonly name?: string | null;
  readonly pool?: string;
  readonly queue?: string;
  readonly priority?: number;
  readonly power?: number | null;
  readonly chunkPower?: number | null;
  readonly chunks?: number;
  readonly run?: Readonly<Record<string, unknown>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
};

export type Receipt = {
  readonly shadowUpdates?: number;
  readonly messages?: number;
  readonly tableWrites?: number;
  readonly lambdaMs?: number;
  readonly usd?: number;
};

export type Job = {
  readonly id: string;
  readonly name?: string | null;
  readonly spec: JobSpec;
  readonly generation?: number;
  readonly createdAt: string;
  readonly createdBy?: string | null;
  readonly status: {
    readonly state: JobState;
    readonly percent: number;
    readonly chunks: ChunkCounts;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly reason: string | null;
    readonly executions?: readonly Execution[];
    readonly waiting?: readonly Waiting[];
    readonly receipt?: Receipt | null;
  };
};

export type Chunk = {
  readonly chunk: number;
  readonly state: string;
  readonly edge: string | null;
  readonly attempts: number;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly startedAt?: string | null;
  readonly endedAt?: string | null;
};

export type JobEvent = {
  readonly at: string;
  readonly kind: string;
  readonly detail?: string | null;
  readonly edge?: string | null;
};

export type Explanation = { readonly waiting: readonly Waiting[] };

export type Vector = { readonly power: number; readonly [resource: string]: number };

export type EdgeLease = {
  readonly job: string;
  readonly chunks: string;
  readonly slots: number;
  readonly percent: number;
};

export type Edge = {
  readonly name: string;
  readonly pool: string;
  readonly cell?: string;
  readonly state: string;
  readonly lastSeenAt: string | null;
  readonly connectedAt?: string | null;
  readonly capacity: Vector;
  readonly free: Vector;
  readonly labels?: Readonly<Record<string, string>>;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cordoned: boolean;
  readonly draining?: boolean;
  readonly reason?: string | null;
  readonly leases?: readonly EdgeLease[];
  readonly totals?: { readonly chunksDone: number; readonly powerServed: number };
};

/** One line of an edge's history: the job and this edge's part of it. */
export type EdgeJob = Partial<Execution> & {
  readonly job: string;
  readonly name?: string | null;
  readonly state?: JobState;
};

export type Stats = {
  readonly jobs: Readonly<Record<string, number>>;
  readonly chunks: Readonly<Record<string, number>>;
  readonly edges: Readonly<Record<string, number>>;
  readonly power: {
    readonly total: number;
    readonly free: number;
    readonly reserved?: number;
    readonly served?: number;
  };
  readonly rates: { readonly jobsPerMinute: number; readonly chunksPer10Seconds: number };
};

/** The dry run: where the chunks would go now, and why the rest would wait. */
export type Dryrun = {
  readonly placements: readonly {
    readonly edge: string;
    readonly chunks: number | string;
    readonly slots?: number;
    readonly power?: number;
  }[];
  readonly waiting: readonly Waiting[];
  readonly chunks?: number;
  readonly chunkPower?: number;
};
