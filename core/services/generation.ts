import { executorOf, type JobSpec } from '../model/job.ts';
import type { StoredJob } from '../model/stored-job.ts';
import { generationsKept } from './limits.ts';
import type { EarlierGeneration, RolloutWish } from './rollout-wish.ts';

/** What of a spec makes another generation: all that the instances of a service run by. */
export type GenerationSpec = Pick<
  JobSpec,
  | 'run'
  | 'resources'
  | 'requires'
  | 'inputs'
  | 'restart'
  | 'ready'
  | 'ports'
  | 'stopGraceSeconds'
  | 'signature'
>;

/** A generation of a service, as it is kept: the one that is wanted, and some before it. */
export type StoredGeneration = {
  readonly generation: number;
  readonly spec: GenerationSpec;
  readonly specHash: string;
  readonly createdAtMs: number;
  readonly createdBy: string;
};

export function generationSpecOf(spec: JobSpec): GenerationSpec {
  const { run, resources, requires, inputs, restart, ready, ports, stopGraceSeconds } = spec;
  const { signature } = spec;
  return {
    run,
    resources,
    requires,
    ...(inputs !== undefined && { inputs }),
    ...(restart !== undefined && { restart }),
    ...(ready !== undefined && { ready }),
    ...(ports !== undefined && { ports }),
    ...(stopGraceSeconds !== undefined && { stopGraceSeconds }),
    ...(signature !== undefined && { signature }),
  };
}

/** Of a service that was never updated nothing is kept besides itself. */
export function generationsWith(
  job: StoredJob,
  kept: readonly StoredGeneration[],
): readonly StoredGeneration[] {
  if (kept.some(({ generation }) => generation === job.generation)) return kept;
  const { generation, spec, specHash, createdAtMs, createdBy } = job;
  return [{ generation, spec: generationSpecOf(spec), specHash, createdAtMs, createdBy }, ...kept];
}

/** What cells must know, so that they can name what still runs and go back to it. */
export function wishOf(
  generation: number,
  known: readonly StoredGeneration[],
  restart: RolloutWish['restart'],
): RolloutWish {
  const earlier = known
    .filter((it) => it.generation < generation && it.generation > generation - generationsKept)
    .map(earlierOf);
  return { generation, earlier, restart };
}

function earlierOf({ generation, spec, specHash }: StoredGeneration): EarlierGeneration {
  const { run, requires, resources } = spec;
  return { generation, specHash, executor: executorOf(run), requires, resources };
}
