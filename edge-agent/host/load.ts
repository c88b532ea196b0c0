import { statfsSync } from 'node:fs';
import { cpus, freemem } from 'node:os';
import type { FactValue } from '../../core/protocol/facts.ts';
import { loadMovedFloors, loadMovedPart } from '../limits.ts';

/**
 * How much of its host is free, as an edge reports it with its facts. Every change of facts is
 * written and wakes a pass, so the last load stays until one of its figures has moved by a tenth,
 * and by enough to mean something.
 */
export type Load = {
  readonly cpuFreePercent?: number;
  readonly memoryFreeMb: number;
  readonly diskFreeGb?: number;
  /** Of an edge with a batch system: what waits in its queue, whoever submitted it. */
  readonly jobsQueued?: number;
};

/** Of all processors together, since the host was started. */
export type ProcessorTimes = { readonly idleMs: number; readonly totalMs: number };

export type LoadReadings = {
  readonly processors: () => ProcessorTimes;
  readonly memoryFreeBytes: () => number;
  /** `null`: nobody knows. */
  readonly diskFreeBytes: () => number | null;
  /** `null`: there is no queue, or it cannot be asked. */
  readonly queued: () => Promise<number | null>;
};

/** Asked when facts are looked at. A queue answers later: what it said at the look before. */
export function watchLoad(readings: LoadReadings): () => Load & FactValue {
  let reported: Load | null = null;
  let before: ProcessorTimes = { idleMs: 0, totalMs: 0 };
  let queued: number | null = null;
  return () => {
    const processors = readings.processors();
    const now = loadOf(readings, freePercent(before, processors), queued);
    before = processors;
    readings.queued().then(
      (jobs) => {
        queued = jobs;
      },
      () => {
        queued = null;
      },
    );
    if (reported === null || hasMoved(reported, now)) reported = now;
    return reported as Load & FactValue;
  };
}

function loadOf(readings: LoadReadings, cpu: number | null, queued: number | null): Load {
  const disk = readings.diskFreeBytes();
  return {
    ...(cpu !== null && { cpuFreePercent: cpu }),
    memoryFreeMb: Math.floor(readings.memoryFreeBytes() / 1024 / 1024),
    ...(disk !== null && { diskFreeGb: Math.floor(disk / 1e8) / 10 }),
    ...(queued !== null && { jobsQueued: queued }),
  };
}

/** Between two looks; `null` where no time has passed, or none is counted. */
function freePercent(before: ProcessorTimes, now: ProcessorTimes): number | null {
  const totalMs = now.totalMs - before.totalMs;
  if (totalMs <= 0) return null;
  const percent = Math.round((100 * (now.idleMs - before.idleMs)) / totalMs);
  return Math.min(100, Math.max(0, percent));
}

function hasMoved(reported: Load, now: Load): boolean {
  return (Object.keys(loadMovedFloors) as (keyof Load)[]).some((figure) => {
    const [was, is] = [reported[figure], now[figure]];
    if (was === undefined || is === undefined) return was !== is;
    return Math.abs(is - was) >= Math.max(was * loadMovedPart, loadMovedFloors[figure]);
  });
}

/** Of this host, and of the disk on which this directory is. */
export function readingsOfHost(directory: string): Omit<LoadReadings, 'queued'> {
  return {
    processors: () => {
      let [idleMs, totalMs] = [0, 0];
      for (const { times } of cpus()) {
        idleMs += times.idle;
        totalMs += times.user + times.nice + times.sys + times.idle + times.irq;
      }
      return { idleMs, totalMs };
    },
    memoryFreeBytes: freemem,
    diskFreeBytes: () => {
      try {
        const { bavail, bsize } = statfsSync(directory);
        return bavail * bsize;
      } catch {
        return null;
      }
    },
  };
}
