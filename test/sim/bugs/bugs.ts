import type { JobCreation } from '../../../core/jobs/submit.ts';
import {
  type Cell,
  type CellEdge,
  type CellJob,
  type EdgeWork,
  type Lease,
  noEdgeWork,
} from '../../../core/model/cell.ts';
import type { EdgeName, JobId } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import { emptyRanges, fromChunks, isEmpty, union } from '../../../core/model/ranges.ts';
import type { JobWithStatus, StoredJob } from '../../../core/model/stored-job.ts';
import type { JobChange } from '../../../core/ports/jobs.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import type { FileSystem } from '../../../edge-agent/disk/file-system.ts';
import type { Journal } from '../../../edge-agent/disk/journal.ts';
import type { Clock } from '../../../edge-agent/host/clock.ts';
import type { ResultSender } from '../../../edge-agent/results/result-sender.ts';
import type { ShadowMessage } from '../../../local/services/iot/shadow/service.ts';
import type { StreamBug } from '../table/change-stream.ts';
import type { OutcomeChange, RowChange, WriteChange } from '../table/simulated-table.ts';

/**
 * Places where a bug can be planted between the real parts, and the bugs that the simulation must
 * catch. A simulation that finds nothing proves nothing until it has been seen to find these.
 */
export type Bug = StreamBug & {
  readonly name: string;
  readonly sentence: string;
  /** What a pass sees of the cell. */
  readonly load?: (cell: Cell) => Cell;
  /** What is decided instead of the plan, before it is held against the invariants. */
  readonly decides?: (plan: Plan) => Plan;
  /** What is committed instead of the plan. */
  readonly commit?: (plan: Plan, stored: Cell) => Plan;
  /** The same of a pass that is run by whoever brings something to the cell. */
  readonly short?: {
    readonly load?: (cell: Cell) => Cell;
    readonly commit?: (plan: Plan, stored: Cell) => Plan;
    /** Documents of edges are written before it is committed. */
    readonly writesFirst?: true;
  };
  /** What an edge commits that takes work by itself, and whether it looks at its room. */
  readonly taking?: {
    readonly commit?: (plan: Plan, stored: Cell) => Plan;
    readonly takesAll?: true;
    /** Statuses with other authors are for it a race that it lost, and nothing more. */
    readonly ignoresShared?: true;
  };
  /** A lost race is answered as won. */
  readonly tellsLostRaceAsWon?: true;
  /** What an edge receives, given the epoch it received last; `null` is nothing. */
  readonly hear?: (message: ShadowMessage, lastEpoch: number) => ShadowMessage | null;
  /** The journal as the agent has it, and the disk as the journal has it. */
  readonly journal?: (journal: Journal) => Journal;
  readonly disk?: (files: FileSystem) => FileSystem;
  readonly noTimers?: true;
  /** What is to stop is said to have stopped, and runs on. */
  readonly stopsNothing?: true;
  /** Who sends what chunks leave, as the agent has it. */
  readonly results?: (sender: ResultSender) => ResultSender;
  /** The clock as the agent has it. */
  readonly clock?: (clock: Clock) => Clock;
  /** A spec that fits into the document of its work is not there to be asked for. */
  readonly withholdsSmallSpecs?: true;
  /** A pass fails on a row of a kind that it does not know. */
  readonly refusesUnknownRows?: true;
  /** A report over HTTPS is answered, and that is all. */
  readonly answersUnstored?: true;
  /** What an agent takes the spec of a job for. */
  readonly spec?: (spec: AgentSpec) => AgentSpec;
  /** A row on its way into the table, and what a store hears of its transaction. */
  readonly row?: RowChange;
  readonly outcome?: OutcomeChange;
  /** A write before its condition is looked at. */
  readonly asks?: WriteChange;
  /** What a user's request sees of the job. */
  readonly sees?: (found: JobWithStatus) => JobWithStatus;
  /** What is stored instead of the job that was decided, or of the change. */
  readonly creates?: (creation: JobCreation) => JobCreation;
  readonly createsMany?: (creations: readonly JobCreation[]) => readonly JobCreation[];
  readonly changes?: (change: JobChange, stored: StoredJob) => JobChange;
};

