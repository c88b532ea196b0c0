import type { Cell, CellMeta } from '../../../core/model/cell.ts';
import type { CellId, JobId } from '../../../core/model/names.ts';
import type { JobFold, Plan } from '../../../core/model/plan.ts';
import type { CommitOutcome, KnownCells } from '../../../core/ports/cells.ts';
import { arrivalOf } from '../../../core/shelf/shelf.ts';
import { besideRowsMax } from '../../limits.ts';
import {
  chunkKey,
  edgeKey,
  factsKey,
  intentKey,
  metaKey,
  pendingRollupKey,
  reportKey,
  seenKey,
  sliceKey,
  statusKey,
  workKey,
} from '../keys.ts';
import { collectParts, keysBeside } from '../rows/cell-parts.ts';
import { assembleCell } from '../rows/cell-rows.ts';
import { closingAttributes, foldedAttributes } from '../rows/counts-in-status.ts';
import { encodeMeta, metaAttributes, passedAtOf } from '../rows/rows-cell.ts';
import { eventRow } from '../rows/rows-event.ts';
import {
  chunkAttributes,
  encodeExecution,
  encodeJobCell,
  mayBeNews,
  newsOf,
  spentAttributes,
  statusAttributes,
} from '../rows/rows-job.ts';
import { encodeSlice, placedSlice } from '../rows/rows-slice.ts';
import { encodeWorkRow } from '../rows/rows-work.ts';
import { passMark } from '../schema.ts';
import type { Table, Write } from '../table.ts';
import { createCellReader } from './cell-reading.ts';
import { progressWrite } from './edge-inventory.ts';
import { shelfKey } from './shelf-keys.ts';
import { shelfAttribute, withNextOfShelf, withShelved } from './shelf-reading.ts';
import { shelfWrites } from './shelf-writes.ts';

/**
 * Cells in the table: one consistent Query to load (`cell-reading.ts`), one transaction to commit.
 * The condition on the version of `META` is what makes any number of concurrent passes safe: of
 * those that saw the same version, one commits.
 */
export function createKnownCells(table: Table, options: Pick<Cell, 'shelfHeads'> = {}): KnownCells {
  const read = createCellReader(table);
  return {
    async load(cell, also) {
      const parts = collectParts(await read(cell));
      const keys = keysBeside(parts);
      if (keys.length > besideRowsMax) {
        throw new Error(`${parts.unreadable.length} rows of ${cell} cannot be read`);
      }
      const found = assembleCell(parts, keys.length === 0 ? [] : await table.getMany(keys));
      if (found === null) return null;
      const loaded = await withNextOfShelf(table, { ...found, ...options });
      return also === undefined ? loaded : withShelved(table, loaded, also);
    },
    async passedAtMs(cell) {
      const row = await table.get(metaKey(cell));
      return row === null ? null : passedAtOf(row);
    },
    async commit(plan) {
      const outcome = await table.transact(planWrites(plan));
      if (outcome.kind === 'committed') return 'committed';
      return outcome.kind === 'refused' ? refusedBecause(plan, outcome.failed) : 'conflict';
    },
    async commitWithReports(plan, reports) {
      const cell = plan.meta?.id;
      if (cell === undefined) throw new Error('a plan that changes nothing is not committed');
      const mark = { [passMark]: true };
      const stored = reports.map((report) => progressWrite(cell, report, mark));
      const outcome = await table.transact([...planWrites(plan), ...stored]);
      return outcome.kind === 'committed' ? 'committed' : 'conflict';
    },
  };
}

/** `META` decides the race; who lost none wrote statuses that others have written, too. */
function refusedBecause(plan: Plan, failed: readonly number[]): CommitOutcome {
  const folded = [...plan.folds.keys()];
  const shared = failed.flatMap((at) => folded[at - 1] ?? []);
  return failed.includes(0) || shared.length < failed.length ? 'conflict' : { shared };
}

/**
 * The whole plan as writes, `META` first and then the statuses: nothing of it is decided here. The
 * status of `created` is written by whoever creates that job.
 */
