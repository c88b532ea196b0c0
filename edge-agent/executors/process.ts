import { failureTextLengthMax, outputTailBytesMax } from '../../core/limits.ts';
import type { Failure } from '../../core/wire/prog.ts';
import {
  type ChunkEnd,
  type ChunkName,
  type ChunkOrder,
  chunkEnvironment,
  type Executor,
  type ExecutorDeps,
  keyOf,
  nameOfKey,
} from '../executor.ts';
import type { Launcher } from '../launcher/launcher-client.ts';
import type { LaunchEnd } from '../launcher/launcher-protocol.ts';
import { killAfterMs } from '../limits.ts';

/**
 * Chunks as processes of this host: the argv as it is given, never through a shell unless it names one.
 * The launcher starts them, so they outlive a killed agent, which finds them again by name.
 */
export function makeProcess(deps: ExecutorDeps & { launcher: Launcher }): Executor {
  const { launcher, ended } = deps;
  const finish =
    (name: ChunkName) =>
    (end: LaunchEnd | 'lost'): void => {
      if (end === 'lost') {
        ended({ name, end: { kind: 'stopped' }, output: null, durationMs: null });
        return;
      }
      const output = end.tail === null ? null : Buffer.from(end.tail, 'base64');
      ended({ name, end: chunkEndOf(end), output, durationMs: end.durationMs });
    };

  const start = (order: ChunkOrder): void => {
    if (!('process' in order.spec.run)) return;
    const { argv, env, cwd, timeoutSeconds } = order.spec.run.process;
    launcher.start(
      {
        id: idOf(order),
        argv,
        env: { ...env, ...chunkEnvironment(order) },
        cwd: cwd ?? null,
        timeoutMs: typeof timeoutSeconds === 'number' ? timeoutSeconds * 1_000 : null,
        killAfterMs,
        tailBytes: outputTailBytesMax,
        keep: order.spec.keepOutput,
      },
      finish(order),
    );
  };

  let recovered: ChunkName[] = [];

  return {
    name: 'process',
    start: (orders) => orders.forEach(start),
    stop: (name) => launcher.stop(idOf(name)),
    recover: async (edges) => {
      recovered = sortOut(await launcher.recover(), edges);
      return recovered;
    },
    resume() {
      for (const name of recovered) launcher.adopt(idOf(name), finish(name));
      recovered = [];
    },
    close: () => Promise.resolve(),
  };

  /** What belongs to no edge of this process is stopped. */
  function sortOut(ids: readonly string[], edges: readonly string[]): ChunkName[] {
    const names: ChunkName[] = [];
    for (const id of ids) {
      if (!id.startsWith(idPrefix)) continue;
      const name = nameOfKey(id.slice(idPrefix.length));
      if (name !== null && edges.includes(name.edge)) names.push(name);
      else launcher.stop(id);
    }
    return names;
  }
}

const idPrefix = 'process/';

function idOf(name: ChunkName): string {
  return `${idPrefix}${keyOf(name)}`;
}

export function chunkEndOf(end: LaunchEnd): ChunkEnd {
  if (end.isStopped) return { kind: 'stopped' };
  const failure = failureOf(end);
  return failure === null ? { kind: 'done' } : { kind: 'failed', failure };
}

function failureOf(end: LaunchEnd): Failure | null {
  if (end.error !== null) return `start-failed: ${end.error}`.slice(0, failureTextLengthMax);
  if (end.isTimeout) return 'timeout';
  if (end.signal !== null) return `signal ${end.signal}`;
  return end.code === 0 ? null : (end.code ?? 'lost');
}
