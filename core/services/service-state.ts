import type { ChunkCounts, JobState } from '../model/job.ts';
import type { ServiceCounts } from './service.ts';

/** A state is a fold of the instances, as that of other jobs is one of their chunks. */
export function stateOfService(
  counts: ChunkCounts,
  { wanted, ready, everywhere }: ServiceCounts,
  job: { readonly hasStarted: boolean },
): JobState {
  if (wanted === 0) return everywhere ? 'pending' : 'stopped';
  if (counts.waiting > 0) return 'waiting';
  if (ready + counts.done >= wanted) return 'running';
  if (job.hasStarted) return 'degraded';
  return counts.scheduled + counts.running > 0 ? 'scheduled' : 'pending';
}
