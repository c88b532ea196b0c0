/**
 * Starts and stops one long-lived program (the database). Its process id is written to the state
 * before it is needed, so that a later start can end a program that survived everything else.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { stopGraceMs } from '../limits.ts';
import type { Reaper } from './reaper.ts';
import type { StateStore } from './state-store.ts';

export type ChildOptions = {
  name: string;
  command: string;
  args: readonly string[];
  cwd?: string;
  env: Readonly<Record<string, string>>;
  logPath: string;
  reaper: Reaper;
  store: StateStore;
};

export type Child = {
  readonly process: ChildProcess;
  readonly exited: Promise<void>;
  stop(): Promise<void>;
};

export function startChild(options: ChildOptions): Child {
  const log = openSync(options.logPath, 'a');
  const child = spawn(options.command, [...options.args], {
    stdio: ['ignore', log, log],
    detached: true,
    env: { ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  closeSync(log);
  const pid = child.pid;
  if (pid !== undefined) {
    options.reaper.watch(pid);
    options.store.put('child', options.name, JSON.stringify({ pid, command: options.command }));
  }
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  void exited.then(() => {
    if (pid !== undefined) options.reaper.release(pid);
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && pid !== undefined) {
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), stopGraceMs);
      await exited;
      clearTimeout(kill);
    }
    options.store.remove('child', options.name);
  };
  return { process: child, exited, stop };
}

/** Ends programs that an earlier local cloud on this state directory left behind. */
export function endStaleChildren(store: StateStore): void {
  for (const { key, value } of store.list('child')) {
    const { pid, command } = JSON.parse(value) as { pid: number; command: string };
    if (commandOf(pid).includes(command)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended between the look and the kill.
      }
    }
    store.remove('child', key);
  }
}

function commandOf(pid: number): string {
  try {
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
