import type { ExecutorName } from '../../core/model/job.ts';
import type { Clock } from '../host/clock.ts';
import { makeRunCommand } from '../host/command.ts';
import type { Host } from '../host/host-inspection.ts';
import type { Launcher } from '../launcher/launcher-client.ts';
import { makeCluster } from './cluster.ts';
import { makeContainer } from './container.ts';
import type { EndedChunk, Executor } from './executor.ts';
import type { NoteBook } from './executor-notes.ts';
import { makeFlux } from './flux.ts';
import { makeProcess } from './process.ts';
import { makeSimulate } from './simulate.ts';
import { makeSlurm } from './slurm.ts';

/** One executor for each way of running chunks that this host has. */
export function makeExecutors(deps: {
  readonly host: Host;
  readonly launcher: Launcher;
  readonly notes: NoteBook;
  readonly clock: Clock;
  readonly clusterDirectory: string;
  readonly drawPower: boolean;
  readonly ended: (chunk: EndedChunk) => void;
  readonly log: (line: string) => void;
}): ReadonlyMap<ExecutorName, Executor> {
  const { host, launcher, clock, ended, log, clusterDirectory } = deps;
  const runCommand = makeRunCommand(launcher);
  const executors = new Map<ExecutorName, Executor>();
  for (const name of host.executors.keys()) {
    const base = { ended, notes: deps.notes.of(name), clock, log };
    executors.set(name, make(name, base));
  }
  return executors;

  function make(name: ExecutorName, base: Parameters<typeof makeCluster>[0]): Executor {
    switch (name) {
      case 'simulate':
        return makeSimulate(base, { drawPower: deps.drawPower });
      case 'process':
        return makeProcess({ ...base, launcher });
      case 'container': {
        const engine = host.containerEngine ?? 'docker';
        return makeContainer({ ...base, launcher, runCommand, engine, owner: launcher.owner });
      }
      case 'slurm':
        return makeCluster(base, makeSlurm(runCommand, clusterDirectory));
      case 'flux':
        return makeCluster(base, makeFlux(runCommand, clusterDirectory));
    }
  }
}
