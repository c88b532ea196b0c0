import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { LaunchEnd, LaunchOrder } from './launcher-protocol.ts';
import { makeOutputFile, type OutputFile } from './output-file.ts';

/**
 * One process that the launcher started: running → terminating (SIGTERM, then SIGKILL to its
 * whole group) → ended. It leads its own group and session; when it has ended, whatever is left
 * of the group is killed.
 */
export type LaunchedProcess = {
  readonly id: string;
  stop(): void;
  kill(): void;
  watch(): void;
};

export const launchMark = 'EDGEWISE_LAUNCH';

export function launch(
  order: LaunchOrder,
  place: { readonly directory: string; readonly mark: string },
  ended: (end: LaunchEnd) => void,
): LaunchedProcess {
  const startedAtMs = performance.now();
  const wantsOutput = order.tailBytes > 0 && order.keep !== 'none';
  const output = wantsOutput ? makeOutputFile(place.directory, order.tailBytes) : null;
  let child: ChildProcess | null = null;
  let isOver = false;
  let isTimeout = false;
  let isStopped = false;
  const timers: NodeJS.Timeout[] = [];

  const over = (code: number | null, signal: string | null, error: string | null): void => {
    if (isOver) return;
    isOver = true;
    for (const timer of timers) clearTimeout(timer);
    const isGood = code === 0 && !isTimeout;
    const wants = output !== null && (order.keep === 'all' || !isGood) && !isStopped;
    const tail = wants ? output.tail().toString('base64') : null;
    output?.close();
    const durationMs = performance.now() - startedAtMs;
    ended({ id: order.id, code, signal, error, isTimeout, isStopped, durationMs, tail });
  };

  const signalGroup = (signal: NodeJS.Signals): void => {
    if (child?.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // Nobody is left in the group.
    }
  };

  const terminate = (): void => {
    signalGroup('SIGTERM');
    timers.push(setTimeout(() => signalGroup('SIGKILL'), order.killAfterMs));
  };

  try {
    child = spawnGroup(order, place.mark, output);
    child.once('error', (error) => over(null, null, startFailure(error, order)));
    child.once('exit', (code, signal) => {
      signalGroup('SIGKILL');
      over(code, signal, null);
    });
    if (order.timeoutMs !== null) {
      const expire = (): void => {
        isTimeout = true;
        terminate();
      };
      timers.push(setTimeout(expire, Math.min(order.timeoutMs, 2_147_483_647)));
    }
  } catch (error) {
    // The caller has to know this process before it hears of its end.
    setImmediate(() => over(null, null, startFailure(error, order)));
  }
  return {
    id: order.id,
    stop() {
      if (isStopped || isOver) return;
      isStopped = true;
      terminate();
    },
    kill: () => signalGroup('SIGKILL'),
    watch() {
      if (!isOver) output?.watch();
    },
  };
}

function spawnGroup(order: LaunchOrder, mark: string, output: OutputFile | null): ChildProcess {
  const [file, ...args] = order.argv;
  const sink = output === null ? 'ignore' : output.fd;
  return spawn(file ?? '', args, {
    detached: true,
    cwd: order.cwd ?? undefined,
    env: { ...process.env, ...order.env, ...(order.isMarked ? { [launchMark]: mark } : {}) },
    stdio: ['ignore', sink, sink],
  });
}

function startFailure(error: unknown, order: LaunchOrder): string {
  const code = (error as { code?: string }).code ?? 'error';
  // Both a missing program and a missing directory are ENOENT; which one is what the user needs to
  // know.
  if (order.cwd !== null && !isDirectory(order.cwd)) return `no directory ${order.cwd}`;
  if (code === 'ENOENT') return `no program ${order.argv[0]}`;
  if (code === 'EACCES') return `not allowed to run ${order.argv[0]}`;
  return `${code} ${order.argv[0]}`;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
