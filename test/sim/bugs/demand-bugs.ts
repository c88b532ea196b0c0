import type { Cell, CellJob, QueueConfig } from '../../../core/model/cell.ts';
import type { Bug } from './bugs.ts';

/** Bugs in what jobs and queues ask for: a pass, or an agent, does not know of it. */
export const demandBugs: readonly Bug[] = [
  {
    name: 'ignored-deadline',
    sentence: 'a job whose deadline is over goes on',
    load: (cell) => withSpecs(cell, (spec) => ({ ...spec, deadlineSeconds: null })),
  },
  {
    name: 'half-a-gang',
    sentence: 'a gang is placed chunk by chunk, as other jobs are',
    load: (cell) =>
      withSpecs(cell, (spec) => ({ ...spec, placement: { ...spec.placement, nodes: null } })),
  },
  {
    name: 'ignored-quota',
    sentence: 'a queue may hold as much as there is',
    load: (cell) => withQueues(cell, (queue) => ({ ...queue, quota: null })),
  },
  {
    name: 'ignored-offline-limit',
    sentence: 'the agent works on without contact for as long as it likes',
    spec: (spec) => ({ ...spec, offlineSeconds: null }),
  },
];

type Spec = CellJob['intent']['spec'];

function withSpecs(cell: Cell, change: (spec: Spec) => Spec): Cell {
  const jobs = [...cell.jobs].map(([id, job]) => {
    const intent = { ...job.intent, spec: change(job.intent.spec) };
    return [id, { ...job, intent }] as const;
  });
  return { ...cell, jobs: new Map(jobs) };
}

function withQueues(cell: Cell, change: (queue: QueueConfig) => QueueConfig): Cell {
  const queues = [...cell.queues].map(([name, queue]) => [name, change(queue)] as const);
  return { ...cell, queues: new Map(queues) };
}