export const plantedBugs: readonly Bug[] = [
  {
    name: 'no-version-check',
    sentence: 'a pass commits although somebody else committed since it read',
    commit: (plan, stored) => ({ ...plan, seenVersion: stored.meta.version }),
  },
  {
    name: 'lost-race-answered-as-won',
    sentence: 'a pass tells the edges what it could not commit',
    tellsLostRaceAsWon: true,
  },
  {
    name: 'no-capacity-check',
    sentence: 'grants do not look at what an edge has',
    load: (cell) => withEdges(cell, (edge) => ({ ...edge, facts: twice(edge.facts) })),
  },
  {
    name: 'forgotten-epoch',
    sentence: 'work changes without a new epoch',
    commit: (plan, stored) =>
      withWorks(plan, (edge, work) => ({
        ...work,
        epoch: Math.max(1, stored.edges.get(edge)?.work?.epoch ?? 0),
      })),
  },
  {
    name: 'predicted-epoch',
    sentence: 'the agent takes only the epoch that follows the one it has',
    hear: (message, lastEpoch) => {
      const epoch = epochOf(message);
      return epoch === null || epoch <= lastEpoch + 1 ? message : null;
    },
  },
  {
    name: 'journal-forgets-ends',
    sentence: 'the agent does not write down that a chunk has ended',
    journal: (journal) => ({
      ...within(journal),
      append: (...records) =>
        journal.append(...records.filter(({ k }) => k !== 'end' && k !== 'done')),
    }),
  },
  {
    name: 'first-of-a-batch',
    sentence: 'of chunks that end together the agent writes down only the first',
    journal: (journal) => ({
      ...within(journal),
      append: (...records) =>
        journal.append(
          ...records.map((one) =>
            one.k === 'done' ? { ...one, r: `${parseInt(one.r, 10)}` } : one,
          ),
        ),
    }),
  },
  {
    name: 'reported-before-it-is-synced',
    sentence: 'a report leaves the edge before its journal is synced',
    journal: (journal) => ({
      ...within(journal),
      sync: async () => {
        void journal.sync();
        return true;
      },
    }),
  },
  {
    name: 'journal-is-not-synced',
    sentence: 'the journal takes its disk at its word without fdatasync',
    disk: (files) => ({ ...files, fdatasync: (_, done) => queueMicrotask(() => done(null)) }),
  },
  {
    name: 'compaction-is-not-synced',
    sentence: 'a rewritten journal takes the place of the old one without fsync',
    disk: (files) => ({ ...files, fsync: () => {} }),
  },
  {
    name: 'rename-is-not-synced',
    sentence: 'the name of a rewritten journal is not synced',
    disk: (files) => ({ ...files, syncDirectory: () => {} }),
  },
  {
    name: 'failure-is-done',
    sentence: 'a chunk that failed is applied as done',
    commit: (plan) =>
      withSlices(plan, (slice) => {
        const failed = [...slice.retries.keys()].sort((a, b) => a - b);
        const ranges = union(slice.done, fromChunks(failed));
        return { ...slice, done: ranges, retries: new Map() };
      }),
  },
  {
    name: 'lost-edge-keeps-its-lease',
    sentence: 'the chunks of a lost edge stay with it',
    commit: (plan, stored) =>
      withWorks(plan, (edge, work) =>
        work.lostAtMs === null
          ? work
          : { ...work, leases: stored.edges.get(edge)?.work?.leases ?? work.leases },
      ),
  },
  {
    name: 'ignored-attempt',
    sentence: 'the agent does not see that a chunk is asked for again',
    hear: (message) => withoutAttempts(message),
  },
  {
    name: 'ignored-cordon',
    sentence: 'a cordoned edge is given work',
    load: (cell) =>
      withEdges(cell, (edge) => ({
        ...edge,
        config: { ...edge.config, cordoned: null, drain: null },
      })),
  },
  {
    name: 'endless-attempts',
    sentence: 'a chunk that always fails is tried for ever',
    load: (cell) =>
      withJobs(cell, (job) => ({
        ...job,
        intent: {
          ...job.intent,
          spec: {
            ...job.intent.spec,
            retries: { ...job.intent.spec.retries, attempts: 1_000_000 },
          },
        },
      })),
  },
  {
    name: 'fold-not-stored',
    sentence: 'what a report says is done is acknowledged and not stored',
    commit: (plan, stored) =>
      withSlices(plan, (slice, job) => ({
        ...slice,
        done: stored.jobs.get(job)?.slice.done ?? slice.done,
      })),
  },
  {
    name: 'anybody-reports-anything',
    sentence: 'what an edge calls done counts whether it was given it or not',
    load: (cell) => withEdges(cell, (edge) => ({ ...edge, work: givenAll(cell, edge.work) })),
  },
  {
    name: 'cancelled-job-keeps-what-is-reclaimed',
    sentence: 'a lease whose tail is being reclaimed is not revoked when its job is cancelled',
    commit: (plan, stored) =>
      withWorks(plan, (edge, work) => ({
        ...work,
        leases: new Map([...work.leases, ...reclaimedOfCancelled(stored, edge)]),
      })),
  },
  {
    name: 'unnamed-leases-are-not-applied',
    sentence: 'a lease that a report does not name stays as the report before it said',
    load: (cell) => withEdges(cell, nameAllLeases),
  },
  {
    name: 'nobody-looks-again',
    sentence: 'what waits for a time waits for ever',
    noTimers: true,
  },
];

