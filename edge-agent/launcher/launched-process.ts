import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { findProgram } from '../host/host-inspection.ts';
import { isGroupAlive, killCarriers } from '../host/process-table.ts';
import { goneCheckMsMax, goneCheckMsMin, timerMsMax } from '../limits.ts';
import {
  type LaunchEnd,
  nothingPrinted,
  type OutputEnds,
  type OutputPart,
  type SentOrder,
  wholeErrorsWord,
} from './launcher-protocol.ts';
import { makeOutputFile, type OutputFile } from './output-file.ts';

/**
 * One process that the launcher started: running → terminating (SIGTERM, then SIGKILL to its
 * whole group) → leaving (what is left of the group is killed) → ended. It leads its own group and
 * session.
 *
 * It has ended when nobody of its group lives; one that was asked to stop, when nobody lives who
 * carries its mark either. So what it used is not given to others while it is still used.
 */
export type LaunchedProcess = {
  readonly id: string;
  stop(): void;
  kill(): void;
  watch(): void;
  /** `null`: nobody keeps what it prints. Whoever looks once wants its end, too. */
  look(from: number): OutputPart | null;
};

export const launchMark = 'EDGEWISE_LAUNCH';

export function launch(
  order: SentOrder,
  place: { readonly directory: string; readonly mark: string },
  ended: (end: LaunchEnd) => void,
): LaunchedProcess {
  const startedAtMs = performance.now();
  const output = openOutput(order, place.directory);
  const errors = order.errorsApart ? openOutput(withErrorsName(order), place.directory) : null;
  let child: ChildProcess | null = null;
  let isOver = false;
  let isTimeout = false;
  let isStopped = false;
  const timers: NodeJS.Timeout[] = [];

  const over = (code: number | null, signal: string | null, error: string | null): void => {
    if (isOver) return;
    isOver = true;
    for (const timer of timers) clearTimeout(timer);
    const look = (againMs: number): void => {
      const isGone = child?.pid === undefined || !isLeft(child.pid);
      if (isGone) tell(code, signal, error);
      // One that the kernel holds may stay for long, and looking costs.
      else setTimeout(() => look(Math.min(2 * againMs, goneCheckMsMax)), againMs);
    };
    look(goneCheckMsMin);
  };

  /** Kills who is left, and says whether there was anybody. */
  const isLeft = (group: number): boolean => {
    signalGroup('SIGKILL');
    if (isGroupAlive(group)) return true;
    if (!order.isMarked || !(isStopped || isTimeout)) return false;
    return killMarked((mark) => mark === place.mark);
  };

  const tell = (code: number | null, signal: string | null, error: string | null): void => {
    const isGood = code === 0 && !isTimeout;
    const isKept = order.keep === 'all' || (order.keep === 'failed' && !isGood);
    const left = (one: OutputFile | null): OutputEnds => endsOf(one, isKept, isStopped);
    const printed = { ...left(output), errors: order.errorsApart ? left(errors) : null };
    const durationMs = performance.now() - startedAtMs;
    ended({ id: order.id, code, signal, error, isTimeout, isStopped, durationMs, ...printed });
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
    child = spawnGroup(order, place.mark, [output, order.errorsApart ? errors : output]);
    child.once('error', (error) => over(null, null, startFailure(error, order)));
    child.once('exit', (code, signal) => over(code, signal, null));
    if (order.timeoutMs !== null) {
      const expire = (): void => {
        isTimeout = true;
        terminate();
      };
      timers.push(setTimeout(expire, Math.min(order.timeoutMs, timerMsMax)));
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
      if (isOver) return;
      output?.watch();
      errors?.watch();
    },
    look: (from) => (isOver || output === null ? null : output.part(from)),
  };
}

/** Also where nothing is kept: somebody may look. */
function openOutput(order: SentOrder, directory: string): OutputFile | null {
  const { tailBytes, outputOwner, whole } = order;
  return tailBytes > 0 ? makeOutputFile(directory, tailBytes, outputOwner, whole) : null;
}

function withErrorsName(order: SentOrder): SentOrder {
  const { whole } = order;
  return whole === null
    ? order
    : { ...order, whole: { ...whole, name: `${whole.name}${wholeErrorsWord}` } };
}

function endsOf(output: OutputFile | null, isKept: boolean, isStopped: boolean): OutputEnds {
  const ends = output?.end(isKept) ?? nothingPrinted;
  return isStopped ? { ...ends, head: null, tail: null } : ends;
}

function spawnGroup(
  order: SentOrder,
  mark: string,
  outputs: readonly (OutputFile | null)[],
): ChildProcess {
  const [file, ...args] = [...order.wrapper, ...order.argv];
  const env: NodeJS.ProcessEnv = {
    ...order.env,
    ...(order.isMarked ? { [launchMark]: mark } : {}),
  };
  // A wrapper would say it in words of its own.
  if (order.wrapper.length > 0 && !isProgramThere(order, env.PATH ?? '')) {
    throw Object.assign(new Error('no program'), { code: 'ENOENT' });
  }
  return spawn(file ?? '', args, {
    detached: true,
    cwd: order.cwd ?? undefined,
    env,
    stdio: ['ignore', ...outputs.map((output) => output?.fd ?? ('ignore' as const))],
  });
}

function isProgramThere({ argv, cwd }: SentOrder, path: string): boolean {
  const program = argv[0] ?? '';
  if (program.includes('/')) return existsSync(resolve(cwd ?? '.', program));
  return findProgram(program, path) !== null;
}

/** Whether anybody carried such a mark; whoever did is killed. */
export function killMarked(isMeant: (mark: string) => boolean): boolean {
  return killCarriers(launchMark, isMeant);
}

function startFailure(error: unknown, order: SentOrder): string {
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
