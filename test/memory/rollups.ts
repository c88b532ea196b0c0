import type { Intent } from '../../core/model/cell.ts';
import type { JobState } from '../../core/model/job.ts';
import type { JobStatus } from '../../core/model/job-status.ts';
import { rateIntervalMs } from '../../core/model/limits.ts';
import type { CellId, JobId } from '../../core/model/names.ts';
import type { FoldedStatus } from '../../core/model/plan.ts';
import type { PendingRollups, RollupStore } from '../../core/ports/rollups.ts';
import { eventPosition } from './jobs.ts';
import { changeJob, rowsOf, type Stored } from './stored.ts';

/** Jobs for the rollup, in memory. */
export function createMemoryRollups(stored: Stored): RollupStore & PendingRollups {
  return {
    async load(job) {
      const rows = stored.jobs.get(job);
      if (rows === undefined || rows.status === null) return null;
      const { status, cells } = rows;
      const parents = status.blockedByDependencies ? statesOf(stored, status.dependsOn) : new Map();
      return { status, cells: new Map(cells), parents };
    },
    async save(seen, { next, events }) {
      const rows = rowsOf(stored, next.job);
      const { status } = rows;
      if (status === null || status.version !== seen.version) return 'conflict';
      rows.status = withFold(status, next, next.version);
      if (next.countedAs !== seen.countedAs && next.countedAs !== null) {
        countJob(stored, seen.countedAs, next.countedAs);
      }
      for (const event of events) rows.events.set(eventPosition(event), event);
      return 'saved';
    },
    async release(job, cells) {
      changeIntents(stored, job, cells, { blockedByDependencies: false });
    },
    async cancel(job, cells) {
      changeIntents(stored, job, cells, { cancelled: true });
    },
    async giveTurn(job, { cell, turn }) {
      changeIntents(stored, job, [cell], { turn });
    },
    async dependantsOf(job) {
      return [...(stored.jobs.get(job)?.dependants ?? [])].sort();
    },
    async settle(job, endedAtMs) {
      if ((stored.pendingRollups.get(job) ?? Number.POSITIVE_INFINITY) <= endedAtMs)
        stored.pendingRollups.delete(job);
    },
    async pendingRollups(atMs) {
      return [...stored.pendingRollups].flatMap(([job, endedAtMs]) =>
        endedAtMs < atMs ? [job] : [],
      );
    },
    async countProgress(progress, atMs) {
      const interval = Math.floor(atMs / rateIntervalMs);
      const before = stored.rates.get(interval) ?? { chunks: 0, jobs: 0 };
      const chunks = before.chunks + progress.chunks;
      stored.rates.set(interval, { chunks, jobs: before.jobs + progress.jobs });
    },
  };
}

function statesOf(stored: Stored, jobs: readonly JobId[]): Map<JobId, JobState> {
  return new Map(
    jobs.flatMap((job) => {
      const state = stored.jobs.get(job)?.status?.state;
      return state === undefined ? [] : [[job, state]];
    }),
  );
}

/** What a fold changes; the rest is its user's. */
export function withFold(status: JobStatus, next: FoldedStatus, version: number): JobStatus {
  const { state, counts, donePower, startedAtMs, endedAtMs } = next;
  const { reason, waiting, blockedByDependencies, dependencyFailed, retrying } = next;
  const { countedAs, lastEventAtMs } = next;
  const times = { startedAtMs, endedAtMs, lastEventAtMs };
  const folded = { version, state, counts, donePower, ...times, reason, waiting, countedAs };
  const inside = {
    ...(next.workedPower !== undefined && { workedPower: next.workedPower }),
    ...(next.service !== undefined && { service: next.service }),
    ...(next.failedDependency !== undefined && { failedDependency: next.failedDependency }),
  };
  return { ...status, ...folded, ...inside, blockedByDependencies, dependencyFailed, retrying };
}

function countJob(stored: Stored, from: JobState | null, to: JobState): void {
  const add = (name: JobState | 'total', by: number) =>
    stored.counts.set(name, (stored.counts.get(name) ?? 0) + by);
  add(to, 1);
  if (from === null) add('total', 1);
  else add(from, -1);
}

function changeIntents(
  stored: Stored,
  id: JobId,
  cells: readonly CellId[],
  change: Partial<Intent>,
): void {
  for (const cell of cells) {
    changeJob(stored, cell, id, (job) => ({ ...job, intent: { ...job.intent, ...change } }));
  }
}
