import type { Executor } from './executor.ts';

/** In all batch systems of the host; `null` without any, or when one does not answer. */
export async function queuedIn(
  executors: ReadonlyMap<string, Pick<Executor, 'queued'>>,
): Promise<number | null> {
  const asked = [...executors.values()].flatMap((executor) => executor.queued?.() ?? []);
  const queued = await Promise.all(asked);
  if (queued.length === 0) return null;
  return queued.reduce((sum, jobs) => (sum === null || jobs === null ? null : sum + jobs));
}
