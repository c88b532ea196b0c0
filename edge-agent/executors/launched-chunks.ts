import { failureTextLengthMax, outputTailBytesMax } from '../../core/model/limits.ts';
import type { Failure } from '../../core/protocol/progress-report.ts';
import { commandIdPrefix } from '../host/command.ts';
import type { Launcher } from '../launcher/launcher-client.ts';
import type { LaunchEnd, LaunchOrder, OutputPart } from '../launcher/launcher-protocol.ts';
import { killAfterMs } from '../limits.ts';
import {
  type ChunkEnd,
  type ChunkName,
  type ChunkOrder,
  type EndedChunk,
  keyOf,
  nameOfKey,
  wholeNameOf,
} from './executor.ts';

/**
 * Chunks that are one process each under the launcher: what `process` and `container` have in
 * common.
 */
export type LaunchedChunks = {
  start(order: ChunkOrder, what: Launched): void;
  stop(name: ChunkName): void;
  look(name: ChunkName, from: number): Promise<OutputPart | null>;
  recover(edges: readonly string[]): Promise<ChunkName[]>;
  resume(): void;
};

export type Launched = Pick<
  LaunchOrder,
  'argv' | 'wrapper' | 'env' | 'inherits' | 'cwd' | 'outputOwner'
> & {
  readonly timeoutSeconds: number | null;
};

export type LaunchedDeps = {
  /** Begins the ids of these processes, and of no others. */
  readonly prefix: string;
  readonly launcher: Launcher;
  readonly ended: (chunk: EndedChunk) => void;
  /** Looks at an end before it is reported: may know better what it means. */
  readonly judge: (name: ChunkName, end: LaunchEnd | 'lost') => ChunkEnd;
  /** What has to be gone before an end is reported; `null`: nothing. */
  readonly leaving?: (name: ChunkName, end: LaunchEnd | 'lost') => Promise<void> | null;
};

export function makeLaunchedChunks(deps: LaunchedDeps): LaunchedChunks {
  const { launcher, prefix } = deps;
  const idOf = (name: ChunkName): string => `${prefix}${keyOf(name)}`;
  let recovered: ChunkName[] = [];

  const finish =
    (name: ChunkName, mayBeWhole: boolean) =>
    (launchEnd: LaunchEnd | 'lost', taken: () => void): void => {
      const end = deps.judge(name, launchEnd);
      const isLost = launchEnd === 'lost';
      const output = isLost ? null : launchEnd.tail;
      const durationMs = isLost ? null : launchEnd.durationMs;
      const printed = { mayBeWhole, ...(isLost ? {} : besidesOf(launchEnd)) };
      const report = (): void => deps.ended({ name, end, output, durationMs, taken, ...printed });
      const leaving = deps.leaving?.(name, launchEnd) ?? null;
      if (leaving === null) report();
      else void leaving.then(report);
    };

  return {
    start(order, { timeoutSeconds, ...program }) {
      const timeoutMs = timeoutSeconds === null ? null : timeoutSeconds * 1_000;
      const keep = order.spec.keepOutput;
      const tailBytes = outputTailBytesMax;
      const run = { id: idOf(order), ...program, isMarked: true };
      const { stopGraceSeconds } = order.spec;
      const graceMs = stopGraceSeconds === undefined ? killAfterMs : stopGraceSeconds * 1_000;
      const errorsApart = order.spec.stderr === 'apart';
      const kept = { tailBytes, keep, errorsApart, whole: wholeOf(order) };
      const what = { ...run, timeoutMs, killAfterMs: graceMs, ...kept };
      launcher.start(what, finish(order, kept.whole !== null));
    },
    stop: (name) => launcher.stop(idOf(name)),
    look: (name, from) => launcher.look(idOf(name), from),
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
      for (const name of recovered) launcher.adopt(idOf(name), finish(name, true));
      recovered = [];
    },
  };
}

/** Nothing is kept whole of a job that keeps nothing. */
function wholeOf(order: ChunkOrder): LaunchOrder['whole'] {
  const { outputMb, keepOutput } = order.spec;
  if (outputMb === undefined || keepOutput === 'none') return null;
  return { name: wholeNameOf(order), bytesMax: outputMb * 1024 * 1024 };
}

function besidesOf({ head, printedBytes, errors }: LaunchEnd) {
  if (errors === null) return { head, printedBytes };
  const { tail, ...rest } = errors;
  return { head, printedBytes, errors: { output: tail, ...rest } };
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

/** Of a chunk that did not begin: for a reason that is its end, or for none that is its own. */
export function endedBefore(name: ChunkName, reason: string | null = null): EndedChunk {
  const end: ChunkEnd =
    reason === null ? { kind: 'stopped' } : { kind: 'failed', failure: startFailed(reason) };
  return { name, end, output: null, durationMs: null };
}

export function startFailed(reason: string): string {
  return `start-failed: ${reason}`.slice(0, failureTextLengthMax);
}
