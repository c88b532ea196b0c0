import {
  restartService,
  type ServiceRestart,
  type ServiceUpdate,
  updateService,
} from '../../../core/jobs/update-service.ts';
import { newSlice } from '../../../core/model/cell.ts';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import { rangeOf } from '../../../core/model/ranges.ts';
import type { Rollout } from '../../../core/services/rollout.ts';
import {
  auditOf,
  cellStatus,
  commit,
  executionOf,
  north,
  traceOf,
} from '../../contract/stored-fixture.ts';
import type { Stores } from '../../contract/stored-ports.ts';
import { startMs } from '../../core/cell-fixture.ts';
import { creation, makeMeta } from '../../core/jobs/job-fixture.ts';

const web = jobIdOf('web');
const program = (word: string) => ({
  process: { argv: [word], env: {}, cwd: null, timeoutSeconds: null },
});

const rollout: Rollout = {
  generation: 1,
  wanted: 2,
  restarts: 1,
  state: 'rolled-back',
  stable: 1,
  due: new Map([[2, rangeOf(1, 2)]]),
  unsettled: new Map([
    [0, startMs + 4],
    [2, null],
  ]),
  progressAtMs: startMs + 5,
  reason: 'instance 1 on edge-1 ended: exit code 125',
};

const standIns = { atMs: startMs + 6, readyAtMs: startMs + 7 };

/** A service that was updated, with all that rows hold of it. */
export async function storeService(stores: Stores): Promise<void> {
  const body = { kind: 'service', chunks: 3, run: program('one') };
  const made = creation(body, { metas: [makeMeta(north)] });
  const { status, job } = made;
  const named = { ...job, id: web, spec: { ...job.spec, name: 'web' } };
  const onlyOne = { after: null };
  const service = { ...made, job: named, status: { ...status, job: web }, onlyOne };
  await stores.changes.create(service, null, auditOf(web));
  const found = (await stores.jobs.find(web))!;
  const cells = await stores.changes.cellsOf(found.job);
  const hash = () => 'another';
  const around = { cells, kept: [], by: 'token:ci', nowMs: startMs + 3, hash };
  const spec = { ...found.job.spec, run: program('two') };
  const update = updateService({ ...found, job: { ...found.job, restarts: 1 } }, spec, around);
  await stores.changes.commit(update as ServiceUpdate, traceOf(web));
  for (const chunks of ['0', '2']) {
    const now = (await stores.jobs.find(web))!;
    const kept = await stores.jobs.generations(web);
    const restart = restartService(now, chunks, { ...around, kept }) as ServiceRestart;
    await stores.changes.commit(restart, traceOf(web));
  }
  const { generation, state, reason } = rollout;
  const counts = { wanted: 3, ready: 1, restarts: 2 };
  await commit(stores, north, {
    slices: new Map([[web, { ...newSlice(rangeOf(0, 4)), rollout, standIns }]]),
    jobStatuses: new Map([
      [
        web,
        cellStatus(web, {
          service: { ...counts, rollout: { generation, state, updated: 2, reason } },
        }),
      ],
    ]),
    executions: [
      {
        ...executionOf(web, edgeNameOf('edge-1')),
        generations: new Map([
          [1, rangeOf(0, 1)],
          [2, rangeOf(1, 2)],
        ]),
      },
    ],
  });
}
