import type { Chunking, JobSpec, Run } from '../model/job.ts';

/**
 * What an agent needs to know of a job to run its chunks: `GET /v1/jobs/{id}/spec?g=<hash>`, cached
 * on disk.
 */
export type AgentSpec = Chunking & {
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
  chunking: Chunking,
  createdBy: string,
): AgentSpec {
  return {
    id,
    hash,
    name: spec.name,
    createdBy,
    chunks: chunking.chunks,
    chunkPower: chunking.chunkPower,
    lastChunkPower: chunking.lastChunkPower,
    run: spec.run,
    resources: spec.resources,
    keepOutput: spec.keepOutput,
    offlineSeconds: spec.offlineSeconds,
  };
}

/** The power that one chunk reserves on its edge. */
export function chunkPowerOf(chunking: Chunking, chunk: number): number {
  return chunk === chunking.chunks - 1 ? chunking.lastChunkPower : chunking.chunkPower;
}
