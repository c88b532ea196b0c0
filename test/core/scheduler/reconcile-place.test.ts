import { expect, test } from 'vitest';
import { formatRanges } from '../../../core/model/ranges.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { makeCell, makeEdges, makeJob, startMs } from '../cell-fixture.ts';

test('a job of power 403 on idle edges of 250 becomes four leases of one chunk on four edges', () => {
  const job = makeJob('job-a', { chunks: 4, chunkPower: 100, lastChunkPower: 103 });
  for (const count of [4, 5, 10, 200]) {
    const cell = makeCell({ edges: makeEdges(count), jobs: [job] });
    const plan = reconcile(cell, startMs);
    expect(plan.executions).toHaveLength(4);
    expect(plan.executions.map(({ power }) => power).sort()).toEqual([100, 100, 100, 103]);
    const ranges = [...plan.works.values()].map((work) =>
      formatRanges(work.leases.get(job.id)!.ranges),
    );
    expect(ranges.sort()).toEqual(['0', '1', '2', '3']);
    const again = reconcile(applyPlan(cell, plan), startMs);
    expect(again.meta).toBeNull();
  }
});
