import type { Cell, CellJob, Intent, Lease } from '../../../core/model/cell.ts';
import type { Bug } from './bugs.ts';

/** Bugs in how instances of services are kept, updated and stopped. */
export const serviceBugs: readonly Bug[] = [
  {
    name: 'rollout-ahead-of-readiness',
    sentence: 'the next instance follows although the one before is not ready',
    load: (cell) => withServices(cell, allReady),
  },
  {
    name: 'ready-for-a-moment',
    sentence: 'an instance counts with the first moment in which it is ready',
    load: (cell) => withServices(cell, readyForAMoment),
  },
  {
    name: 'stopped-service-restarts',
    sentence: 'a service that was deleted is kept running',
    load: (cell) =>
      withServices(cell, (job) => ({ ...job, intent: { ...job.intent, cancelled: false } })),
  },
  {
    name: 'rollout-without-an-end',
    sentence: 'nobody notices that an update does not come any further',
    load: (cell) =>
      withServices(cell, (job) => ({ ...job, intent: { ...job.intent, spec: patient(job) } })),
  },
  {
    name: 'cells-do-not-wait-for-their-turn',
    sentence: 'each cell of a job that runs everywhere has as many away as all together may',
    load: (cell) => withServices(cell, (job) => ({ ...job, intent: asIfAlone(job.intent) })),
  },
  {
    name: 'turn-is-overlooked',
    sentence: 'a cell of a job that runs everywhere does not see that its turn has come',
    load: (cell) => withServices(cell, (job) => ({ ...job, intent: withoutTurn(job.intent) })),
  },
  {
    name: 'others-are-not-taken-back',
    sentence: 'a generation that failed in one cell stays in those that had it before',
    load: (cell) => withServices(cell, neverBack),
  },
  {
    name: 'job-stays-where-it-was-submitted',
    sentence: 'a job that runs everywhere does not come to cells that open later',
    commit: (plan) => {
      if (plan.meta === null) return plan;
      const { everywhere: _, ...summary } = plan.meta.summary;
      return { ...plan, meta: { ...plan.meta, summary } };
    },
  },
  {
    name: 'second-restart-forgets-the-first',
    sentence: 'of two requests to start instances anew the first is lost when no pass has seen it',
    changes: (change) => {
      if (change.kind !== 'restart' || change.rollout.restart === null) return change;
      const { before: _, ...last } = change.rollout.restart;
      return { ...change, rollout: { ...change.rollout, restart: last } };
    },
  },
  {
    name: 'two-ready-holders',
    sentence: 'an agent says that an instance has stopped, and it runs on beside the new one',
    stopsNothing: true,
  },
  {
    name: 'start-is-no-attempt',
    sentence: 'an instance that starts anew does so under the number of the start before',
    commit: (plan, stored) => ({
      ...plan,
      slices: new Map(
        [...plan.slices].map(([id, slice]) => {
          const was = stored.jobs.get(id);
          if (was?.intent.spec.restart === undefined) return [id, slice];
          const retries = [...slice.retries].map(([chunk, retry]) => {
            const failures = was.slice.retries.get(chunk)?.failures ?? retry.failures;
            return [chunk, { ...retry, failures }] as const;
          });
          return [id, { ...slice, retries: new Map(retries) }];
        }),
      ),
    }),
  },
];

function withServices(cell: Cell, change: (job: CellJob, cell: Cell) => CellJob): Cell {
  const jobs = [...cell.jobs].map(([id, job]) => {
    return [id, job.intent.spec.restart === undefined ? job : change(job, cell)] as const;
  });
  const edges = [...cell.edges].map(([name, edge]) => {
    if (edge.work === null) return [name, edge] as const;
    const leases = [...edge.work.leases].map(([id, lease]) => {
      const isMeant = change === allReady && cell.jobs.get(id)?.slice.rollout !== undefined;
      return [id, isMeant ? readyOf(lease) : lease] as const;
    });
    return [name, { ...edge, work: { ...edge.work, leases: new Map(leases) } }] as const;
  });
  return { ...cell, jobs: new Map(jobs), edges: new Map(edges) };
}

function readyOf(lease: Lease): Lease {
  return { ...lease, running: lease.ranges, ready: lease.ranges };
}

/** As if whoever was ready for a moment were, for long enough. */
function readyForAMoment(job: CellJob): CellJob {
  const { rollout } = job.slice;
  if (rollout === undefined) return job;
  const awaited = [...rollout.unsettled].filter(([, readyAtMs]) => readyAtMs === null);
  return { ...job, slice: { ...job.slice, rollout: { ...rollout, unsettled: new Map(awaited) } } };
}

/** As if all that was brought were ready, for long enough. */
function allReady(job: CellJob): CellJob {
  const { rollout } = job.slice;
  if (rollout === undefined) return job;
  return { ...job, slice: { ...job.slice, rollout: { ...rollout, unsettled: new Map() } } };
}

function patient({ intent }: CellJob): CellJob['intent']['spec'] {
  const { update } = intent.spec;
  if (update === undefined) return intent.spec;
  return { ...intent.spec, update: { ...update, failAfterSeconds: 1e9, onFailure: 'pause' } };
}

function asIfAlone({ rollout, ...intent }: Intent): Intent {
  if (rollout === undefined) return intent;
  const { byTurns: _, ...wish } = rollout;
  return { ...intent, rollout: wish };
}

function withoutTurn({ turn: _, ...intent }: Intent): Intent {
  return intent;
}

function neverBack(job: CellJob): CellJob {
  const { turn } = job.intent;
  return turn === undefined
    ? job
    : { ...job, intent: { ...job.intent, turn: { wish: turn.wish } } };
}
