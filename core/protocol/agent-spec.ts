import type { Cut, JobSpec, Run } from '../model/job.ts';

/**
 * What an agent needs to know of a job to run its chunks: `GET /v1/jobs/{id}/spec?g=<hash>`, cached
 * on disk.
 */
export type AgentSpec = Cut & {
  readonly id: string;
  /** The hash that `work` names in `g`. */
  readonly hash: string;
  readonly name: string | null;
  /**
   * Who submitted the job, as the job itself says it: the owner of an edge may not run everybody's.
   */
  readonly createdBy: string;
  readonly run: Run;
  readonly resources: JobSpec['resources'];
  readonly keepOutput: JobSpec['keepOutput'];
  readonly offlineSeconds: number | null;
};

export function agentSpec(
  id: string,
  hash: string,
  spec: JobSpec,
  cut: Cut,
  createdBy: string,
): AgentSpec {
  return {
    id,
    hash,
    name: spec.name,
    createdBy,
    chunks: cut.chunks,
    chunkPower: cut.chunkPower,
    lastChunkPower: cut.lastChunkPower,
    run: spec.run,
    resources: spec.resources,
    keepOutput: spec.keepOutput,
    offlineSeconds: spec.offlineSeconds,
  };
}

/** The power that one chunk reserves on its edge. */
export function chunkPowerOf(cut: Cut, chunk: number): number {
  return chunk === cut.chunks - 1 ? cut.lastChunkPower : cut.chunkPower;
}
