import type { Cell, Intent } from '../model/cell.ts';
import type { SubmissionPart } from '../model/job.ts';
import type { EdgeName, JobId } from '../model/names.ts';
import { count, isEmpty, type RangeSet, take } from '../model/ranges.ts';
import { isDoubled } from '../model/starts.ts';
import { mismatchOf } from './matching.ts';
import { refusalOf } from './pass/candidates.ts';
import { fitOf } from './pass/capacity.ts';
import { type EdgeDraft, isActive, type JobDraft, openPass, type Pass } from './pass/draft.ts';
import { placeableOf } from './pass/due-retries.ts';
import { openQueues } from './pass/queues.ts';
import { jobsBySubmission, takenBy } from './pass/taken.ts';
import { endReasonOf } from './phases/end-jobs.ts';

/**
 * What an edge that takes work by itself may take now: waiting chunks of jobs that name it, and of
 * all that match it when it asked for those of its pool. Looking reserves nothing, and what is free
 * on the edge says only whether it fits: its own scheduler decides.
 */
export type Offer = {
  readonly job: JobId;
  readonly intent: Intent;
  readonly chunks: RangeSet;
  /** The edge has room for all of it now. */
  readonly fits: boolean;
  /** It has room for one chunk at least. */
  readonly fitsPartly: boolean;
  /** It is a jobspec, all of which is taken together; the job is the first of it. */
  readonly whole: WholeSubmission | null;
};

export type WholeSubmission = SubmissionPart & { readonly intents: readonly Intent[] };

/** By priority, then by arrival. */
export function offersOf(cell: Cell, name: EdgeName, nowMs: number): readonly Offer[] {
  const pass = openPass(cell, nowMs, 0);
  const edge = pass.edges.get(name);
  if (edge === undefined || !isOffered(edge.source)) return [];
  openQueues(pass);
  const offers: Offer[] = [];
  for (const job of pass.jobs.values()) {
    if (job.intent.submission === undefined) offers.push(...offerOf(pass, edge, job));
  }
  for (const jobs of jobsBySubmission(pass).values()) offers.push(...wholeOffer(pass, edge, jobs));
  return offers.sort(byRank);
}

function offerOf(pass: Pass, edge: EdgeDraft, job: JobDraft): readonly Offer[] {
  if (endReasonOf(pass, job) !== null || obstacleTo(pass, edge, job) !== null) return [];
  const chunks = withinQuota(pass, job, placeableOf(pass, job));
  if (isEmpty(chunks)) return [];
  const room = fitOf(job.demand, edge.free);
  const fit = { fits: room >= count(chunks), fitsPartly: room > 0 };
  return [{ job: job.id, intent: job.intent, chunks, ...fit, whole: null }];
}

/** One item for all of it; its jobs are never offered one by one. */
function wholeOffer(pass: Pass, edge: EdgeDraft, jobs: readonly JobDraft[]): readonly Offer[] {
  const part = jobs[0]?.intent.submission;
  if (part === undefined || takenBy(edge, part.id) !== null) return [];
  const open = jobs.filter((job) => endReasonOf(pass, job) === null);
  if (open.some((job) => obstacleTo(pass, edge, job) === 'not-offered')) return [];
  const ready = open.flatMap((job) => offerOf(pass, edge, job)).sort(byRank);
  const [first] = ready;
  if (first === undefined) return [];
  const fits = ready.every((it) => it.fits);
  const fitsPartly = ready.some((it) => it.fitsPartly);
  const intents = open.map(({ intent }) => intent);
  return [{ ...first, fits, fitsPartly, whole: { ...part, intents } }];
}

/** Something of it can begin now. */
export function isReady(pass: Pass, edge: EdgeDraft, job: JobDraft): boolean {
  return offerOf(pass, edge, job).length > 0;
}

function byRank(a: Offer, b: Offer): number {
  const [first, second] = [a.intent, b.intent];
  if (first.spec.priority !== second.spec.priority) {
    return second.spec.priority - first.spec.priority;
  }
  if (first.submittedAtMs !== second.submittedAtMs) {
    return first.submittedAtMs - second.submittedAtMs;
  }
  return a.job < b.job ? -1 : 1;
}

/** Whether its users let it have work. One that was silent sees what there is all the same. */
function isOffered({ config }: EdgeDraft['source']): boolean {
  const { cordoned, drain, removing, pull } = config;
  return pull != null && cordoned === null && drain === null && removing === null;
}

/** To take something it has to be there, too, and once; asking makes it be there. */
export function takesWork({ source, starts }: EdgeDraft): boolean {
  return isOffered(source) && source.report?.connected === true && !isDoubled(starts);
}

export type OfferObstacle = 'not-offered' | 'held';

/** Why a job that has not ended is not this edge's to take. */
export function obstacleTo(pass: Pass, edge: EdgeDraft, job: JobDraft): OfferObstacle | null {
  const { requires, placement } = job.intent.spec;
  const isNamed = requires.edges.some((it) => it === edge.name);
  if (!isNamed && edge.source.config.pull?.offers !== 'pool') return 'not-offered';
  // Several edges at once are found by a pass; none of them can take its part alone.
  if ((placement.nodes ?? 1) > 1) return 'not-offered';
  if (mismatchOf(edge.source, job.intent.spec) !== null) return 'not-offered';
  if (refusalOf(pass, job, edge.name) !== null) return 'not-offered';
  if (job.intent.blockedByDependencies || quotaLeft(pass, job) < 1) return 'held';
  return hasEnoughEdges(edge, job) ? 'held' : null;
}

/** It runs on as many edges as it may, and this is none of them. */
function hasEnoughEdges({ name }: EdgeDraft, { intent, leases }: JobDraft): boolean {
  const { maxEdges } = intent.spec.placement;
  const holders = leases.filter(isActive).map(({ edge }) => edge.name);
  return maxEdges !== null && holders.length >= maxEdges && !holders.includes(name);
}

/** Whatever is free on the edge: a queue holds no more than its quota. */
export function withinQuota(pass: Pass, job: JobDraft, chunks: RangeSet): RangeSet {
  return take(chunks, Math.min(count(chunks), quotaLeft(pass, job))).taken;
}

/** In chunks of the job. */
function quotaLeft(pass: Pass, job: JobDraft): number {
  const queue = pass.queues?.get(job.intent.spec.queue);
  if (queue === undefined || queue.config.quota === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor((queue.config.quota - queue.held.power) / job.demand.power));
}
