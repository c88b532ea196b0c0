import { readAlgorithm } from '../../../core/contract/jobspec/envelope.ts';
import type { Placing } from '../../../core/contract/jobspec/job-bodies.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import type { FieldError } from '../../../core/contract/validation.ts';
import { type Caller, isBound, seesPlace } from '../../../core/model/caller.ts';
import type { AskedPlace } from '../../../core/model/submission.ts';
import type { StoredPool } from '../../../core/ports/pools.ts';
import {
  type ClusterAnswer,
  matchAll,
  type PlaceCandidate,
  select,
} from '../../../core/selection/place-jobspec.ts';
import type { Selection } from '../../../core/selection/select-cluster.ts';
import type { Context } from '../operation.ts';
import { type CandidateDeps, candidatesOf } from './candidates.ts';
import { type AskedJobspec, type Chosen, chosenBy } from './read-jobspec.ts';

/** Where a jobspec goes, and what every cluster that was asked said. */
export type Placed = {
  readonly answers: readonly ClusterAnswer[];
  readonly totals: Totals;
  /** `null`: nobody has what it needs, and it is to wait. */
  readonly selection: Selection | null;
  readonly cluster: string | null;
  readonly placing: Placing;
  /** What was asked, with what its pool has for whoever says nothing. */
  readonly asked: AskedPlace;
};

/** What decides where it goes, besides what it needs. */
export type Question = Pick<AskedJobspec, 'plan' | 'pool' | 'queue' | 'select'> & {
  readonly clusters: readonly string[] | null;
  readonly together: 'host' | 'pool' | null;
  readonly fallback: 'missing' | 'busy' | null;
};

export type Totals = {
  readonly clusters: number;
  readonly matches: number;
  readonly mismatches: number;
  /** The pool has more than were asked. */
  readonly more?: true;
};

export function questionOf({ plan, pool, queue, select, envelope }: AskedJobspec): Question {
  const { clusters = null, together = null, fallback = null } = envelope;
  return { plan, pool, queue, select, clusters, together, fallback };
}

export async function askClusters(
  question: Question,
  live: boolean,
  context: Context,
  deps: CandidateDeps,
) {
  const { pool: name, queue, clusters } = question;
  checkPlace(context.caller, { pool: name, queue });
  const { caller } = context;
  const bound = caller.kind === 'token' ? caller.edges : null;
  const from = { pool: name, named: clusters ?? bound, live };
  const { all: found, hasMore, pool } = await candidatesOf(from, context.nowMs, deps);
  const all = found.filter((it) => isAllowed(caller, it));
  const candidates = all.filter((it) => clusters?.includes(it.name) ?? true);
  const together = question.together ?? pool?.match?.together ?? 'host';
  const fallback = question.fallback ?? pool?.match?.fallback ?? 'missing';
  const matched = matchAll(question.plan, candidates, { together, fallback });
  const { said, algorithm } = question.select ?? chosenInPool(pool);
  const asked: AskedPlace = { clusters, select: said, together, fallback };
  const totals = totalsOf(matched.answers, hasMore);
  return { candidates, matched, totals, algorithm, asked, pool };
}

/** What a pool says was checked when it was said; what cannot be read is as if nothing was. */
function chosenInPool(pool: StoredPool | null): Chosen {
  const select = pool?.select ?? null;
  const read = select === null ? null : readAlgorithm(select);
  if (select === null || read === null || !read.ok) return chosenBy({ algorithm: 'freest' });
  return { said: select, algorithm: read.algorithm };
}

/** The seed makes a choice by lot one that can be made again. */
export async function placeJobspec(
  asked: AskedJobspec,
  seed: string,
  context: Context,
  deps: CandidateDeps,
): Promise<Placed> {
  const question = questionOf(asked);
  const found = await askClusters(question, false, context, deps);
  const { candidates, matched, totals, algorithm } = found;
  if (question.clusters !== null) checkClusters(question.clusters, candidates);
  const { answers, placings } = matched;
  const known = { answers, totals, asked: found.asked };
  if (placings.size === 0) {
    const waits = candidates.length === 0 ? 'wait' : 'refuse';
    const wanted = asked.envelope.unsatisfied ?? found.pool?.match?.unsatisfied ?? waits;
    // What waits is bound to no place, and such a token submits to its clusters only.
    if (wanted === 'refuse' || isBound(context.caller)) throw unsatisfied(answers, totals);
    return { ...known, selection: null, cluster: null, placing: nowhere };
  }
  const selection = select(asked.plan, candidates, matched, algorithm, seed);
  const placing = selection.cluster === null ? null : (placings.get(selection.cluster) ?? null);
  if (placing === null) throw notSelected(selection);
  return { ...known, selection, cluster: selection.cluster, placing };
}

/** A token that is bound to clusters sees no other, and no hosts. */
function isAllowed(caller: Caller, { kind, name }: PlaceCandidate): boolean {
  if (caller.kind !== 'token' || caller.edges === null) return true;
  return kind === 'cluster' && caller.edges.some((edge) => edge === name);
}

/** Any host of the pool that will have what a task needs. */
const nowhere: Placing = { to: { kind: 'hosts', hostOf: new Map() }, chosen: new Map() };

/** A token that is limited asks only where it sees. */
export function checkPlace(
  caller: Caller,
  { pool, queue }: { readonly pool: string; readonly queue: string },
): void {
  if (seesPlace(caller, { pool, queue })) return;
  throw new ProblemError('forbidden', 'This token may not submit to this pool and queue.');
}

/** One that is not there and one that may not be seen get the same answer. */
export function checkClusters(
  wanted: readonly string[],
  candidates: readonly PlaceCandidate[],
): void {
  const known = new Set(candidates.map(({ name }) => name));
  if (wanted.every((name) => known.has(name))) return;
  throw new ProblemError('forbidden', 'This token may not submit to all of these clusters.');
}

function totalsOf(answers: readonly ClusterAnswer[], hasMore: boolean): Totals {
  const matches = answers.filter((it) => it.matches).length;
  const counts = { clusters: answers.length, matches, mismatches: answers.length - matches };
  return hasMore ? { ...counts, more: true } : counts;
}

function unsatisfied(answers: readonly ClusterAnswer[], { more }: Totals): ProblemError {
  const errors = answers.flatMap((it): FieldError[] => {
    if (it.matches) return [];
    const message = `${it.reason}: ${it.detail}`;
    return [{ pointer: `/clusters/${it.name}`, message }];
  });
  const first = errors[0]?.message ?? 'nobody is here';
  const others = more ? ' The pool has others that were not asked; name those to ask.' : '';
  const detail = `No cluster has what this jobspec asks for: ${first}.${others}`;
  return new ProblemError('unsatisfiable', detail, { errors });
}

function notSelected({ excluded }: Selection): ProblemError {
  const errors = excluded.map(({ cluster, priority, reason }) => {
    return { pointer: `/clusters/${cluster}`, message: `priority ${priority}: ${reason}` };
  });
  return new ProblemError('no-cluster-selected', undefined, { errors });
}
