import type { Cell, CellJob, Intent, Slice } from '../model/cell.ts';
import type { JobId } from '../model/names.ts';
import { count } from '../model/ranges.ts';
import { shapeOfSpec } from '../scheduler/pass/candidates.ts';
import { marksOf } from '../scheduler/plan/slice-in-lease.ts';
import { shelfHeadsMax } from './limits.ts';
import { arrivalOf, isEarlier, type ShelfGroup } from './shelf.ts';

/**
 * Which jobs of a deep backlog a pass need not see. Jobs that need the same, in one queue and of
 * one priority, are a group: where the first of them has to wait, so have the others. So a pass
 * sees the first of each group, its heads, and of the others how many there are.
 *
 * Only plain jobs are grouped: nothing has come of them, this cell has them alone, and nothing but
 * their order tells them apart.
 */
export function groupOf({ spec, chunking }: Intent): string {
  const known = texts.get(spec);
  const { chunks, chunkPower, lastChunkPower } = chunking;
  const text = known ?? textOf(spec);
  if (known === undefined) texts.set(spec, text);
  return `${chunks}/${chunkPower}/${lastChunkPower} ${text}`;
}

/** Specs never change, and those that say the same are one object where rows were read. */
const texts = new WeakMap<Intent['spec'], string>();

/** All that decides on which edge, when and for how long one waits; a name does not. */
function textOf(spec: Intent['spec']): string {
  const { queue, priority, resources, placement, deadlineSeconds } = spec;
  return JSON.stringify([
    queue,
    priority,
    deadlineSeconds,
    resources,
    placement,
    shapeOfSpec(spec),
  ]);
}

export function isPlain(intent: Intent, slice: Slice): boolean {
  const { spec, chunking } = intent;
  if (!intent.foldedByCell || intent.cancelled || intent.blockedByDependencies) return false;
  if (intent.retryEpoch > 0 || intent.submission !== undefined) return false;
  if (intent.cancelledRanges !== undefined) return false;
  if (intent.rollout !== undefined || spec.restart !== undefined) return false;
  if (spec.everywhere !== undefined || spec.placement.nodes !== null) return false;
  if (spec.requires.edges.length > 0 || count(slice.ranges) !== chunking.chunks) return false;
  const marks = marksOf(slice);
  return marks !== null && marks.startedAtMs === null && marks.workedPower === undefined;
}

/** How many jobs of a group a pass sees at least, as long as there are as many. */
export function headsMaxOf({ shelfHeads }: Pick<Cell, 'shelfHeads'>): number {
  return shelfHeads ?? shelfHeadsMax;
}

/** Below this a group is short of heads, and the next of it come from the shelf. */
export function headsMinOf(cell: Pick<Cell, 'shelfHeads'>): number {
  return Math.ceil(headsMaxOf(cell) / 2);
}

export function isHead(job: Pick<CellJob, 'id' | 'intent'>, group: ShelfGroup): boolean {
  return !isEarlier(group.first, arrivalOf(job));
}

/** Groups of the cell as it was read that are short of heads, and how many to read of them. */
export function shortGroups(cell: Cell): ReadonlyMap<string, number> {
  const short = new Map<string, number>();
  const { shelf } = cell;
  if (shelf === undefined) return short;
  const heads = headsIn(cell, shelf.groups);
  for (const name of shelf.groups.keys()) {
    const has = heads.get(name) ?? 0;
    if (has < headsMinOf(cell)) short.set(name, headsMaxOf(cell) - has);
  }
  return short;
}

/** A pass has to see more of the shelf before it goes on. */
export function isToBeRead(cell: Cell): boolean {
  for (const name of shortGroups(cell).keys()) if (!cell.shelf?.next.has(name)) return true;
  return false;
}

function headsIn(
  { edges, jobs }: Cell,
  groups: ReadonlyMap<string, ShelfGroup>,
): ReadonlyMap<string, number> {
  const leased = new Set<JobId>();
  for (const { work } of edges.values()) for (const id of work?.leases.keys() ?? []) leased.add(id);
  const heads = new Map<string, number>();
  for (const job of jobs.values()) {
    if (leased.has(job.id) || !isPlain(job.intent, job.slice)) continue;
    const name = groupOf(job.intent);
    const group = groups.get(name);
    if (group !== undefined && isHead(job, group)) heads.set(name, (heads.get(name) ?? 0) + 1);
  }
  return heads;
}
