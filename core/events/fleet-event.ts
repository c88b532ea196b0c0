import { eventKinds, sentenceOf, sentenceOfRollout } from '../jobs/rollup.ts';
import {
  type Access,
  type Caller,
  isBound,
  mayCall,
  seesPlace,
  seesPool,
} from '../model/caller.ts';
import { isFinal, jobStates } from '../model/job.ts';
import type { JobStatus } from '../model/job-status.ts';
import type { EdgeName, JobId } from '../model/names.ts';
import type { RolloutState } from '../services/service.ts';
import { eventDetailLengthMax } from './limits.ts';

/**
 * Something that happened in the fleet, for whoever wants to know: of a job or of an edge, and
 * where that is.
 * Its id is made of what happened, so that one that comes a second time is known.
 */
export type FleetEvent = {
  readonly id: string;
  readonly atMs: number;
  readonly kind: string;
  readonly job: JobId | null;
  readonly name: string | null;
  readonly edge: EdgeName | null;
  readonly pool: string;
  readonly queue: string | null;
  /** The submission that the job is a part of. */
  readonly jobspec: string | null;
  readonly detail: string;
};

/** Which events somebody asks for; several kinds are alternatives. */
export type EventFilter = {
  readonly kinds: readonly string[];
  readonly job: string | null;
  readonly edge: string | null;
  readonly jobspec: string | null;
  readonly pool: string | null;
};

export type EdgeEventKind = 'edge.registered' | 'edge.lost' | 'edge.returned';

const edgeEventKinds: readonly EdgeEventKind[] = ['edge.registered', 'edge.lost', 'edge.returned'];

/** How a new generation of a service fares. */
const rolloutKinds: Readonly<Record<RolloutState, string>> = {
  moving: 'rollout.started',
  done: 'rollout.done',
  paused: 'rollout.paused',
  'rolled-back': 'rollout.rolled-back',
};

/**
 * Every state that a job can come to, that it was submitted, what becomes of its chunks, instances
 * and generations, and what becomes of edges.
 */
export const fleetEventKinds: readonly string[] = [
  'job.submitted',
  ...Object.values(eventKinds).map((kind) => `job.${kind}`),
  'chunk.dead',
  'instance.stopped',
  ...Object.values(rolloutKinds),
  ...edgeEventKinds,
];

/**
 * What a change of a job's status says. `before` is `null` for one that is new: it was submitted,
 * and may have been placed with that. What the timeline has no line of happened when it was
 * written, which may be known in whole seconds, and between what stands around it; a number of the
 * status tells it from others of its kind.
 */
export function fleetEventsOf(
  before: JobStatus | null,
  after: JobStatus,
  writtenAtMs = timeOf(after),
): FleetEvent[] {
  const events: FleetEvent[] = [];
  const add = (kind: string, atMs: number, detail: string, mark = atMs): void => {
    const { job, name, pool, queue, labels } = after;
    const jobspec = Object.hasOwn(labels, 'jobspec/id') ? (labels['jobspec/id'] ?? null) : null;
    const where = { job, name, edge: null, pool, queue, jobspec };
    const said = detail.slice(0, eventDetailLengthMax);
    events.push({ id: `${job}.${kind}.${mark}`, atMs, kind, ...where, detail: said });
  };
  if (before === null) add('job.submitted', after.createdAtMs, 'Submitted.');
  const isPlaced = before === null && after.countedAs !== null;
  const isChanged = before === null ? isPlaced : before.state !== after.state;
  for (const [kind, detail] of before === null ? [] : newsWithin(before, after)) {
    const latestMs = isChanged ? timeOf(after) : Number.POSITIVE_INFINITY;
    const atMs = Math.min(Math.max(writtenAtMs, timeOf(before ?? after)), latestMs);
    add(kind, atMs, detail, after.version);
  }
  if (isChanged) add(`job.${eventKinds[after.state]}`, timeOf(after), sentenceOf(after));
  return events;
}

/** What changed inside of the job. */
function newsWithin(before: JobStatus, after: JobStatus): [kind: string, detail: string][] {
  const news: [string, string][] = [];
  const { dead, total } = after.counts;
  const more = dead - before.counts.dead;
  if (more > 0) news.push(['chunk.dead', `${more} more: ${dead} of ${total} chunks are dead.`]);
  if (after.service === undefined) return news;
  const { restarts, rollout } = after.service;
  const stopped = restarts - (before.service?.restarts ?? 0);
  if (stopped > 0) news.push(['instance.stopped', `${stopped} more: ${restarts} restarts in all.`]);
  const was = before.service?.rollout;
  const isSame = was?.state === rollout?.state && was?.generation === rollout?.generation;
  if (rollout !== undefined && !isSame) {
    news.push([rolloutKinds[rollout.state], sentenceOfRollout(rollout)]);
  }
  return news;
}

/** What it tells is an end, until somebody has the job go on. */
export function endsJob({ kind }: Pick<FleetEvent, 'kind'>): boolean {
  return endKinds.includes(kind);
}

const endKinds: readonly string[] = jobStates
  .filter(isFinal)
  .map((state) => `job.${eventKinds[state]}`);

/** An edge is in a pool and in no queue. */
export function edgeEventOf(
  kind: EdgeEventKind,
  { edge, pool, atMs }: { readonly edge: EdgeName; readonly pool: string; readonly atMs: number },
): FleetEvent {
  const none = { job: null, name: null, queue: null, jobspec: null };
  return { id: `${edge}.${kind}.${atMs}`, atMs, kind, edge, pool, ...none, detail: said[kind] };
}

/** As everybody gets it: by the API, by webhooks and on the bus. */
export function shownEvent({ atMs, ...event }: FleetEvent) {
  return { ...event, at: new Date(atMs).toISOString() };
}

const said: Readonly<Record<EdgeEventKind, string>> = {
  'edge.registered': 'It was enrolled.',
  'edge.lost': 'It is gone for longer than its jobs wait.',
  'edge.returned': 'It is back.',
};

/** The timeline of the job has it at the same time. */
function timeOf({ endedAtMs, lastEventAtMs, createdAtMs }: JobStatus): number {
  return endedAtMs ?? lastEventAtMs ?? createdAtMs;
}

/**
 * Who is bound to clusters sees only what it submitted, which an event does not say. What becomes
 * of edges is for those who may read edges.
 */
export function seesEvent(caller: Caller, { pool, queue }: FleetEvent): boolean {
  if (isBound(caller)) return false;
  if (queue !== null) return seesPlace(caller, { pool, queue });
  return mayCall(caller, readsEdges, null) === 'allowed' && seesPool(caller, pool);
}

const readsEdges: Access = { scope: 'edges:read', edge: false };

export function isAskedFor(filter: EventFilter, event: FleetEvent): boolean {
  const { kinds, job, edge, jobspec, pool } = filter;
  return (
    (kinds.length === 0 || kinds.includes(event.kind)) &&
    (job === null || event.job === job) &&
    (edge === null || event.edge === edge) &&
    (jobspec === null || event.jobspec === jobspec) &&
    (pool === null || event.pool === pool)
  );
}
