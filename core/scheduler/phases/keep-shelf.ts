import { groupOf, headsMaxOf, headsMinOf, isHead } from '../../shelf/groups.ts';
import { arrivalOf, isEarlier, type ShelfGroup } from '../../shelf/shelf.ts';
import { type JobDraft, lookAgain, type Pass } from '../pass/draft.ts';
import { isUntouched } from '../pass/shelf-order.ts';
import { canAfford, jobCost, spend, touchJob } from '../plan/rows.ts';

/**
 * Keeps of each group of waiting jobs the first ones in the cell and the others on its shelf.
 *
 * Jobs go there from the end of their group, with the status that says why they wait. They come
 * back in their order, when too few are left before them: so whatever becomes due of them, such as
 * a deadline, becomes due of a job in the cell first.
 */
export function keepShelf(pass: Pass): void {
  const waiting = waitingByGroup(pass);
  for (const [name, group] of pass.shelf.groups) takeNext(pass, name, group, waiting.get(name));
  if (pass.shelf.isHalted) return;
  for (const [name, jobs] of waiting) shelveLast(pass, name, jobs);
}

/**
 * What their users brought back is counted in the cell from now on, and no more in its group: first
 * of all, because a job that ends takes with it where it came from.
 */
export function settleRecalled(pass: Pass): void {
  for (const { id, recalledFrom: name } of pass.cell.jobs.values()) {
    if (name === undefined || pass.jobs.get(id) === undefined) continue;
    if (!canAfford(pass, 1 + groupCost(pass, name))) return;
    spend(pass, 1);
    pass.shelf.settled.add(id);
    const group = pass.shelf.groups.get(name);
    if (group !== undefined) change(pass, name, { ...group, jobs: group.jobs - 1 });
  }
}

function waitingByGroup(pass: Pass): ReadonlyMap<string, JobDraft[]> {
  const groups = new Map<string, JobDraft[]>();
  for (const job of pass.jobs.values()) {
    if (!isUntouched(job) || isRecalled(pass, job)) continue;
    const name = groupOf(job.intent);
    const known = groups.get(name);
    if (known === undefined) groups.set(name, [job]);
    else known.push(job);
  }
  return groups;
}

function isRecalled({ cell }: Pass, { id }: JobDraft): boolean {
  return cell.jobs.get(id)?.recalledFrom !== undefined;
}

function takeNext(
  pass: Pass,
  name: string,
  group: ShelfGroup,
  waiting: readonly JobDraft[] = [],
): void {
  const { cell, shelf } = pass;
  const heads = waiting.filter((job) => isHead(job, group)).length;
  if (group.jobs <= 0 || heads >= headsMinOf(cell)) return;
  const next = cell.shelf?.next.get(name);
  // Who loads the cell again sees them.
  if (next === undefined && cell.unreadable === undefined) lookAgain(pass, pass.nowMs);
  let taken = 0;
  for (const job of next ?? []) {
    if (heads + taken >= headsMaxOf(cell)) break;
    if (!canAfford(pass, rowsOfMove + groupCost(pass, name))) break;
    spend(pass, rowsOfMove);
    shelf.taken.set(job.id, { group: name, job });
    taken++;
    const first = arrivalOf(next![taken] ?? job);
    change(pass, name, { ...shelf.groups.get(name)!, jobs: group.jobs - taken, first });
  }
  if (taken > 0) lookAgain(pass, pass.nowMs);
}

/** A row goes and another comes. */
const rowsOfMove = 2;

function shelveLast(pass: Pass, name: string, waiting: readonly JobDraft[]): void {
  const heads = headsMaxOf(pass.cell);
  if (waiting.length <= 2 * heads || pass.cell.unreadable !== undefined) return;
  if (hasTakers(pass)) return;
  const inOrder = waiting.toSorted((a, b) => (isEarlier(arrivalOf(a), arrivalOf(b)) ? -1 : 1));
  for (const job of inOrder.slice(heads).reverse()) {
    // Its status takes the row of the counts, and the shelf that of the slice.
    const rows = 1 + (job.hasNoSliceRow ? 0 : 1);
    if (!canAfford(pass, jobCost(job) + rows + groupCost(pass, name))) return;
    touchJob(pass, job);
    spend(pass, rows);
    pass.shelf.shelved.set(job.id, name);
    const arrival = arrivalOf(job);
    const { jobs, first } = pass.shelf.groups.get(name) ?? { jobs: 0, first: arrival };
    const { queue, priority } = job.intent.spec;
    const { chunks, chunkPower, lastChunkPower } = job.intent.chunking;
    const power = (chunks - 1) * chunkPower + lastChunkPower;
    const earliest = isEarlier(arrival, first) ? arrival : first;
    change(pass, name, { queue, priority, jobs: jobs + 1, chunks, power, first: earliest });
  }
}

/** Edges that take their work themselves are offered what is in the cell. */
function hasTakers({ edges }: Pass): boolean {
  for (const { source } of edges.values()) if (source.config.pull != null) return true;
  return false;
}

function groupCost({ shelf }: Pass, name: string): number {
  return shelf.changed.has(name) ? 0 : 1;
}

function change(pass: Pass, name: string, group: ShelfGroup): void {
  spend(pass, groupCost(pass, name));
  pass.shelf.changed.add(name);
  pass.shelf.groups.set(name, group);
}
