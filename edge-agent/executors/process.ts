import type { Launcher } from '../launcher/launcher-client.ts';
import { type ChunkOrder, chunkEnvironment, type Executor, type ExecutorDeps } from './executor.ts';
import { chunkEndOf, makeLaunchedChunks } from './launched-chunks.ts';

/**
 * Chunks as processes of this host: the argv as it is given, never through a shell unless it names
 * one. The launcher starts them, so they outlive a killed agent, which finds them again by name.
 */
export function makeProcess(deps: ExecutorDeps & { launcher: Launcher }): Executor {
  const chunks = makeLaunchedChunks({
    prefix: 'process/',
    launcher: deps.launcher,
    ended: deps.ended,
    judge: (_name, end) => chunkEndOf(end),
  });

  const start = (order: ChunkOrder): void => {
    if (!('process' in order.spec.run)) return;
    const { argv, env, cwd = null, timeoutSeconds = null } = order.spec.run.process;
    const full = { ...env, ...chunkEnvironment(order) };
    chunks.start(order, { argv, env: full, cwd, timeoutSeconds });
  };

  return {
    name: 'process',
    outlivesAgent: false,
    start: (orders) => orders.forEach(start),
    stop: chunks.stop,
    recover: chunks.recover,
    resume: chunks.resume,
    close: () => Promise.resolve(),
  };
}
