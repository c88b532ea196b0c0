import type { Cell, CellEdge } from '../../core/model/cell.ts';
import type { JobId } from '../../core/model/names.ts';
import {
  chunksOf,
  emptyRanges,
  has,
  intersect,
  type RangeSet,
  rangeOf,
  subtract,
} from '../../core/model/ranges.ts';
import type { EdgeEvent } from '../../core/protocol/edge-event.ts';
import type { JobProgress } from '../../core/protocol/progress-report.ts';
import { workOf } from '../../core/protocol/work-of.ts';
import { storeReports } from '../../lambdas/workers/report/store-reports.ts';
import type { Fleet } from './fleet.ts';

/**
 * The edges report on a service: its instances run the start that is asked for, and are ready, but
 * the one that ended. Everything else that they hold runs on.
 */
export async function runInstances(
  { stored, api }: Fleet,
  service: JobId,
  ended: { readonly chunk: number; readonly exitCode: number } | null = null,
): Promise<void> {
  const events: EdgeEvent[] = [];
  for (const cell of stored.cells.values()) {
    for (const edge of cell.edges.values()) {
      if (edge.work?.leases.has(service)) events.push(reportOf(cell, edge, service, ended));
    }
  }
  await storeReports({ inventory: api.stores.inventory, log: api.log }, events);
  await api.settle();
}

type Ended = Parameters<typeof runInstances>[2];

function reportOf(
  { jobs: known }: Pick<Cell, 'jobs'>,
  { name, report, work: held }: CellEdge,
  service: JobId,
  ended: Ended = null,
): EdgeEvent {
  const jobs = new Map<JobId, JobProgress>();
  for (const [id, { ranges, attempts }] of workOf(held!, known).jobs) {
    const isHere = id === service && ended !== null && has(ranges, ended.chunk);
    const gone: RangeSet = isHere ? rangeOf(ended.chunk, ended.chunk + 1) : emptyRanges;
    const running = subtract(ranges, gone);
    const ports = new Map([...chunksOf(running)].map((chunk) => [chunk, given(chunk)]));
    jobs.set(id, {
      done: emptyRanges,
      failed: isHere ? new Map([[ended.chunk, ended.exitCode]]) : new Map(),
      running,
      attempts: new Map([...attempts].map(([number, set]) => [number, intersect(set, ranges)])),
      chunkMs: null,
      refused: null,
      ...(id === service && { ready: running, ports }),
    });
  }
  const { version } = report!;
  const sequence = (report!.progress?.sequence ?? 0) + 1;
  const { epoch, boot } = held!;
  const progress = { boot, epoch, sequence, freePower: 0, jobs };
  return { kind: 'prog', edge: name, atMs: Date.now(), version: version + 1, progress };
}

const given = (chunk: number) => new Map([['http', 45_000 + chunk]]);
