import { execFile } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ExecutorName } from '../../core/model/job.ts';
import { softwareCommandsMax, softwareTimeoutMs, versionLengthMax } from '../limits.ts';

/** What this agent runs; the others are for whoever else speaks for an edge. */
export type AgentExecutorName = Exclude<ExecutorName, 'vm'>;

/**
 * What this host can run, found out once at the start: an executor is offered only when its
 * program is there and answers. The few processes this takes are started while the agent is still
 * small.
 */
export type Host = {
  /** By executor, its version. */
  readonly executors: ReadonlyMap<AgentExecutorName, string>;
  /** The command of the container engine: `docker` or `podman`. */
  readonly containerEngine: string | null;
  readonly gpus: number;
  readonly software: Readonly<Record<string, string>>;
};

export type HostQuestion = {
  /** Executors to offer; `null`: all that are there. Who offers containers offers pods of them. */
  readonly wanted: readonly string[] | null;
  readonly path: string;
  /** Commands whose output tells a version, by the name of the fact. */
  readonly software: Readonly<Record<string, string>>;
};

export async function examineHost(question: HostQuestion): Promise<Host> {
  const executors = new Map<AgentExecutorName, string>();
  const wants = (name: AgentExecutorName): boolean => question.wanted?.includes(name) ?? true;
  if (wants('simulate')) executors.set('simulate', '1');
  if (wants('process')) executors.set('process', '1');
  const has = (program: string): boolean => findProgram(program, question.path) !== null;
  const asks: Promise<void>[] = [];
  const ask = (name: AgentExecutorName, argv: string[]): void => {
    asks.push(
      versionOf(argv, question.path).then((version) => {
        if (version !== null) executors.set(name, version);
      }),
    );
  };
  const engine = wants('container') ? findContainerEngine(question.path) : null;
  const isSlurmHere = ['sbatch', 'squeue', 'scancel'].every(has);
  if (wants('slurm') && isSlurmHere) ask('slurm', ['sbatch', '--version']);
  if (wants('flux') && has('flux')) ask('flux', ['flux', 'version']);
  const software = examineSoftware(question.software, question.path);
  const found = await engine;
  if (found !== null) executors.set('container', found.version).set('pod', found.version);
  await Promise.all(asks);
  return {
    executors,
    containerEngine: found?.engine ?? null,
    gpus: countGpus(),
    software: await software,
  };
}

/** Where both answer it is docker, however long each takes. */
async function findContainerEngine(
  path: string,
): Promise<{ engine: string; version: string } | null> {
  // The server's version: a client without its daemon runs nothing.
  const [docker, podman] = await Promise.all([
    versionOf(['docker', 'version', '--format', '{{.Server.Version}}'], path),
    versionOf(['podman', 'version', '--format', '{{.Client.Version}}'], path),
  ]);
  if (docker !== null) return { engine: 'docker', version: docker };
  return podman === null ? null : { engine: 'podman', version: podman };
}

async function examineSoftware(
  commands: Readonly<Record<string, string>>,
  path: string,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const entries = Object.entries(commands).slice(0, softwareCommandsMax);
  await Promise.all(
    entries.map(async ([name, command]) => {
      const version = await versionOf(command.split(/\s+/).filter(Boolean), path);
      if (version !== null) found[name] = version;
    }),
  );
  return found;
}

export function findProgram(program: string, path: string): string | null {
  for (const directory of path.split(delimiter)) {
    const file = join(directory === '' ? '.' : directory, program);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this directory.
    }
  }
  return null;
}

/** The first thing that looks like a version in what a command prints, or `null` when it fails. */
function versionOf(argv: readonly string[], path: string): Promise<string | null> {
  const [program = '', ...args] = argv;
  const file = program.includes('/') ? program : findProgram(program, path);
  if (program === '' || file === null) return Promise.resolve(null);
  return new Promise((resolve) => {
    execFile(file, args, { timeout: softwareTimeoutMs }, (error, stdout, stderr) => {
      if (error) return resolve(null);
      const match = /\d+(\.\d+)+[\w.+-]*|\d+/.exec(`${stdout}\n${stderr}`);
      resolve(match?.[0].slice(0, versionLengthMax) ?? 'unknown');
    });
  });
}

function countGpus(): number {
  try {
    return readdirSync('/proc/driver/nvidia/gpus').length;
  } catch {
    return 0;
  }
}
