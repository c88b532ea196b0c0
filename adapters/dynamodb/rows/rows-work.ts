import type { EdgeWork, Lease } from '../../../core/model/cell.ts';
import { type CellId, type EdgeName, type JobId, jobIdOf } from '../../../core/model/names.ts';
import { formatRanges } from '../../../core/model/ranges.ts';
import { workKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { amount, amountOrNull, json, ranges, text } from './row-values.ts';

/**
 * `WORK#<edge>`: the edge's epoch and all its leases in one row, which is what its `work` shadow
 * says.
 */
export function encodeWorkRow(cell: CellId, edge: EdgeName, work: EdgeWork): Row {
  const leases: Record<string, LeaseText> = {};
  for (const [job, lease] of work.leases) leases[job] = encodeLease(lease);
  return {
    ...workKey(cell, edge),
    epoch: work.epoch,
    folded: work.acknowledgedSequence,
    boot: work.boot,
    leases: JSON.stringify(leases),
    writtenAtMs: work.writtenAtMs,
    rewrites: work.rewrites,
    removed: work.removed.join(','),
    lostAtMs: work.lostAtMs,
    failuresInRow: work.failuresInRow,
    asideUntilMs: work.quarantinedUntilMs,
    ...(work.foreignResults === 0 ? {} : { foreign: work.foreignResults }),
  };
}

export function decodeWorkRow(row: Row): EdgeWork {
  const leases = new Map<JobId, Lease>();
  for (const [job, lease] of Object.entries(json<Record<string, LeaseText>>(row.leases, {}))) {
    leases.set(jobIdOf(job), decodeLease(lease));
  }
  const removed = typeof row.removed === 'string' && row.removed !== '' ? row.removed : null;
  return {
    epoch: amount(row.epoch),
    acknowledgedSequence: amountOrNull(row.folded),
    boot: text(row.boot),
    leases,
    writtenAtMs: amount(row.writtenAtMs),
    rewrites: amount(row.rewrites),
    removed: (removed?.split(',') ?? []).map(jobIdOf),
    lostAtMs: amountOrNull(row.lostAtMs),
    failuresInRow: amount(row.failuresInRow),
    quarantinedUntilMs: amountOrNull(row.asideUntilMs),
    foreignResults: amount(row.foreign),
  };
}

/**
 * Short names, because a row is billed by the kilobyte and is written with every report: those of
 * the wire where they mean the same (`r`, `s`, `u`, `a`, `m`). `d` and `x` are totals here, and
 * `ue`, `at` and `st` are names of the row alone.
 */
type LeaseText = {
  r: string;
  u?: string;
  ue?: number;
  s: number;
  a?: string;
  at: number;
  /** Only when it is another time than `at`. */
  st?: number;
  m?: number;
  h?: string;
  d?: string;
  x?: string;
};

function encodeLease(lease: Lease): LeaseText {
  const out: LeaseText = { r: formatRanges(lease.ranges), s: lease.slots, at: lease.grantedAtMs };
  if (lease.startedAtMs !== lease.grantedAtMs) out.st = lease.startedAtMs;
  if (lease.reclaiming.length > 0) out.u = formatRanges(lease.reclaiming);
  if (lease.reclaimEpoch !== null) out.ue = lease.reclaimEpoch;
  if (lease.running.length > 0) out.a = formatRanges(lease.running);
  if (lease.chunkMs !== null) out.m = lease.chunkMs;
  if (lease.heldBefore.length > 0) out.h = formatRanges(lease.heldBefore);
  if (lease.doneHere.length > 0) out.d = formatRanges(lease.doneHere);
  if (lease.deadHere.length > 0) out.x = formatRanges(lease.deadHere);
  return out;
}

function decodeLease(lease: LeaseText): Lease {
  return {
    ranges: ranges(lease.r),
    reclaiming: ranges(lease.u),
    reclaimEpoch: lease.ue ?? null,
    slots: lease.s,
    running: ranges(lease.a),
    grantedAtMs: lease.at,
    startedAtMs: lease.st ?? lease.at,
    chunkMs: lease.m ?? null,
    heldBefore: ranges(lease.h),
    doneHere: ranges(lease.d),
    deadHere: ranges(lease.x),
  };
}
