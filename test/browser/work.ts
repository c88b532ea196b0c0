import type { CellEdge } from '../../core/model/cell.ts';
import type { JobId } from '../../core/model/names.ts';
import { emptyRanges, intersect, rangeOf, subtract } from '../../core/model/ranges.ts';
import type { EdgeEvent } from '../../core/protocol/edge-event.ts';
import { noPercents, type Percents } from '../../core/protocol/percents.ts';
import type { JobProgress } from '../../core/protocol/progress-report.ts';
import { storeReports } from '../../lambdas/workers/report/store-reports.ts';
import type { Fleet } from './fleet.ts';

/**
 * The edges report on a job: of what they hold of it, chunks below this number are done and the
 * others run, as far as `percents` says. Everything else that they hold runs on.
 */
export async function work(
  { stored, api }: Fleet,
  job: JobId,
  doneBelow: number,
  percents: Percents = noPercents,
): Promise<void> {
  const events: EdgeEvent[] = [];
  for (const { edges } of stored.cells.values()) {
    for (const edge of edges.values()) {
      if (edge.work?.leases.has(job)) events.push(reportOf(edge, { job, doneBelow, percents }));
    }
  }
  await storeReports({ inventory: api.stores.inventory, log: api.log }, events);
  await api.settle();
}

type Said = { readonly job: JobId; readonly doneBelow: number; readonly percents: Percents };

function reportOf({ name, report, work: held }: CellEdge, { job, doneBelow, percents }: Said) {
  const jobs = new Map<JobId, JobProgress>();
  for (const [id, { ranges }] of held!.leases) {
    const done = id === job ? intersect(ranges, rangeOf(0, doneBelow)) : emptyRanges;
    jobs.set(id, {
      done,
      failed: new Map(),
      running: subtract(ranges, done),
      attempts: new Map(),
      chunkMs: null,
      refused: null,
      ...(id === job && { percents }),
    });
  }
  const { version } = report!;
  const sequence = (report!.progress?.sequence ?? 0) + 1;
  const { epoch, boot } = held!;
  const progress = { boot, epoch, sequence, freePower: 0, jobs };
  const kind = 'prog' as const;
  return { kind, edge: name, atMs: Date.now(), version: version + 1, progress };
}
