import {
  isNamedReason,
  type WaitingReason,
  waitingReasons,
} from '../../contract/waiting-reason.ts';
import { waitingExamplesMax, waitingJobsMax } from '../../model/limits.ts';
import type { WaitingCount } from '../../model/plan.ts';
import { count, isEmpty, last, subtract } from '../../model/ranges.ts';
import { openPicker } from '../leases/pick.ts';
import { mismatchOf } from '../matching.ts';
import {
  documentBytes,
  hasRoomForEntry,
  matchingEdges,
  refusalOf,
  roomOf,
  shapeOf,
  unavailable,
} from '../pass/candidates.ts';
import { type Demand, shortOf } from '../pass/capacity.ts';
import { type EdgeDraft, type JobDraft, type Pass, pendingOf } from '../pass/draft.ts';
import { backoffOf } from '../pass/due-retries.ts';
import type { FoundEdges } from '../pass/memo.ts';
import { isSuspensionReported } from '../pass/suspension.ts';
import { sameReasons } from '../plan/reported-reasons.ts';
import { canAfford, jobCost, touchJob } from '../plan/rows.ts';

type Found = FoundEdges<EdgeDraft>;

/**
 * Why chunks wait, after everything that could be placed was placed: reasons with counts and a few
 * edges as examples. Reasons come with the most hopeful first, so the first one is what to look at.
 */
export function waitingOf(pass: Pass, job: JobDraft): WaitingCount[] {
  const pending = pendingOf(job);
  const chunks = count(pending);
  if (chunks === 0 || job.endReason !== null) return [];
  if (job.intent.blockedByDependencies)
    return [whole('dependency', chunks, 'waits for the jobs it depends on')];
  const backoff = backoffOf(pass, job);
  const later = chunks - count(subtract(pending, backoff));
  const reasons: WaitingCount[] = [];
  if (later > 0) reasons.push(whole('backoff', later, 'failed and will be tried again'));
  const now = chunks - later;
  if (now === 0) return reasons;
  const avoided = avoidedEdges(pass, job);
  if (avoided !== null && later === 0) reasons.push(avoided);
  const ofEdges = edgeReasons(pass, job, now);
  const obstacle = job.obstacle === null ? null : obstacleOf(pass, job, now);
  const isListed = ofEdges.some(({ reason }) => reason === obstacle?.reason);
  if (obstacle !== null && !isListed) reasons.push(obstacle);
  reasons.push(...ofEdges);
  if (reasons.length === 0)
    reasons.push(whole('backoff', now, 'waits for an edge without failures'));
  return reasons.sort((a, b) => tierOf(a.reason) - tierOf(b.reason));
}

/** Edges with room that chunks which failed do not go to, while another one may take them. */
function avoidedEdges(pass: Pass, job: JobDraft): WaitingCount | null {
  const { retried, overdue, hasHealthy } = openPicker(pass, job);
  const chunks = count(subtract(retried, overdue));
  if (chunks === 0 || !hasHealthy) return null;
  const found = emptyFound();
  for (const edge of matchingEdges(pass, job)) {
    const hasRoom = shortOf(job.demand, edge.free, job.demand.power) === null;
    if (edge.failuresInRow > 0 && hasRoom) add(found, edge);
  }
  if (found.edges === 0) return null;
  const examples = found.examples.map(({ name }) => name);
  const detail = 'failed, and waits for another edge than one on which chunks failed last';
  return { reason: 'backoff', chunks, edges: found.edges, examples, detail };
}

function tierOf(reason: WaitingReason): number {
  return waitingReasons.indexOf(isNamedReason(reason) ? reason : 'no-free-power');
}

function whole(reason: WaitingReason, chunks: number, detail: string): WaitingCount {
  return { reason, chunks, edges: 0, examples: [], detail };
}

