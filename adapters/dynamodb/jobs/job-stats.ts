import type { Rollup } from '../../../core/jobs/rollup.ts';
import { type JobState, type JobStateCounts, statesBy } from '../../../core/model/job.ts';
import { historyMinutes, rateIntervalMs, rateTtlSeconds } from '../../../core/model/limits.ts';
import type { CellId, JobId } from '../../../core/model/names.ts';
import type {
  JobStatistics,
  JobStats,
  Minute,
  RemovedCells,
} from '../../../core/ports/job-stats.ts';
import { rateKey, ratePrefixOf, shardOf, statsKey, statsShards } from '../keys.ts';
import { amount } from '../rows/row-values.ts';
import { readableOrReported } from '../rows/unreadable-row.ts';
import { statsRows } from '../schema.ts';
import type { Row, Table, Write } from '../table.ts';

/**
 * How many jobs are in each state, spread over a few rows so that many may end at once. A job moves
 * from one count to another in the transaction that changes its state, so the counts are exact.
 * Rates lie in short intervals that expire.
 */
export function createJobStatistics(table: Table): JobStatistics {
  return {
    current: (nowMs) => readJobStats(table, nowMs),
    history: (nowMs) => readHistory(table, nowMs),
  };
}

export function moveJob(job: JobId, from: JobState | null, to: JobState): Write {
  const add: Record<string, number> = { [to]: 1 };
  if (from === null) add.total = 1;
  else add[from] = -1;
  return { kind: 'update', key: statsKey(shardOf(job, statsShards)), change: { add } };
}

/** What a cell counted, kept when the cell goes: totals never fall. */
export function retireCell(cell: CellId, counted: RemovedCells, states: JobStateCounts): Write {
  const add = {
    ...states,
    removedDone: counted.done,
    removedDead: counted.dead,
    removedCancelled: counted.cancelled,
    removedServed: counted.served,
  };
  return { kind: 'update', key: statsKey(shardOf(cell, statsShards)), change: { add } };
}

export async function addProgress(
  table: Table,
  progress: Rollup['progress'],
  atMs: number,
): Promise<void> {
  const interval = Math.floor(atMs / rateIntervalMs);
  await table.update(rateKey(interval % statsShards, interval), {
    set: { expiresAt: Math.floor(atMs / 1_000) + rateTtlSeconds },
    add: progress,
  });
}

async function readJobStats(table: Table, nowMs: number): Promise<JobStats> {
  const shards = Array.from({ length: statsShards }, (_, shard) => shard);
  const now = Math.floor(nowMs / rateIntervalMs);
  const intervals = Array.from({ length: 60_000 / rateIntervalMs }, (_, back) => now - 1 - back);
  const rows = await table.getMany([
    ...shards.map(statsKey),
    ...intervals.map((interval) => rateKey(interval % statsShards, interval)),
  ]);
  const counts = rows.filter((row) => !row.sk.startsWith(statsRows.rate));
  const rates = rows.filter((row) => row.sk.startsWith(statsRows.rate));
  const sum = (name: string) => counts.reduce((all, row) => all + countIn(table, row, name), 0);
  const lastInterval = rateKey(0, now - 1).sk;
  const last = rates.find((row) => row.sk === lastInterval);
  return {
    states: statesBy(sum),
    total: sum('total'),
    removedCells: {
      done: sum('removedDone'),
      dead: sum('removedDead'),
      cancelled: sum('removedCancelled'),
      served: sum('removedServed'),
    },
    jobsPerMinute: rates.reduce((all, row) => all + countIn(table, row, 'jobs'), 0),
    chunksPer10Seconds: last === undefined ? 0 : countIn(table, last, 'chunks'),
  };
}

/** One count that cannot be read takes no other with it. */
function countIn(table: Table, row: Row, name: string): number {
  return readableOrReported(table, row, (it) => amount(it[name])) ?? 0;
}

const minuteMs = 60_000;

async function readHistory(table: Table, nowMs: number): Promise<Minute[]> {
  const firstMs = (Math.floor(nowMs / minuteMs) - historyMinutes + 1) * minuteMs;
  const first = firstMs / rateIntervalMs;
  const last = Math.floor(nowMs / rateIntervalMs);
  const prefixes = [...new Set([first, last].map(ratePrefixOf))];
  const shards = Array.from({ length: statsShards }, (_, shard) => statsKey(shard).pk);
  const pages = await Promise.all(
    shards.flatMap((pk) => prefixes.map((skPrefix) => table.queryAll({ pk, skPrefix }))),
  );
  const minutes = Array.from({ length: historyMinutes }, (_, at) => {
    return { atMs: firstMs + at * minuteMs, jobs: 0, chunks: 0 };
  });
  for (const row of pages.flat()) {
    const intervalMs = Number(row.sk.slice(statsRows.rate.length)) * rateIntervalMs;
    const minute = minutes[Math.floor((intervalMs - firstMs) / minuteMs)];
    if (minute === undefined) continue;
    minute.jobs += countIn(table, row, 'jobs');
    minute.chunks += countIn(table, row, 'chunks');
  }
  return minutes;
}
