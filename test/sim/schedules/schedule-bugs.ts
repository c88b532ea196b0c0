import type { RunDueDeps } from '../../../lambdas/schedules/run-due.ts';

type Deps = Omit<RunDueDeps, 'log'>;

/** Bugs between the tick and what is stored, which the simulation of schedules must notice. */
export type ScheduleBug = {
  readonly name: string;
  readonly sentence: string;
  readonly plant: (deps: Deps) => Deps;
};

export const scheduleBugs: readonly ScheduleBug[] = [
  {
    name: 'passes-over-a-time',
    sentence: 'a schedule waits for the time after the next',
    plant: (deps) =>
      withSave(deps, (next) => ({
        ...next,
        nextAtMs: next.nextAtMs === null ? null : next.nextAtMs + 120_000,
      })),
  },
  {
    name: 'goes-on-without-its-job',
    sentence: 'a job that was not stored counts as made',
    plant: (deps) => {
      let made = 0;
      const { changes } = deps;
      return {
        ...deps,
        changes: {
          ...changes,
          create: async (...job) => {
            made += 1;
            return made === 1 ? 'created' : changes.create(...job);
          },
        },
      };
    },
  },
  {
    name: 'forgets-the-job-before',
    sentence: 'nobody knows that the job of the time before still runs',
    plant: (deps) => withSave(deps, (next) => ({ ...next, lastJob: null })),
  },
  {
    name: 'a-missed-time-is-not-written',
    sentence: 'what was missed is in no list',
    plant: (deps) => {
      const { schedules } = deps;
      const save: Deps['schedules']['save'] = (next, seen, runs) =>
        schedules.save(
          next,
          seen,
          runs.filter(({ outcome }) => outcome !== 'missed'),
        );
      return { ...deps, schedules: { ...schedules, save } };
    },
  },
];

function withSave(
  deps: Deps,
  change: (
    next: Parameters<Deps['schedules']['save']>[0],
  ) => Parameters<Deps['schedules']['save']>[0],
): Deps {
  const { schedules } = deps;
  const save: Deps['schedules']['save'] = (next, seen, runs) =>
    schedules.save(change(next), seen, runs);
  return { ...deps, schedules: { ...schedules, save } };
}
