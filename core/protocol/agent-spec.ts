import type { Chunking, JobSignature, JobSpec, Run } from '../model/job.ts';
import { type InstanceSpec, instanceSpecOf } from '../services/service.ts';
import type { Sweep, WrittenSweep } from '../sweeps/sweep.ts';

/**
 * What an agent needs to know of a job to run its chunks: `GET /v1/jobs/{id}/spec?g=<hash>`, cached
 * on disk.
 */
export type AgentSpec = Omit<Chunking, 'gaps'> & {
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
  readonly outputMb?: JobSpec['outputMb'];
  readonly stderr?: JobSpec['stderr'];
  readonly keepDirectory?: JobSpec['keepDirectory'];
  readonly inputs?: JobSpec['inputs'];
  /** Its chunks have parameters: an edge asks for those of the chunks that it was given. */
  readonly sweep?: true;
  /** Of a signed job, so that the edge has them from who signed, and asks for none. */
  readonly params?: WrittenSweep;
  readonly signature?: JobSpec['signature'];
  readonly chunkOffsets?: JobSpec['chunkOffsets'];
  readonly outputs?: JobSpec['outputs'];
  readonly offlineSeconds: number | null;
} & Partial<InstanceSpec>;

type AgentPart = Pick<
  JobSpec,
  | 'name'
  | 'run'
  | 'resources'
  | 'keepOutput'
  | 'stderr'
  | 'outputMb'
  | 'keepDirectory'
  | 'inputs'
  | 'outputs'
  | 'chunkOffsets'
  | 'offlineSeconds'
  | 'signature'
  | keyof InstanceSpec
> & { readonly params?: JobSpec['params']; readonly sweep?: true };

export function agentSpec(
  id: string,
  hash: string,
  spec: AgentPart,
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
    ...(spec.outputMb === undefined ? {} : { outputMb: spec.outputMb }),
    ...(spec.stderr === undefined ? {} : { stderr: spec.stderr }),
    ...(spec.keepDirectory === undefined ? {} : { keepDirectory: spec.keepDirectory }),
    ...(spec.inputs === undefined ? {} : { inputs: spec.inputs }),
    ...(spec.params === undefined && spec.sweep === undefined ? {} : { sweep: true as const }),
    ...(spec.chunkOffsets === undefined ? {} : { chunkOffsets: spec.chunkOffsets }),
    ...(spec.outputs === undefined ? {} : { outputs: spec.outputs }),
    offlineSeconds: spec.offlineSeconds,
    ...(spec.signature === undefined ? {} : signedPart(spec.signature, spec.params)),
    ...instanceSpecOf(spec),
  };
}

/** A file with a line for each chunk stays where it is. */
function signedPart(
  signature: JobSignature,
  params: Sweep | undefined,
): Pick<AgentSpec, 'signature' | 'params'> {
  return params === undefined || 'file' in params ? { signature } : { signature, params };
}

/** As it travels with the work, whose entry already says which job and hash it is of. */
export function inlineAgentSpec(spec: AgentPart, chunking: Chunking, createdBy: string): string {
  const { id: _id, hash: _hash, ...rest } = agentSpec('', '', spec, chunking, createdBy);
  return JSON.stringify(rest);
}

/** The power that one chunk reserves on its edge. */
export function chunkPowerOf(chunking: Chunking, chunk: number): number {
  return chunk === chunking.chunks - 1 ? chunking.lastChunkPower : chunking.chunkPower;
}