function obstacleOf(pass: Pass, job: JobDraft, chunks: number): WaitingCount {
  const { queue, placement } = job.intent.spec;
  switch (job.obstacle) {
    case 'quota':
      return whole('quota', chunks, quotaSentence(pass, job));
    case 'max-edges':
      return whole('max-edges', chunks, `runs on ${edgesOf(placement.maxEdges)} already`);
    case 'shadow-full':
      return whole('shadow-full', chunks, 'the work documents of edges with room are full');
    case 'gang-incomplete':
      return whole('gang-incomplete', chunks, `needs ${edgesOf(placement.nodes)} at once`);
    default:
      return whole('queue-order', chunks, `an earlier job of strict queue ${queue} waits`);
  }
}

/**
 * Says nothing that changes with every pass: statuses are written again for other reasons, not for
 * other words.
 */
function quotaSentence(pass: Pass, { intent, demand }: JobDraft): string {
  const { queue } = intent.spec;
  const quota = pass.queues?.get(queue)?.config.quota ?? Number.POSITIVE_INFINITY;
  if (quota === 0) return `what queue ${queue} may use here cannot be read`;
  if (demand.power <= quota) return `queue ${queue} uses all the power it may`;
  return `a chunk needs ${demand.power} power, and queue ${queue} may use ${quota} here`;
}

const edgesOf = (edges: number | null): string => (edges === 1 ? '1 edge' : `${edges} edges`);

function edgeReasons(pass: Pass, job: JobDraft, chunks: number): WaitingCount[] {
  if (pass.edges.size + pass.damagedEdges.length === 0)
    return [whole('no-edges', chunks, 'there is no edge')];
  const found = [...kindReasons(pass, job), ...roomReasons(pass, job)];
  const reasons: WaitingCount[] = found.map(([reason, { edges, examples, detail }]) => {
    return { reason, chunks, edges, examples: examples.map(({ name }) => name), detail };
  });
  if (!isAnyConnected(pass)) reasons.unshift(whole('no-edges', chunks, 'no edge is connected'));
  return reasons;
}

function note(
  found: Map<WaitingReason, Found>,
  edge: EdgeDraft,
  reason: WaitingReason,
  detail: string,
): void {
  let known = found.get(reason);
  if (known === undefined) {
    known = { ...emptyFound(), detail };
    found.set(reason, known);
  }
  add(known, edge);
}

/** Edges of another kind, or out of service: the same for every job of one shape. */
function kindReasons(pass: Pass, job: JobDraft): ReadonlyMap<WaitingReason, Found> {
  const shape = shapeOf(job);
  const known = pass.memo.kindByShape.get(shape);
  if (known !== undefined) return known.reasons;
  const reasons = new Map<WaitingReason, Found>();
  const fitting: EdgeDraft[] = [];
  for (const edge of pass.edges.values()) {
    const why = mismatchOf(edge.source, job.intent.spec) ?? unavailable(pass, edge);
    if (why === null) fitting.push(edge);
    else note(reasons, edge, why.reason, why.detail);
  }
  for (const { row, edge } of pass.damagedEdges) {
    note(reasons, edge, 'edge-cordoned', `its row ${row} cannot be read`);
  }
  pass.memo.kindByShape.set(shape, { reasons, fitting });
  return reasons;
}

/**
 * Edges of the right kind and in service, without room. Jobs that need the same share the answer.
 */