export function planWrites(plan: Plan, created: JobId | null = null): Write[] {
  if (plan.meta === null) return [];
  const cell = plan.meta.id;
  const writes: Write[] = [metaWrite(plan.meta, plan.seenVersion)];
  for (const [job, fold] of plan.folds) {
    if (job !== created) writes.push(statusWrite(job, fold, foldedIn(plan, job)));
  }
  for (const [edge, work] of plan.works) {
    if (plan.removedEdges.has(edge)) continue;
    writes.push({ kind: 'put', row: encodeWorkRow(cell, edge, work) });
  }
  for (const [job, slice] of plan.slices) {
    if (plan.endedJobs.has(job) || plan.slicesInLeases?.has(job) === true) continue;
    if (job === created && placedSlice(slice) !== null) continue;
    writes.push({ kind: 'put', row: encodeSlice(cell, job, slice) });
  }
  for (const status of plan.jobStatuses.values()) {
    if (!plan.folds.has(status.job)) writes.push({ kind: 'put', row: encodeJobCell(cell, status) });
  }
  for (const execution of plan.executions) {
    if (plan.closings?.get(execution.job) === execution.edge) continue;
    writes.push({ kind: 'put', row: encodeExecution(execution) });
  }
  for (const end of plan.chunkEnds) {
    const key = chunkKey(end.job, end.chunk);
    writes.push({ kind: 'update', key, change: { set: chunkAttributes(end) } });
  }
  for (const job of plan.endedJobs) {
    writes.push({ kind: 'delete', key: intentKey(cell, job) });
    if (plan.endedWithoutSlice?.has(job) !== true) {
      writes.push({ kind: 'delete', key: sliceKey(cell, job) });
    }
    if (plan.folds.has(job)) continue;
    const atMs = plan.jobStatuses.get(job)?.endedAtMs ?? 0;
    writes.push({ kind: 'put', row: { ...pendingRollupKey(job), atMs } });
  }
  for (const [job, { events, eventsIn }] of plan.folds) {
    if (eventsIn !== 'rows') continue;
    writes.push(...events.map((event): Write => ({ kind: 'put', row: eventRow(job, event) })));
  }
  if (plan.shelf !== undefined) writes.push(...shelfWrites(cell, plan.shelf));
  writes.push(...removals(cell, plan));
  return writes;
}

type Attributes = Readonly<Record<string, unknown>>;

/** What a pass writes into the status of a job beside the status. */
export function foldedIn(plan: Plan, job: JobId): Attributes {
  const { meta, closings, executions } = plan;
  const [fold, counted] = [plan.folds.get(job), plan.jobStatuses.get(job)];
  if (meta === null || fold === undefined || counted === undefined) return {};
  const edge = closings?.get(job);
  const last = executions.find((it) => it.job === job && it.edge === edge);
  const place = plan.shelf?.shelved.get(job);
  return {
    ...foldedAttributes(meta.id, counted, fold),
    ...(last && closingAttributes(last)),
    ...(place && { [shelfAttribute]: shelfKey(meta.id, place.group, arrivalOf(place.job)).sk }),
  };
}

/** Only while nobody but this cell's passes has a part in it. */
function statusWrite(job: JobId, { seen, next, spent }: JobFold, folded: Attributes): Write {
  const set = { ...statusAttributes(next), ...folded, ...newsOf(mayBeNews(next, seen)) };
  const expression =
    seen === null ? '#byCell = :yes AND attribute_not_exists(#counted)' : foldedByCell;
  const values = { yes: true, ...(seen === null ? {} : { counted: seen }) };
  const condition = { expression, values };
  const add = { version: 1, ...(spent !== undefined && spentAttributes(spent)) };
  return { kind: 'update', key: statusKey(job), change: { set, add }, condition };
}

const foldedByCell = '#byCell = :yes AND #counted = :counted';

/** What of the row could not be read stays as it is. */
function metaWrite(meta: CellMeta, seen: number): Write {
  const condition = { expression: '#version = :seen', values: { seen } };
  if (meta.unreadable === undefined) return { kind: 'put', row: encodeMeta(meta), condition };
  const unreadable: readonly string[] = meta.unreadable;
  const attributes = Object.entries(metaAttributes(meta));
  const set = Object.fromEntries(attributes.filter(([name]) => !unreadable.includes(name)));
  return { kind: 'update', key: metaKey(meta.id), change: { set }, condition };
}

/**
 * An edge that left takes its rows in the cell with it; its name and its identity go later, when
 * nothing of it can arrive any more. The condition is for one that enrolled again in the meantime.
 */
function removals(cell: CellId, plan: Plan): Write[] {
  return [...plan.removedEdges].flatMap((edge): Write[] => [
    {
      kind: 'delete',
      key: edgeKey(cell, edge),
      condition: {
        expression: 'attribute_not_exists(#pk) OR #removing <> :staying',
        values: { staying: 'null' },
      },
    },
    { kind: 'delete', key: factsKey(cell, edge) },
    { kind: 'delete', key: reportKey(cell, edge) },
    { kind: 'delete', key: seenKey(cell, edge) },
    { kind: 'delete', key: workKey(cell, edge) },
  ]);
}
