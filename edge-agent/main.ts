#!/usr/bin/env node
import { DirectoryInUse } from './disk/data-directory.ts';
import { PolicyError } from './host/policy.ts';
import {
  agentUsage,
  type Environment,
  parseAgentOptions,
  UsageError,
} from './program/agent-options.ts';
import { keepLoopbackDirect } from './program/direct-loopback.ts';
import { agentVersion } from './program/version.ts';

/**
 * The agent as a program: `edgewise-agent --name edge-10 …`, and as `edgewise agent …` inside the
 * CLI. Data goes to stdout, messages to stderr; a user never sees a stack trace.
 */
export type AgentStreams = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
};

/** The exit codes of the CLI that an agent can end with. */
const exitCodes = { ok: 0, failure: 1, usage: 2, notAuthorised: 4 } as const;

export async function agentCommand(
  argv: readonly string[],
  env: Environment,
  streams: AgentStreams,
  signal?: AbortSignal,
): Promise<number> {
  if (argv[0] === 'launcher') return runAsLauncher(argv[1] ?? '', argv[2] ?? '');
  if (argv.includes('--version')) return say(streams.out, `edgewise-agent ${agentVersion}\n`);
  if (argv.includes('--help') || argv.includes('-h')) return say(streams.out, agentUsage);
  try {
    if (argv[0] === 'doctor') return await runDoctor(argv.slice(1), env, streams);
    const options = parseAgentOptions(argv, env);
    // Loaded only now, so that the launcher of a single binary stays as small as it can be.
    const { runAgent } = await import('./program/run-agent.ts');
    const log = (line: string): void => streams.err(`${line}\n`);
    const exit = await runAgent(options, signal ?? signalOfProcess(), { log });
    return exit === 'stopped' ? exitCodes.ok : exitCodes.notAuthorised;
  } catch (error) {
    if (error instanceof UsageError) {
      streams.err(`${error.message}\nedgewise agent --help shows the options.\n`);
      return exitCodes.usage;
    }
    streams.err(`${explain(error)}\n`);
    return exitCodes.failure;
  }
}

/** A single binary starts itself again under this name; it ends the process by itself. */
async function runAsLauncher(socketPath: string, directory: string): Promise<number> {
  const { runLauncher } = await import('./launcher/launcher-program.ts');
  runLauncher({ socketPath, directory });
  return new Promise(() => {});
}

/** One line for each thing looked at; the exit code says whether all is well. */
async function runDoctor(
  argv: readonly string[],
  env: Environment,
  streams: AgentStreams,
): Promise<number> {
  const { examineAgent } = await import('./program/doctor.ts');
  const findings = await examineAgent(parseAgentOptions(argv, env));
  for (const { check, isOk, words } of findings) {
    streams.out(`${isOk ? 'ok  ' : 'BAD '} ${check.padEnd(12)} ${words}\n`);
  }
  return findings.every(({ isOk }) => isOk) ? exitCodes.ok : exitCodes.failure;
}

function say(write: (text: string) => void, text: string): number {
  write(text);
  return exitCodes.ok;
}

function explain(error: unknown): string {
  if (error instanceof DirectoryInUse || error instanceof PolicyError) return error.message;
  const { code, path, message, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && syscall === 'mkdir') {
    return `The agent cannot make ${path}: its disk takes no directories. Choose another --data.`;
  }
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return (
        `The agent may not use ${path ?? 'its data directory'}. ` +
        'Choose another --data, or give it to this user.'
      );
    case 'ENOSPC':
      return `The disk of ${path ?? 'the data directory'} is full. Make room and start again.`;
    case 'EROFS':
      return `${path ?? 'The data directory'} is read-only. Choose another --data.`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `${path ?? 'The data directory'} is not a directory. Choose another --data.`;
    default:
      return `The agent cannot go on: ${message ?? String(error)}.`;
  }
}

/** The first Ctrl-C or SIGTERM stops in order, the second at once. */
function signalOfProcess(): AbortSignal {
  const stop = new AbortController();
  const heard = (): void => {
    if (stop.signal.aborted) process.exit(exitCodes.failure);
    stop.abort();
  };
  process.on('SIGINT', heard);
  process.on('SIGTERM', heard);
  return stop.signal;
}

if (import.meta.main) {
  keepLoopbackDirect(process.env);
  process.exitCode = await agentCommand(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
}
