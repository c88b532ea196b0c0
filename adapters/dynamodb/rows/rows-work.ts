import type { EdgeWork, Lease, SliceMarks } from '../../../core/model/cell.ts';
import { type JobState, jobStates } from '../../../core/model/job.ts';
import { chunksMax, epochMax } from '../../../core/model/limits.ts';
import { type CellId, type EdgeName, type JobId, jobIdOf } from '../../../core/model/names.ts';
import { formatRanges } from '../../../core/model/ranges.ts';
import type { Starts } from '../../../core/model/starts.ts';
import { encodePercents, parsePercents } from '../../../core/protocol/percents.ts';
import { workKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { amount, amountOrNull, json, ranges, text, time, timeOrNull, whole } from './row-values.ts';
import {
  isAmount,
  isFlag,
  isText,
  isTime,
  isWhole,
  listOf,
  optional,
  orNull,
  recordOf,
  tableOf,
  upTo,
} from './shapes.ts';

/**
 * `WORK#<edge>`: the edge's epoch and all its leases in one row, which is what its `work` shadow
 * says.
 */
export function encodeWorkRow(cell: CellId, edge: EdgeName, work: EdgeWork): Row {
  const { totals } = work;
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
    ...(work.starts !== undefined && { starts: JSON.stringify(work.starts) }),
    ...(work.taken !== undefined && { taken: JSON.stringify(work.taken) }),
    ...(work.foreignResults === 0 ? {} : { foreign: work.foreignResults }),
    ...(totals.chunksDone === 0 ? {} : { done: totals.chunksDone, served: totals.powerServed }),
  };
}

/** When the edge was called lost; `null`: it is not. */
export function lostAtMsOf(row: Row): number | null {
  return timeOrNull(row.lostAtMs);
}

export function decodeWorkRow(row: Row): EdgeWork {
  const leases = new Map<JobId, Lease>();
  for (const [job, lease] of leasesOf(row)) {
    leases.set(jobIdOf(job), decodeLease(lease));
  }
  const epoch = whole(row.epoch);
  if (epoch > epochMax) throw new Error(`${row.pk} ${row.sk} has no room to count epochs`);
  const starts = json<Starts | null>(row.starts, areStarts, null);
  const taken = json<EdgeWork['taken'] | null>(row.taken, areTaken, null);
  return {
    ...(starts !== null && { starts }),
    ...(taken != null && { taken: taken.map(({ id, fits }) => ({ id: jobIdOf(id), fits })) }),
    epoch,
    acknowledgedSequence: amountOrNull(row.folded),
    boot: text(row.boot),
    leases,
    writtenAtMs: time(row.writtenAtMs),
    rewrites: whole(row.rewrites),
    removed: text(row.removed).split(',').filter(Boolean).map(jobIdOf),
    lostAtMs: timeOrNull(row.lostAtMs),
    failuresInRow: whole(row.failuresInRow),
    quarantinedUntilMs: timeOrNull(row.asideUntilMs),
    foreignResults: whole(row.foreign),
    totals: { chunksDone: amount(row.done), powerServed: amount(row.served) },
  };
}

/**
 * Short names, because a row is billed by the kilobyte and is written with every report: those of
 * the wire where they mean the same (`r`, `s`, `u`, `a`, `m`, `p`, `y`). `d` and `x` are totals
 * here, and `ue`, `at` and `st` are names of the row alone.
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
  p?: string;
  y?: string;
  /** The slice of the job, when it has no row of its own. */
  k?: SliceText;
};

type SliceText = { c?: JobState; e?: number; t?: string; b?: number; w?: number };

const areStarts = recordOf({
  earlier: listOf(isText),
  returnedAtMs: orNull(isTime),
  doubledAtMs: orNull(isTime),
  noticedAtMs: optional(listOf(isTime)),
});

const areTaken = listOf(recordOf({ id: isText, fits: isFlag }));

const isLease = recordOf({
  r: isText,
  u: optional(isText),
  ue: optional(isWhole),
  s: upTo(chunksMax),
  a: optional(isText),
  at: isTime,
  st: optional(isTime),
  m: optional((value) => isAmount(value) && (value as number) >= 0),
  h: optional(isText),
  d: optional(isText),
  x: optional(isText),
  p: optional(isText),
  y: optional(isText),
  k: optional(
    recordOf({
      c: optional((value) => jobStates.some((state) => state === value)),
      e: optional(isTime),
      t: optional(isText),
      b: optional(isTime),
      w: optional(isAmount),
    }),
  ),
});

function leasesOf(row: Row): [string, LeaseText][] {
  return Object.entries(json<Record<string, LeaseText>>(row.leases, tableOf(isLease), {}));
}

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
  if (lease.percents !== undefined) out.p = encodePercents(lease.percents);
  if (lease.ready !== undefined) out.y = formatRanges(lease.ready);
  if (lease.slice !== undefined) out.k = encodeMarks(lease.slice);
  return out;
}

function encodeMarks(marks: SliceMarks): SliceText {
  const { reportedReasons, countedAs, lastEventAtMs, startedAtMs, workedPower } = marks;
  return {
    ...(countedAs !== null && { c: countedAs }),
    ...(lastEventAtMs !== null && { e: lastEventAtMs }),
    ...(reportedReasons.length > 0 && { t: reportedReasons.join(',') }),
    ...(startedAtMs !== null && { b: startedAtMs }),
    ...(workedPower !== undefined && { w: workedPower }),
  };
}

function decodeMarks({ c, e, t, b, w }: SliceText): SliceMarks {
  return {
    reportedReasons: text(t).split(',').filter(Boolean),
    countedAs: c ?? null,
    lastEventAtMs: e ?? null,
    startedAtMs: b ?? null,
    ...(w !== undefined && { workedPower: w }),
  };
}

function decodeLease(lease: LeaseText): Lease {
  const percents = parsePercents(lease.p);
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
    ...(percents.size > 0 && { percents }),
    ...(lease.y !== undefined && { ready: ranges(lease.y) }),
    ...(lease.k !== undefined && { slice: decodeMarks(lease.k) }),
  };
}
