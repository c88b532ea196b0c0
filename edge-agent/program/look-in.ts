import type { ExecutorName } from '../../core/model/job.ts';
import type { ChunkName, Executor } from '../executors/executor.ts';
import type { OutputPart } from '../launcher/launcher-protocol.ts';

/** What a chunk has printed, of whoever runs it: the other executors do not know its name. */
export async function lookIn(
  executors: ReadonlyMap<ExecutorName, Executor>,
  chunk: ChunkName,
  from: number,
): Promise<OutputPart | null> {
  for (const executor of executors.values()) {
    const part = await executor.look?.(chunk, from);
    if (part != null) return part;
  }
  return null;
}
