import { readdirSync, readFileSync, statSync } from 'node:fs';

/**
 * What `/proc` tells of processes: enough to know one again, and to find those that an agent has
 * left behind.
 */

/** Clock ticks since boot when the process began; with the number it names a process for good. */
export function startTicksOf(pid: number): string | null {
  const stat = statOf(pid);
  return stat === null ? null : (stat[19] ?? null);
}

/** Running: there, and not a zombie. */
export function isAlive(pid: number, startTicks: string | null): boolean {
  const stat = statOf(pid);
  if (stat === null || stat[0] === 'Z') return false;
  return startTicks === null || stat[19] === startTicks;
}

/**
 * The fields of `/proc/<pid>/stat` behind the command name, which may itself hold spaces and
 * brackets.
 */
function statOf(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Whether anybody but zombies is left in a process group. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    if ((error as { code?: string }).code === 'ESRCH') return false;
  }
  // Zombies count for the kernel, and for ever where nobody reaps them.
  return pids().some((pid) => {
    const stat = statOf(pid);
    return stat !== null && stat[2] === String(group) && stat[0] !== 'Z';
  });
}

/** How many tasks a user has, as the kernel counts them against its limit. */
export function tasksOf(uid: number): number {
  let tasks = 0;
  for (const pid of pids()) {
    if (statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid) {
      tasks += Number(statOf(pid)?.[17] ?? 0);
    }
  }
  return tasks;
}

function pids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Processes whose environment holds `NAME=value`, the asker itself excluded. */
export function processesWith(name: string, accept: (value: string) => boolean): number[] {
  const found: number[] = [];
  for (const pid of pids()) {
    if (pid <= 1 || pid === process.pid) continue;
    const value = environmentOf(pid, name);
    if (value !== null && accept(value) && isAlive(pid, null)) found.push(pid);
  }
  return found;
}

/** Kills whoever carries such a mark in its environment; whether anybody did. */
export function killCarriers(name: string, accept: (value: string) => boolean): boolean {
  const found = processesWith(name, accept);
  for (const pid of found) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It went by itself.
    }
  }
  return found.length > 0;
}

function environmentOf(pid: number, name: string): string | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return null;
  }
  const prefix = `${name}=`;
  const start = text.startsWith(prefix) ? 0 : text.indexOf(`\0${prefix}`) + 1;
  if (start === 0 && !text.startsWith(prefix)) return null;
  const end = text.indexOf('\0', start);
  return text.slice(start + prefix.length, end < 0 ? undefined : end);
}