function roomReasons(pass: Pass, job: JobDraft): ReadonlyMap<WaitingReason, Found> {
  const { demand } = job;
  const onlyLast = count(pendingOf(job)) === 1 && last(pendingOf(job)) === demand.lastChunk;
  const power = onlyLast ? demand.lastPower : demand.power;
  const key = job.refusals.size > 0 ? null : `${shapeOf(job)} ${power} ${demand.others.join()}`;
  const known = key === null ? undefined : pass.memo.shortagesByNeed.get(key);
  if (known !== undefined) return known;
  const found = new Map<WaitingReason, Found>();
  const small = emptyFound();
  const tight = new Map<string, Found>();
  let capable = 0;
  for (const edge of pass.memo.kindByShape.get(shapeOf(job))!.fitting) {
    const refusal = refusalOf(pass, job, edge.name);
    if (refusal !== null) {
      note(found, edge, 'edge-refused', refusal);
    } else if (shortOf(demand, edge.capacity, power) !== null) {
      add(small, edge);
    } else {
      capable++;
      const isFull = roomOf(demand, edge, power) === 0;
      const short = shortOf(demand, edge.free, power) ?? (isFull ? 'power' : null);
      if (short === null) {
        if (!hasRoomForEntry(edge)) {
          note(
            found,
            edge,
            'shadow-full',
            `its work document is full with ${documentBytes(edge)} bytes`,
          );
        }
        continue;
      }
      const same = tight.get(short) ?? emptyFound();
      tight.set(short, same);
      add(same, edge);
    }
  }
  if (small.edges > 0) noteSmall(found, tight, small, demand, power, capable);
  for (const [short, same] of tight) {
    same.detail ||= `has too little free ${short} for one chunk`;
    found.set(`no-free-${short}`, same);
  }
  if (key !== null) pass.memo.shortagesByNeed.set(key, found);
  return found;
}

/** Edges that could never hold a chunk: the reason of all, or one more way to have no room. */
function noteSmall(
  found: Map<WaitingReason, Found>,
  tight: Map<string, Found>,
  small: Found,
  demand: Demand,
  power: number,
  capable: number,
): void {
  const short = shortOf(demand, small.examples[0]!.capacity, power) ?? 'power';
  if (capable === 0) {
    small.detail = `a chunk needs more ${short} than the edge has`;
    found.set('chunk-larger-than-any-edge', small);
    return;
  }
  const same = tight.get(short) ?? emptyFound();
  same.edges += small.edges;
  same.examples = [...same.examples, ...small.examples].slice(0, waitingExamplesMax);
  tight.set(short, same);
}

function emptyFound(): Found {
  return { edges: 0, examples: [], detail: '' };
}

function add(found: Found, edge: EdgeDraft): void {
  found.edges++;
  if (found.examples.length < waitingExamplesMax) found.examples.push(edge);
}

function isAnyConnected(pass: Pass): boolean {
  const isConnected = ({ source }: EdgeDraft) => source.report?.connected === true;
  for (const edge of pass.edges.values()) if (isConnected(edge)) return true;
  return pass.damagedEdges.some(({ edge }) => isConnected(edge));
}

/**
 * Writes reasons where the job's status has other ones. Only a bounded number of jobs is
 * looked at in one pass, another part of them each time, because in a full cell nothing changes for
 * most.
 */
export function reportWaiting(pass: Pass): void {
  const unexplained: JobDraft[] = [];
  const explained: JobDraft[] = [];
  for (const job of pass.jobs.values()) {
    if (job.touched) {
      job.waiting = waitingOf(pass, job);
    } else if (wasSuspended(job)) {
      unexplained.push(job);
    } else if (!isEmpty(pendingOf(job)) && job.endReason === null) {
      (job.before.reportedReasons.length === 0 ? unexplained : explained).push(job);
    }
  }
  // Whoever comes after jobs on the shelf was not tried.
  if (pass.shelf.isHalted) return;
  const start =
    explained.length > waitingJobsMax
      ? (pass.cell.meta.version * waitingJobsMax) % explained.length
      : 0;
  const part = [...explained.slice(start), ...explained.slice(0, start)].slice(0, waitingJobsMax);
  for (const job of [...unexplained.slice(0, waitingJobsMax), ...part]) {
    const waiting = waitingOf(pass, job);
    const isNews = waiting.length > 0 && !sameReasons(waiting, job.before.reportedReasons);
    if (!isNews && !wasSuspended(job)) continue;
    if (!canAfford(pass, jobCost(job))) return;
    job.waiting = waiting;
    touchJob(pass, job);
  }
}

/** It is decided about again, so its status must not say that it is not. */
function wasSuspended({ before }: JobDraft): boolean {
  return isSuspensionReported({ slice: before });
}