function givenAll(cell: Cell, work: EdgeWork | null): EdgeWork | null {
  const leases = [...cell.jobs].map(([id, { slice }]) => {
    const lease = work?.leases.get(id) ?? nothingHeld;
    return [id, { ...lease, heldBefore: slice.ranges }] as const;
  });
  return { ...(work ?? noEdgeWork), leases: new Map([...(work?.leases ?? []), ...leases]) };
}

const nothingHeld: Lease = {
  ranges: emptyRanges,
  reclaiming: emptyRanges,
  reclaimEpoch: null,
  slots: 0,
  running: emptyRanges,
  grantedAtMs: 0,
  startedAtMs: 0,
  chunkMs: null,
  heldBefore: emptyRanges,
  doneHere: emptyRanges,
  deadHere: emptyRanges,
};

/** The methods of a class do not come along with a spread. */
export function within(journal: Journal): Journal {
  return {
    append: (...records) => journal.append(...records),
    sync: () => journal.sync(),
    retry: () => journal.retry(),
    state: () => journal.state(),
    compactIfGrown: (snapshot) => journal.compactIfGrown(snapshot),
    close: () => journal.close(),
  };
}

function withEdges(cell: Cell, change: (edge: CellEdge) => CellEdge): Cell {
  const edges = [...cell.edges].map(([name, edge]) => [name, change(edge)] as const);
  return { ...cell, edges: new Map(edges) };
}

function withJobs(cell: Cell, change: (job: CellJob) => CellJob): Cell {
  return { ...cell, jobs: new Map([...cell.jobs].map(([id, job]) => [id, change(job)] as const)) };
}

export function withWorks(plan: Plan, change: (edge: EdgeName, work: EdgeWork) => EdgeWork): Plan {
  const works = [...plan.works].map(([edge, work]) => [edge, change(edge, work)] as const);
  return { ...plan, works: new Map(works) };
}

function withSlices(
  plan: Plan,
  change: (slice: CellJob['slice'], job: JobId) => CellJob['slice'],
): Plan {
  const slices = [...plan.slices].map(([job, slice]) => [job, change(slice, job)] as const);
  return { ...plan, slices: new Map(slices) };
}

function twice(facts: CellEdge['facts']): CellEdge['facts'] {
  if (facts === null) return null;
  return { ...facts, capacity: { ...facts.capacity, power: facts.capacity.power * 2 } };
}

export function workDocument(message: ShadowMessage): Record<string, unknown> | null {
  const { topic, body } = message;
  if (topic.endsWith('/work/update/delta')) return isRecord(body.state) ? body.state : null;
  if (!topic.endsWith('/work/get/accepted') || !isRecord(body.state)) return null;
  return isRecord(body.state.desired) ? body.state.desired : null;
}

export function epochOf(message: ShadowMessage): number | null {
  const epoch = workDocument(message)?.e;
  return typeof epoch === 'number' ? epoch : null;
}

function withoutAttempts(message: ShadowMessage): ShadowMessage {
  const copy = structuredClone(message);
  const document = workDocument(copy);
  if (document === null || !isRecord(document.w)) return copy;
  for (const entry of Object.values(document.w)) if (isRecord(entry)) entry.t = null;
  return copy;
}

/** Leases of an edge that a pass should revoke because a user cancelled the job. */
function reclaimedOfCancelled(stored: Cell, edge: EdgeName): [JobId, Lease][] {
  const leases = stored.edges.get(edge)?.work?.leases ?? new Map<JobId, Lease>();
  return [...leases].filter(([job, lease]) => {
    const isCancelled = stored.jobs.get(job)?.intent.cancelled === true;
    return isCancelled && !isEmpty(lease.reclaiming);
  });
}

function nameAllLeases(edge: CellEdge): CellEdge {
  const { report, work } = edge;
  if (report === null || report.progress === null || work === null) return edge;
  const jobs = new Map(report.progress.jobs);
  for (const [job, { running, reclaiming }] of work.leases) {
    if (jobs.has(job)) continue;
    const nothing = { done: emptyRanges, failed: new Map(), attempts: new Map() };
    const stale = union(running, reclaiming);
    jobs.set(job, { ...nothing, running: stale, chunkMs: null, refused: null });
  }
  return { ...edge, report: { ...report, progress: { ...report.progress, jobs } } };
}
