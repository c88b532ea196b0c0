import { failureTextLengthMax, outputTailBytesMax } from '../../core/model/limits.ts';
import type { Failure } from '../../core/protocol/progress-report.ts';
import { commandIdPrefix } from '../host/command.ts';
import type { Launcher } from '../launcher/launcher-client.ts';
import type { LaunchEnd, LaunchOrder } from '../launcher/launcher-protocol.ts';
import { killAfterMs } from '../limits.ts';
import {
  type ChunkEnd,
  type ChunkName,
  type ChunkOrder,
  type EndedChunk,
  keyOf,
  nameOfKey,
} from './executor.ts';

/**
 * Chunks that are one process each under the launcher: what `process` and `container` have in
 * common.
 */
export type LaunchedChunks = {
  start(order: ChunkOrder, what: Launched): void;
  stop(name: ChunkName): void;
  recover(edges: readonly string[]): Promise<ChunkName[]>;
  resume(): void;
};

export type Launched = Pick<LaunchOrder, 'argv' | 'env' | 'cwd'> & {
  readonly timeoutSeconds: number | null;
};

export type LaunchedDeps = {
  /** Begins the ids of these processes, and of no others. */
  readonly prefix: string;
  readonly launcher: Launcher;
  readonly ended: (chunk: EndedChunk) => void;
  /** Looks at an end before it is told: may tidy up, or know better what it means. */
  readonly judge: (name: ChunkName, end: LaunchEnd | 'lost') => ChunkEnd;
};

export function makeLaunchedChunks(deps: LaunchedDeps): LaunchedChunks {
  const { launcher, prefix } = deps;
  const idOf = (name: ChunkName): string => `${prefix}${keyOf(name)}`;
  let recovered: ChunkName[] = [];

  const finish =
    (name: ChunkName) =>
    (launchEnd: LaunchEnd | 'lost'): void => {
      const end = deps.judge(name, launchEnd);
      const isLost = launchEnd === 'lost';
      const output =
        isLost || launchEnd.tail === null ? null : Buffer.from(launchEnd.tail, 'base64');
      deps.ended({ name, end, output, durationMs: isLost ? null : launchEnd.durationMs });
    };

  return {
    start(order, { argv, env, cwd, timeoutSeconds }) {
      const timeoutMs = timeoutSeconds === null ? null : timeoutSeconds * 1_000;
      const keep = order.spec.keepOutput;
      const tailBytes = outputTailBytesMax;
      const run = { id: idOf(order), argv, env, cwd, isMarked: true };
      const what = { ...run, timeoutMs, killAfterMs, tailBytes, keep };
      launcher.start(what, finish(order));
    },
    stop: (name) => launcher.stop(idOf(name)),
    async recover(edges) {
      for (const id of await launcher.recover()) {
        const isMine = id.startsWith(prefix);
        const name = isMine ? nameOfKey(id.slice(prefix.length)) : null;
        if (name !== null && edges.includes(name.edge)) recovered.push(name);
        // What belongs to no edge of this process, or to nobody who still waits for it, is stopped.
        else if (isMine || id.startsWith(commandIdPrefix)) launcher.stop(id);
      }
      return recovered;
    },
    resume() {
      for (const name of recovered) launcher.adopt(idOf(name), finish(name));
      recovered = [];
    },
  };
}

export function chunkEndOf(end: LaunchEnd | 'lost'): ChunkEnd {
  // Lost with the launcher: nobody knows how it went, so it runs again.
  if (end === 'lost' || end.isStopped) return { kind: 'stopped' };
  const failure = failureOf(end);
  return failure === null ? { kind: 'done' } : { kind: 'failed', failure };
}

function failureOf(end: LaunchEnd): Failure | null {
  if (end.error !== null) return startFailed(end.error);
  if (end.isTimeout) return 'timeout';
  if (end.signal !== null) return `signal ${end.signal}`;
  return end.code === 0 ? null : (end.code ?? 'lost');
}

export function startFailed(reason: string): string {
  return `start-failed: ${reason}`.slice(0, failureTextLengthMax);
}
