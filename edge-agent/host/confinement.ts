import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { chunkTasksMax } from '../limits.ts';
import { findProgram } from './host-inspection.ts';
import type { Isolation } from './isolation.ts';
import { tasksOf } from './process-table.ts';

/**
 * What stands between a chunk and its host: the user it runs as, and limits from the `resources`
 * of its job. A chunk without either is started as it is, at no cost.
 *
 *     memoryMb     address space of each of its processes
 *     diskMb       the largest file it may write
 *     processes    how many tasks it may have
 *
 * The kernel counts tasks for a whole user. So what a chunk may have is what its user has when it
 * starts, and its own share on top; it can be less than that while others are busy.
 */
export type Confinement = {
  readonly isolation: Isolation;
  /** What comes before the words of a chunk of this job. */
  wrapperOf(resources: AgentSpec['resources']): readonly string[];
};

const bytesPerMb = 1024 * 1024;

export function makeConfinement(isolation: Isolation, path: string): Confinement {
  const prlimit = findProgram('prlimit', path);
  const user = isolation.kind === 'user' ? isolation.wrapper : [];
  const uid = isolation.kind === 'user' ? isolation.uid : (process.getuid?.() ?? 0);

  return {
    isolation,
    wrapperOf({ memoryMb, diskMb, processes }) {
      const limits: string[] = [];
      if (memoryMb !== undefined) limits.push(`--as=${Math.ceil(memoryMb * bytesPerMb)}`);
      if (diskMb !== undefined) limits.push(`--fsize=${Math.ceil(diskMb * bytesPerMb)}`);
      const tasks = processes === undefined ? chunkTasksMax : tasksOf(uid) + Math.ceil(processes);
      if (processes !== undefined || isolation.kind === 'user') {
        limits.push(`--nproc=${Math.min(tasks, chunkTasksMax)}`);
      }
      if (limits.length === 0 || prlimit === null) return user;
      return [prlimit, ...limits, ...user];
    },
  };
}
